"""What tests of rubric runs share: a job, a run in the background, and what came of it.

The verb `judge` in this process, as a session.

The verb `judge` in a process of its own, and what it has graded.
"""

import threading
from collections import Counter

from concord.judges.run import judging as session
from concord.judges.run import rubric as jobs
from concord.judges.run.job import Options
from concord.store import graders, grades, runs
from concord.store.database import open_store
from tests.support.fakejudge import judge, run_rubric
from tests.support.patience import PATIENT_S
from tests.support.warm_server import Verb


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


def never(sentence):
    """Fail where a run asks whether it may cost money."""
    raise AssertionError(f"asked about money: {sentence}")


def judged(store, judge, **options):
    """The outcome of the verb, which must not ask about money."""
    return session.judge(store, judge, Options(**options), never)


IN_FLIGHT = 8


def started(store, judge: str, *more: str) -> Verb:
    """The verb `judge` in a process of its own."""
    words = ("judge", judge, "--yes", *more, f"--concurrency={IN_FLIGHT}")
    return Verb(store.path, *words)


def ended(running: Verb) -> tuple[int, str]:
    """Exit code and what was printed."""
    out, err = running.communicate(timeout=PATIENT_S)
    return running.returncode, out + err


def scored(store, sheet) -> int:
    """How many grades the judge `mine` has scored."""
    grader = graders.find(store, "judge", "mine")
    rows = grades.statuses(store, sheet.id, grader.id) if grader else []
    return sum(row["status"] == "scored" for row in rows)
