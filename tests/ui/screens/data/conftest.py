"""The sheets screen, opened on a database."""

import pytest

from concord.building.drafts import Words
from concord.store import additions
from tests.support import screens
from tests.support.browsed_items import checked, item
from tests.support.exports import graded_traces
from tests.support.judges.building import proposed

TEXT = "The harbour opens at six in the morning. Boats wait until the signal is green."


@pytest.fixture
def port(store):
    """A sheet that is being built, with two drafts that wait and one that is faulty."""
    words = Words("When does it open?", "At six.", "opens at six in the morning")
    other = words._replace(question="What do boats wait for?", quote=TEXT[41:])
    proposed(store, "port", TEXT, words, other, words._replace(quote="opens at seven sharp"))


@pytest.fixture
def big_sheet(store):
    """A sheet of 120 answers with contexts and columns of its own; ids are 1 to 120."""
    made = [item(number) for number in range(120)]
    return additions.add(store, "big", made, "big.jsonl", "ab" * 32, {})


@pytest.fixture
def browse(store, big_sheet, monkeypatch):
    """Opens the sheets screen with a query."""
    return lambda **query: checked(
        screens.opened(monkeypatch, store.path, "pages/data.py", **query)
    )


@pytest.fixture
def traces(store):
    """Three answers with grades by Ana, Ben and a judge, two of them known to other tools."""
    return graded_traces(store)
