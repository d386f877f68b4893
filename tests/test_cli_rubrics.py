"""The rubric of a report where none is named: that of the annotators, whatever judges ran with."""

import csv
import json

import pytest

from tests.support.commandline import grades_file

REPORTS = [
    ("agreement",),
    ("annotators",),
    ("ranking",),
    ("choose", "--against", "simulated-careful-judge"),
    ("disagreements", "--judge", "simulated-careful-judge"),
    ("gate", "--judge", "simulated-careful-judge", "--exact", "0.1"),
    ("compare",),
    ("plan",),
]


def graded_again(run, folder, grader, kind):
    """Grade every answer of the sample on the scale of 0 to 10 too."""
    run("export", folder / "out")
    with (folder / "out" / "items.csv").open(encoding="utf-8-sig") as file:
        items = [row["item_id"] for row in csv.DictReader(file)]
    rows = [f"{item},correctness,{grader},{kind},{n % 11}" for n, item in enumerate(items)]
    run("grades", grades_file(folder, rows), "--rubric", "doc-qa-0-10")


@pytest.mark.parametrize("words", REPORTS, ids=lambda words: words[0])
def test_a_judge_on_another_scale_leaves_every_report_at_the_annotators_rubric(
    sampled, tmp_path, words
):
    graded_again(sampled, tmp_path, "wide", "judge")
    told = sampled(*words, "--json")
    assert told.stderr.count("doc-qa-0-3") == 1 and "doc-qa-0-10" not in told.stderr
    json.loads(told.stdout)


@pytest.mark.parametrize("words", REPORTS, ids=lambda words: words[0])
def test_two_rubrics_of_annotators_are_listed_and_one_is_asked_for(sampled, tmp_path, words):
    graded_again(sampled, tmp_path, "Bo", "annotator")
    told = sampled(*words, code=2).stderr
    assert "doc-qa-0-3, doc-qa-0-10" in told and "--rubric" in told
    sampled(*words, "--rubric", "doc-qa-0-3")


def test_an_export_has_the_figures_of_the_annotators_rubric_alone(sampled, tmp_path):
    graded_again(sampled, tmp_path, "wide", "judge")
    sampled("export", tmp_path / "again")
    for file in ("agreement.json", "ranking.json"):
        parts = json.loads((tmp_path / "again" / file).read_text(encoding="utf-8"))
        assert {row["rubric"] for rows in parts.values() for row in rows} == {"doc-qa-0-3"}
