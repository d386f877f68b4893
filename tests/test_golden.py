"""Every command and page says of five databases what was recorded; `golden` says how and why.

`make golden` records: it runs these tests with RECORD_GOLDEN set, and they write the files.
"""

import gzip
import json
import os
import re
import shutil
from dataclasses import asdict
from pathlib import Path

import pytest
import streamlit as st

from concord.stats.core.estimate import reason
from concord.store.schema.migrations import STEPS
from tests.golden import commands, databases, pages
from tests.golden.commands import GOLDEN
from tests.support.screens import PAGES, opened

pytestmark = pytest.mark.usefixtures("quarter_of_sheets", "steady", "simulated_once")

# Of the stored database the figures are held; the words of today's commands are held elsewhere, and
# a reason that had no code may get one.
REWORDED = re.compile(
    r": ['\"].* was recorded, and ['\"].* is there$|sentences: \d+ entries.*|: is new$"
    r"|why_code: None was recorded, and '\w+' is there$"
)
# How Python writes an object of a class, such as `Reason(code='no_variation', values=())`, which no
# reader should see; and how JSON does a reason that was not put into words.
OBJECT = re.compile(r"\b[A-Z]\w+\([a-z_]+=|<[\w.]+ object at 0x|\"code\": \"\w+\",\s+\"values\":")
RECORDING = bool(os.environ.get("RECORD_GOLDEN"))
COMMANDS = [(database, name) for database in databases.DATABASES for name in commands.of(database)]
SCREENS = [(database, page) for database in databases.DATABASES for page in PAGES]


def hold(found: dict) -> None:
    """Hold what was said against the record, or record it."""
    for path, text in found.items():
        if RECORDING:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        old = path.read_text(encoding="utf-8")
        if path.suffix == ".json":
            apart = list(commands.differences(json.loads(old), json.loads(text)))
            assert not apart, f"{path.name}:\n" + "\n".join(apart[:20])
        else:
            assert text == old, f"{path.name} differs; `make golden` records it anew"


@pytest.mark.parametrize(("database", "name"), COMMANDS)
def test_a_command_says_what_was_recorded(database, name, golden):
    db = golden(database)
    if name == "verify" and not (db.parent / "export").exists():
        databases.say(db, "export", db.parent / "export")
    hold(commands.recorded(database, name, db))


@pytest.mark.parametrize(("database", "page"), SCREENS)
def test_a_page_says_what_was_recorded(database, page, golden, tmp_path, monkeypatch):
    db = shutil.copy(golden(database), tmp_path / "concord.db")
    folded = st.expander  # what is folded away is read too
    monkeypatch.setattr(st, "expander", lambda *a, **more: folded(*a, **more | {"expanded": True}))
    app = opened(monkeypatch, db, page)
    assert not app.exception
    hold(pages.recorded(database, page, app, tmp_path))


def figures(db) -> dict:
    """The figures of the stored database, by sheet and command, as its record holds them."""
    return {
        f"{sheet}: {command}": databases.say(db, *command.split(), "--sheet", sheet)
        for sheet, found in databases.FIGURES.items()
        for command in found
    }


def test_the_stored_database_opens_is_copied_and_gives_the_same_figures(tmp_path, monkeypatch):
    """A further step stands for those to come: each must leave every figure as it is."""
    db, packed, record = tmp_path / "concord.db", GOLDEN / "fixture.db.gz", GOLDEN / "fixture.json"
    if RECORDING and not packed.exists():
        databases.build_fixture(packed, tmp_path)
        db.write_bytes(gzip.decompress(packed.read_bytes()))
        text = json.dumps(figures(db), ensure_ascii=False, indent=1)
        record.write_text(text + "\n", encoding="utf-8")
    db.write_bytes(gzip.decompress(packed.read_bytes()))
    monkeypatch.setattr("concord.store.database.STEPS", (*STEPS, "create table later (id integer)"))
    found = figures(db)
    assert len(list(tmp_path.glob("concord.version-*.db"))) == 1
    old = json.loads(record.read_text(encoding="utf-8"))
    apart = commands.differences(old, found)
    assert [one for one in apart if not REWORDED.search(one)] == []


def test_no_record_is_left_of_what_is_recorded_no_more():
    named = {GOLDEN / d / f"{n}{end}" for d, n in COMMANDS for end in (".txt", ".json")}
    named |= {GOLDEN / d / Path(page).with_suffix(".txt") for d, page in SCREENS}
    lying = {path for d in databases.DATABASES for path in (GOLDEN / d).rglob("*.*")}
    for path in lying - named if RECORDING else ():
        path.unlink()
    assert RECORDING or lying <= named


def test_no_record_shows_an_object_in_place_of_its_words():
    shown = [
        f"{path.relative_to(GOLDEN)}: {found.group()}"
        for database in databases.DATABASES
        for path in sorted((GOLDEN / database).rglob("*.*"))
        for found in OBJECT.finditer(path.read_text(encoding="utf-8"))
    ]
    assert shown == []


@pytest.mark.parametrize(
    "text",
    [
        repr(reason("no_variation")),
        f"No interval: {reason('no_variation')}.",
        json.dumps(asdict(reason("no_variation")), indent=1),
        "<object object at 0x7f30b03330f0>",
    ],
)
def test_an_object_is_told_from_words(text):
    assert OBJECT.search(text)


def test_a_difference_is_named_by_its_path_and_a_renamed_key_is_none():
    old = {"rows": [{"kappa": 0.5, "n": 3}], "same": None}
    new = {"rows": [{"kappa": 0.5 + 1e-14, "answers": 3}], "same": None}
    assert list(commands.differences(old, new, {"n": "answers"})) == []
    new["rows"][0]["kappa"] = 0.5000001
    assert list(commands.differences(old, new, {"n": "answers"})) == [
        "$.rows[0].kappa: 0.5 was recorded, and 0.5000001 is there"
    ]
