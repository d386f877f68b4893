"""Fixtures of the tests of gold and training items on the screen."""

import pytest

from tests.support.grading_room import prepared


@pytest.fixture
def made(store, sheet, rubric):
    """A set with one training item and five more answers in the few-shot pool."""
    return prepared(store, sheet, rubric, "Team")
