"""Fixtures of the tests of probabilities."""

import pytest

from tests.support.panels import give, likeliest, overconfident


@pytest.fixture
def often_wrong():
    """What Ana gives to 36 answers where the judge is right on two of three."""
    return {n: (likeliest(overconfident(n)) + (n // 2 % 3 == 0)) % 4 for n in range(36)}


@pytest.fixture
def annotated(store, sheet, doc_qa, often_wrong):
    """Ana has graded every answer so."""
    give(store, doc_qa, "Ana", often_wrong)
