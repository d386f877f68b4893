"""Fixtures of the tests of ranking."""

import pytest

from concord.store import additions
from tests.support.made_items import made_item
from tests.support.panels import give


@pytest.fixture
def five_models(store, doc_qa):
    """Twenty-four questions by five models."""
    made = [made_item(n, m) for n in range(24) for m in "abcde"]
    additions.add(store, "many", made, "many.csv", "0" * 64, {})

    def score(name, kind, by_model, questions=range(24)):
        for criterion in doc_qa.versions():
            places = {5 * q + m: g for q in questions for m, g in enumerate(by_model(q))}
            give(store, doc_qa, name, places, criterion, kind)

    return score
