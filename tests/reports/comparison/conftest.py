"""Fixtures of the tests of comparison."""

import pytest

from concord.store.rubrics import rubric_versions
from tests.support.panels import give, judge, panel
from tests.support.reports.continuous_grades import (
    ONE,
    OWN_OF_RANKED,
    RANKED,
)


@pytest.fixture
def continuous_variants(store, sheet):
    rubric_versions.register(store, ONE, "file")
    give(store, ONE, "Ana", dict(enumerate(RANKED)))
    judge(store, ONE, "whole", dict(enumerate([*RANKED[:-1], 2])))
    judge(store, ONE, "own", dict(enumerate(OWN_OF_RANKED)))
    return panel(store, ONE)
