"""Fixtures of the tests of rubric runs."""

from pathlib import Path

import pytest

from concord import clock
from concord.judges.definition import prices
from concord.judges.definition.prices import Price
from concord.judges.transport.client import Client
from concord.sampling import split_assignment, splits
from concord.store import grades, items
from concord.store.grades import Press
from tests.support.commandline import judge_file
from tests.support.endpoint import BatchEndpoint, Endpoint
from tests.support.fakejudge import run_rubric
from tests.support.judges.building import PRICE
from tests.support.judges.rubric_runs import prepared, reader


@pytest.fixture
def batch_server():
    with BatchEndpoint() as running:
        yield running


@pytest.fixture
def batch_judge(batch_server, tmp_path):
    return judge_file(tmp_path, batch_server.url)


@pytest.fixture
def half_price(monkeypatch, batch_judge):
    """Half of 2 in, 1 cached and 10 out a million from the local server."""
    found = Price(
        model="m",
        host="127.0.0.1",
        input=2,
        cached=1,
        output=10,
        date=clock.today(),
        source="a test",
    )
    path = Path(batch_judge)
    path.write_text(path.read_text().replace("price = 0\n", ""))
    monkeypatch.setattr(prices, "load", lambda: (found,))


@pytest.fixture
def shown(store, sheet, rubric, ana):
    """The items of two questions, shown as examples, with Ana's grades 0 to 3."""
    rows = [row for row in splits.of_sheet(store, sheet.id) if row["own_id"] in ("000", "001")]
    split_assignment.assign(store, [row["id"] for row in rows], "few-shot", "shown")
    ids = items.item_ids(store, sheet.id)[:6]
    versions = rubric[1].versions().values()
    presses = [
        Press(item_id, version, ana, score=place % 4, reason=f"Because {place}.")
        for place, item_id in enumerate(ids)
        for version in versions
    ]
    grades.record(store, presses)
    return ids


@pytest.fixture
def priced(monkeypatch):
    monkeypatch.setattr(prices, "load", lambda: (PRICE,))


@pytest.fixture
def asked(store, sheet, rubric):
    """A function that runs a judge against a server; returns the number of requests it saw."""
    with Endpoint() as server:

        def run(rule, **more):
            before = len(server.seen)
            job = prepared(store, sheet, rubric, reader(rule, server.url), **more)
            run_rubric(store, job, Client)
            return len(server.seen) - before

        yield run
