"""Every command says of five databases what was recorded; `tests.golden` says how and why.

`make golden` records: it runs these tests with RECORD_GOLDEN set, and they write the files.
"""

import json
import os

import pytest

from tests.golden import commands, databases
from tests.golden.commands import COMMANDS, GOLDEN

pytestmark = pytest.mark.usefixtures("half_of_sheets", "steady", "simulated_once")

RECORDING = bool(os.environ.get("RECORD_GOLDEN"))


@pytest.mark.parametrize("database", COMMANDS)
def test_the_commands_say_what_was_recorded(database, golden):
    db, path = golden(database), GOLDEN / f"{database}.json"
    if database == "simulated":
        databases.say(db, "export", "--all", db.parent / "export")
    said = {command: commands.said(db, command) for command in COMMANDS[database]}
    if RECORDING:
        lines = (f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in said.items())
        path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    old = json.loads(path.read_text(encoding="utf-8"))
    apart = list(commands.differences(old, json.loads(json.dumps(said))))
    assert not apart, f"{len(apart)} differences:\n" + "\n".join(apart[:40])


def test_a_difference_is_named_by_its_path():
    old = {"rows": [{"kappa": [0.5, 0.4, 0.6], "n": 3}], "same": None}
    new = {"rows": [{"kappa": [0.5 + 1e-12, 0.4, 0.61], "m": 3}], "same": None}
    assert list(commands.differences(old, new)) == [
        "$.rows[0].kappa[2]: 0.6 was recorded, 0.61 is there",
        "$.rows[0].m: is new",
        "$.rows[0].n: is gone",
    ]


def test_a_document_is_reduced_to_figures_names_and_codes():
    estimate = {"value": None, "low": None, "high": None, "why_code": "few", "why_none": "Too few."}
    document = {"exact": estimate | {"method": "Wilson"}, "sentence": "One of two agrees.", "n": 2}
    assert commands.reduced(document) == {"exact": [None, None, None, "few"], "n": 2}
