"""Fixtures of the tests of language."""

import pytest

from concord.language import coverage


@pytest.fixture(scope="module")
def texts():
    return coverage.template()
