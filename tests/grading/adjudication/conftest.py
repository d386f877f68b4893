"""Fixtures of the tests of adjudication."""

import pytest

from concord.grading.adjudications import Part
from concord.store import graders, items
from tests.support.panels import ATLAS, BIRCH, COBALT, give, judge


@pytest.fixture
def disputed(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 3, BIRCH: 2, COBALT: 1, 3: 0})
    give(store, doc_qa, "Ben", {ATLAS: 2, BIRCH: 2, COBALT: 3, 3: None}, reason="Too short.")
    give(store, doc_qa, "Cleo", {ATLAS: 1})
    give(store, doc_qa, "Ben", {ATLAS: 0}, criterion="readability")
    give(store, doc_qa, "Ana", {ATLAS: 1}, criterion="readability")
    judge(store, doc_qa, "gpt", {ATLAS: 0, BIRCH: 0, COBALT: 0}, reason="judged")


@pytest.fixture
def lea(store, sheet):
    return graders.ensure(store, "person", "Lea")


@pytest.fixture
def differing(store, sheet, doc_qa):
    """Ana and Ben give 0 where gpt gives 3; the ids of their grades."""
    give(store, doc_qa, "Ana", {ATLAS: 0, BIRCH: 2})
    give(store, doc_qa, "Ben", {ATLAS: 0, BIRCH: 3})
    judge(store, doc_qa, "gpt", {ATLAS: 3, BIRCH: 3})
    return [row["id"] for row in store.rows("select id from grades where item_id = 1 order by id")]


@pytest.fixture
def parts(store, sheet, doc_qa, disputed):
    """Correctness of the answers by Atlas and Cobalt, on which Ana and Ben differ."""
    ids = items.item_ids(store, sheet.id)
    return [Part(ids[place], doc_qa.versions()["correctness"]) for place in (ATLAS, COBALT)]
