"""One document, three renderers."""

import json
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from concord.messages import said
from concord.reports import terminal
from concord.reports.cells import constants, shown, written
from concord.reports.cells import undefined as missing
from concord.reports.document import FLAT, OPTIONAL, Column, Document, Table, as_json
from concord.stats.core.estimate import Estimate, undefined
from concord.ui.render import unrounded


@dataclass(frozen=True)
class Result:
    agreement: Estimate
    names: tuple[str, ...]
    n: int


TABLE = Table(
    "judges",
    (Column("judge"), Column("n", "count"), Column("exact", "share"), Column("bias", "difference")),
    (
        ("gpt-4", 1200, Estimate(0.5, 0.4, 0.6, "m"), -0.004),
        ("baseline", 7, undefined("no answer was graded"), None),
    ),
)


def test_a_cell_is_written_by_its_kind():
    assert written(0.125, "share") == "12%"
    assert written(1.5, "number") == "1.50"
    assert written(0.0521, "bound") == "5.3%"
    assert written(-0.0003, "points") == "0.0"
    assert written(Estimate(-0.012, -0.069, 0.044, "m"), "points") == "-1.2 [-6.9, +4.4]"
    assert written(-0.004, "difference") == "+0.00"
    assert written(1234.5, "usd") == "$1,234.50"
    assert written(None, "share") == written(undefined("none"), "share") == "—"
    assert written(Estimate(0.5, 0.4, 0.6, "m"), "share") == "50% [40, 60]"
    assert written(1200, "count") == 1200
    assert (written(0.0004, "p"), written(0.4921, "p")) == ("< 0.001", "0.492")
    assert [written(one, "precise") for one in (80.0, 79.25, 2322, 0.00001182, -0.5, 0)] == [
        *("80", "79.25", "2,322", "0.00001182", "-0.5", "0")
    ]


def test_the_terminal_shows_every_part_once_and_no_empty_table():
    document = Document(
        "It agrees.", ("n is small.",), (TABLE, Table("none", (), ())), ("A note.",)
    )
    lines = terminal.text(document).splitlines()
    assert lines[:2] == ["It agrees.", "n is small."] and lines[-1] == "A note."
    assert "gpt-4     1,200  50% [40, 60]" in terminal.text(document)


@dataclass(frozen=True)
class Mapped:
    estimate: Estimate = field(metadata=FLAT)
    from_: int


def test_a_flat_estimate_gives_its_parts_and_a_trailing_underscore_is_python_s_alone():
    made = Mapped(Estimate(0.5, why_none="few"), from_=1)
    assert as_json(made) == {**Estimate(0.5, why_none="few")._asdict(), "from": 1}


@dataclass(frozen=True)
class Row:
    judge: str
    by_key: dict[str, Estimate] = field(metadata=FLAT)
    more: int | None = field(default=None, metadata=OPTIONAL)
    units: str | None = None


def test_in_json_a_flat_field_gives_its_keys_and_an_optional_one_is_left_out_where_none():
    half = Estimate(0.5, why_none="few")
    assert as_json(Row("gpt", {"exact": half})) == {
        "judge": "gpt",
        "exact": half._asdict(),
        "units": None,
    }
    assert as_json(Row("gpt", {}, more=3))["more"] == 3


def test_a_table_says_once_what_is_the_same_or_undefined_in_every_row():
    none = undefined("one annotator")
    columns = (
        *map(Column, ("judge", "criterion", "note")),
        Column("answers", "count"),
        Column("exact", "share"),
        Column("alpha", "number"),
    )
    rows = (("a", "clarity", "", 120, 0.5, none), ("b", "clarity", "", 120, 0.5, none))
    table = Table("t", columns, rows)
    assert shown(table) == (["judge", "exact"], [["a", "50%"], ["b", "50%"]])
    assert constants(table) == "criterion: clarity · answers: 120"
    assert missing(table) == ("One annotator.",)
    assert shown(Table("t", columns, rows[:1]))[0] == ["judge", "criterion", "answers", "exact"]


def test_json_is_made_of_plain_values():
    made = as_json(Result(Estimate(0.5, why_none="few"), (said("a {n}", n=1),), np.int64(3)))
    assert made == {
        "agreement": {"value": 0.5, "low": None, "high": None, "method": "", "why_none": "few"},
        "names": ["a 1"],
        "n": 3,
    }
    assert type(made["n"]) is int and json.loads(json.dumps(made)) == made


def test_what_is_downloaded_is_unrounded_with_the_reason_for_what_is_missing():
    whole = unrounded(TABLE)
    assert whole["exact low"][0] == 0.4 and pd.isna(whole["exact"][1])
    assert whole["exact undefined because"][1] == "no answer was graded"
