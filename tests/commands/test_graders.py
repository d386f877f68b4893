"""The verb `graders`: prices of judges whose grades were imported."""

import json

import pytest


def listed(run, *words):
    (row,) = json.loads(run("graders", *words, "--json").stdout)["graders"]
    return row["stated_price"]


def test_a_price_is_stated_listed_and_withdrawn(graded_in_a_file):
    assert listed(graded_in_a_file) is None
    found = listed(graded_in_a_file, "--price", "ours=2.5")
    assert (found["per_1000"], found["by"], found["tokens"]) == (2.5, "command line", None)
    assert "$2.50 (stated on" in graded_in_a_file("judges").stdout
    found = listed(graded_in_a_file, "--price", "ours=gpt-4:1000/100")
    assert (found["per_1000"], found["tokens"]["input"]) == (36, 1000)
    assert listed(graded_in_a_file, "--price", "ours=none") is None


@pytest.mark.parametrize(
    ("price", "said"),
    [
        ("ours", "is not of the form JUDGE=PRICE"),
        ("=2", "is not of the form JUDGE=PRICE"),
        ("ours=dear", "is not a price"),
        ("ours=no-such-model:1/2", "no current price for the model"),
        ("nobody=2", "There is no judge “nobody”. Known: ours."),
    ],
)
def test_what_is_no_price_says_what_to_write(graded_in_a_file, price, said):
    assert said in graded_in_a_file("graders", "--price", price, code=2).stderr
    assert listed(graded_in_a_file) is None


def test_an_annotator_who_named_themselves_is_pending(graded_in_a_file):
    graded_in_a_file("disagreements", "--by", "Zoe")
    found = json.loads(graded_in_a_file("graders", "--json").stdout)["graders"]
    assert {row["name"]: row["pending"] for row in found} == {"ours": False, "Zoe": True}
    assert "annotator (pending)" in graded_in_a_file("graders").stdout


def test_an_annotator_is_paused_and_resumed_with_a_reason(graded_in_a_file):
    graded_in_a_file("disagreements", "--by", "Zoe")
    graded_in_a_file("graders", "pause", "Zoe", "--why", "random keys")
    assert "annotator (paused)" in graded_in_a_file("graders").stdout
    again = graded_in_a_file("graders", "pause", "Zoe", code=2).stderr
    assert "Zoe is paused already." in again
    graded_in_a_file("graders", "resume", "Zoe")
    assert "Zoe is not paused." in graded_in_a_file("graders", "resume", "Zoe", code=2).stderr
    assert "graders pause NAME" in graded_in_a_file("graders", "pause", code=2).stderr


def test_who_is_paused_is_listed_without_a_grade_on_the_sheet(graded_in_a_file):
    graded_in_a_file("disagreements", "--by", "Zoe")
    pause = ("graders", "pause", "Zoe", "--sheet", "s", "--json")
    found = json.loads(graded_in_a_file(*pause).stdout)["graders"]
    [zoe] = [row for row in found if row["name"] == "Zoe"]
    assert zoe["paused"] and zoe["grades"] == 0
    assert "Zoe" not in graded_in_a_file("graders", "--sheet", "s").stdout


def test_annotators_are_not_among_the_judges(graded_in_a_file):
    graded_in_a_file("disagreements", "--by", "Zoe")
    used = json.loads(graded_in_a_file("judges", "--json").stdout)["used"]
    assert [row["name"] for row in used] == ["ours"]
