"""Who else asks the same server while a judge runs."""

from contextlib import ExitStack, contextmanager

from concord.language.languages import shown
from concord.reports.workflow import judge_state
from concord.store import graders
from tests.support.fakejudge import Fake, completion, judge, run_rubric
from tests.support.judges.rubric_runs import prepared

HERE, ELSEWHERE = "http://127.0.0.1:9/v1", "http://127.0.0.1:10/v1"


@contextmanager
def at_work(store, sheet, rubric, name, url):
    """A run that is going on, as the store and its lock tell it; yields the judge."""
    job = prepared(store, sheet, rubric, judge(name=name, url=url))
    with job.held(store):
        job.begin(store, {}, None)
        yield graders.get(store, job.register(store))


def test_a_run_names_the_judges_that_ask_the_same_server_and_no_others(store, sheet, rubric):
    with ExitStack() as runs:
        mine = runs.enter_context(at_work(store, sheet, rubric, "mine", HERE))
        assert judge_state.state(store, sheet.id, mine).same_endpoint == ""
        runs.enter_context(at_work(store, sheet, rubric, "far", ELSEWHERE))
        assert judge_state.state(store, sheet.id, mine).same_endpoint == ""
        with at_work(store, sheet, rubric, "near", HERE):
            found = judge_state.state(store, sheet.id, mine)
            assert found.phase == "running"
            assert found.same_endpoint.startswith("near is sending requests to this endpoint too.")
        # Its process is gone, though nobody has noted that its run has ended.
        assert judge_state.state(store, sheet.id, mine).same_endpoint == ""


def test_a_judge_that_rests_asks_beside_nobody(store, sheet, rubric):
    job = prepared(store, sheet, rubric)
    grader = graders.get(store, job.register(store))
    with at_work(store, sheet, rubric, "near", HERE):
        found = judge_state.state(store, sheet.id, grader)
        assert (found.phase, found.same_endpoint) == ("never", "")


def test_a_stored_reason_names_a_criterion_as_the_reader_does(store, sheet, rubric):
    job = prepared(store, sheet, rubric)
    run_rubric(store, job, Fake(lambda *_: completion("{}")))
    grader = graders.get(store, job.register(store))
    plain = judge_state.state(store, sheet.id, grader)
    named = judge_state.state(store, sheet.id, grader, job.rubric)
    assert {*named.counts.troubles} == {*plain.counts.troubles}
    lines = [shown(line, "zh") for line in named.counts.trouble_lines()]
    assert len(lines) == len(job.rubric.criteria)
    assert not any(one.name in line for line in lines for one in job.rubric.criteria)
