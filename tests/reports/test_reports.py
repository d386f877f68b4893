"""Answers to questions that a model wrote are marked in every report, screen and export."""

import csv
import json

import pytest

from concord.store import sheets

pytestmark = pytest.mark.usefixtures("simulated_once")
MARK = "12 of 192 answers synthetic"


def test_a_sheet_says_how_many_of_its_answers_are_synthetic(marked, run):
    assert sheets.chosen(marked, "sample").synthetic_words() == MARK
    assert json.loads(run("sheets", "--json").stdout)["sheets"][0]["synthetic"] == 12
    listed = run("sheets").stdout.splitlines()
    assert listed[0].split()[:4] == ["sheet", "answers", "questions", "synthetic"]


CAREFUL = "simulated-careful-judge"
OTHERS = [
    ("choose", "--against", CAREFUL),
    ("gate", "--judge", CAREFUL, "--exact", "0.01"),
    ("cascade",),
    ("disagreements",),
    ("compare",),
    ("ranking",),
    ("agreement",),
]


@pytest.mark.parametrize("words", OTHERS[:4], ids=lambda words: words[0])
def test_a_document_of_every_verb_says_so_itself(marked, run, words):
    document = json.loads(run(*words, "--json").stdout)
    assert document.get("synthetic") == 12 or MARK in json.dumps(document)


def test_an_export_marks_every_one(marked, run, tmp_path):
    run("export", tmp_path / "out")
    with (tmp_path / "out" / "items.csv").open(encoding="utf-8-sig") as file:
        assert sum(row["synthetic"] == "1" for row in csv.DictReader(file)) == 12
