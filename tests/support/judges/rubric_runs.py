"""What tests of rubric runs share: a job, a run in the background, and what came of it."""

import threading
from collections import Counter

from concord.judges.rubric_runs import job as jobs
from concord.store import graders, grades, runs
from concord.store.database import open_store
from tests.support.fakejudge import judge, run_rubric


def prepared(store, sheet, rubric, of=None, **options):
    """The job of a judge, of a free one by default."""
    return jobs.prepare(store, of or judge(), *rubric, sheet, **options)


def reader(rule, url="http://127.0.0.1:9/v1", name=None):
    """A chat judge with log-probabilities; '' keeps the score as it was written."""
    line = f'reading = "{rule}"' if rule else ""
    return judge(f"logprobs = true\n{line}", name or rule or "plain", url)


def statuses(store, sheet, name="mine"):
    """How many grades of a judge have which status."""
    grader = graders.find(store, "judge", name)
    return Counter(row["status"] for row in grades.statuses(store, sheet.id, grader.id))


def replies(store):
    """All stored replies, in their order."""
    return store.rows("select * from replies order by id")


def last_run(store, sheet):
    """The newest run over a sheet."""
    return runs.of_sheet(store, sheet.id)[0]


def in_background(db, job, fake, **options):
    """A run in a thread of its own with a store of its own; returns thread and outcome list."""
    outcome = []

    def work():
        with open_store(db) as own:
            outcome.append(run_rubric(own, job, fake, **options))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread, outcome
