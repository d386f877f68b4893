"""Fixtures of the tests of rubrics."""

import pytest

from concord.store import grades
from concord.store.grades import Press


@pytest.fixture
def graded_preset(store, sheet, rubric, ana):
    """One grade of Ana under the preset's correctness."""
    grades.record(store, [Press(1, rubric[1].versions()["correctness"], ana, score=2)])
    return rubric[1]
