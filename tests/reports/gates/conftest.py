"""Fixtures of the tests of gates."""

import pytest

from concord.reports.panel import panel
from concord.store import graders, grades
from concord.store.grades import Press

QUESTIONS = 12


@pytest.fixture
def grade_all(store, sheet, rubric):
    """Grades every item: graded(kind, name, score of (item number, criterion))."""

    def give(kind, name, score, fingerprint="", criteria=None):
        grader = graders.ensure(store, kind, name, fingerprint)
        versions = rubric[1].versions()
        grades.record(
            store,
            [
                Press(item, versions[criterion], grader, score=score(item, criterion))
                for criterion in criteria or versions
                for item in range(1, 3 * QUESTIONS + 1)
            ],
        )

    return give


@pytest.fixture
def read_panel(store, sheet, rubric):
    return lambda: panel.read(store, sheet, rubric[1])
