"""Fixtures of the tests of comparison."""

import pytest

from concord.store.rubrics import rubric_versions
from tests.support.panels import give, judge, panel
from tests.support.reports.continuous_variants import ANNOTATOR, ONE, OWN


@pytest.fixture
def continuous_variants(store, sheet):
    rubric_versions.register(store, ONE, "file")
    give(store, ONE, "Ana", dict(enumerate(ANNOTATOR)))
    judge(store, ONE, "whole", dict(enumerate([*ANNOTATOR[:-1], 2])))
    judge(store, ONE, "own", dict(enumerate(OWN)))
    return panel(store, ONE)
