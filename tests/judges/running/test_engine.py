"""How a run stands in the store, whatever ends it and however its questions are asked."""

from dataclasses import replace

import pytest

from concord.judges.rubric_runs.tasks import Again
from concord.judges.running.engine import FAULT, recorded
from concord.judges.running.progress import Counts
from concord.messages import Problem


@pytest.mark.parametrize(
    ("ends", "status", "why"),
    [
        (KeyboardInterrupt(), "stopped", "Interrupted."),
        (Problem("The key is refused. Set another."), "failed", "The key is refused. Set another."),
        (ZeroDivisionError(), "failed", FAULT),
    ],
)
def test_what_ends_a_run_is_kept_with_how_far_it_came(store, run_of_job, ends, status, why):
    with pytest.raises(type(ends)), recorded(store, run_of_job, counts := Counts(total=3)):
        counts.done = 2
        raise ends
    row = store.row("select * from runs where id = ?", (run_of_job,))
    assert (row["status"], row["message"], row["budget"]) == (status, why, 2.0)
    assert '"done": 2' in row["counts"] and row["finished_at"]


def test_a_run_is_done_only_where_its_work_says_so(store, run_of_job):
    with recorded(store, run_of_job, Counts()):
        pass
    assert store.row("select * from runs where id = ?", (run_of_job,))["status"] == "failed"


def test_a_run_that_asks_some_answers_again_is_kept_as_such(store, job):
    again = replace(job, again=Again(frozenset(), 4, "recheck"))
    found = again.scope()
    assert (found["first_repeat"], found["purpose"]) == (4, "recheck")
    assert "purpose" not in job.scope()
