"""Fixtures of the tests of cascade."""

import pytest

from concord.reports.agreement.judge_probabilities import read
from tests.support import wavering
from tests.support.panels import panel


@pytest.fixture
def asked(store, rubric):
    """The panel, and the vote shares of the judge that was asked again."""
    wavering.asked(store, rubric[1])
    made = panel(store, rubric[1])
    return made, read(store, made)
