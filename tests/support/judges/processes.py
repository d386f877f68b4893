"""The verb `judge` in a process of its own, and what it has graded."""

from concord.store import graders, grades
from tests.support.forked import Verb
from tests.support.patience import PATIENT_S

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
