"""Fixtures of the tests of rubrics."""

import pytest

from concord.grading import grading_sets
from concord.store import grades
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions


@pytest.fixture
def graded_preset(store, sheet, rubric, ana):
    """The preset, with one grade of Ana on its first criterion."""
    version = rubric[1].version(rubric[1].criteria[0])
    grades.record(store, [Press(1, version, ana, score=2)])
    return rubric[1]


@pytest.fixture
def worded(store):
    """An own rubric and the same with another question for its first criterion."""
    _, preset = rubric_versions.named(store, "doc-qa-0-3")
    own = preset.model_copy(update={"name": "ours"})
    rubric_versions.register(store, own, "file")
    first, *rest = own.criteria
    anew = first.model_copy(update={"question": "Is it right, all of it?"})
    return own, own.model_copy(update={"criteria": (anew, *rest)})


@pytest.fixture
def set_of_reworded(store, sheet, worded):
    from concord.sampling import split_assignment, splits

    split_assignment.assign(store, splits.questions_named(store, sheet, ["000"]), "few-shot", "")
    rubric_id, _ = rubric_versions.named(store, "ours")
    return grading_sets.create(store, sheet.id, rubric_id, "Team", None, 1, 6, 0.0)
