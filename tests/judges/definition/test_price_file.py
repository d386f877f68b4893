"""The user's price file: what is added is read again, and nothing else changes."""

import datetime
from decimal import Decimal

import pytest

from concord.judges.definition.price_file import append
from concord.judges.definition.prices import Price, load
from concord.messages import Problem

DAY = datetime.date(2026, 11, 20)


def test_an_entry_is_written_as_it_is_read_and_earlier_ones_stay(tmp_path, monkeypatch):
    path = tmp_path / "prices.toml"
    monkeypatch.setenv("CONCORD_PRICES", str(path))
    path.write_text('# mine\n[[price]]\nmodel = "a"\ninput = 1\noutput = 2\ndate = 2026-01-01\n')
    with path.open("a") as file:
        file.write('source = "contract"')
    before = path.read_text()
    made = Price(
        model='b "x"',
        host="llm.example.org:8000",
        input="0.042",
        output=Decimal("1E+1"),
        decisions=True,
        until=DAY,
        date=DAY,
        source="there",
    )
    assert append([made, made]) == path
    assert path.read_text().startswith(before)
    assert load(path)[1:] == (made, made)


def test_a_wrong_price_file_is_not_made_longer(tmp_path, monkeypatch):
    path = tmp_path / "prices.toml"
    monkeypatch.setenv("CONCORD_PRICES", str(path))
    path.write_text("[[price]]\nmodell = 1\n")
    with pytest.raises(Problem, match="modell"):
        append([Price(model="a", input=1, output=1, date=DAY, source="s")])
    assert path.read_text() == "[[price]]\nmodell = 1\n"
