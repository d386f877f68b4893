"""The verb `graders`: prices of judges whose grades were imported."""

import json

import pytest

from tests.support.commandline import ANSWERS, grades_file


@pytest.fixture
def imported(run, tmp_path):
    """A sheet of two answers, graded by a judge in a file."""
    sheet = tmp_path / "s.csv"
    sheet.write_text(f"{ANSWERS}1,q1,Who?,Ana.,m\n2,q2,When?,Now.,m\n", encoding="utf-8")
    run("import", sheet)
    rows = ["1,correctness,ours,judge,2", "2,correctness,ours,judge,3"]
    run("grades", grades_file(tmp_path, rows), "--rubric", "doc-qa-0-3")
    return run


def listed(run, *words):
    (row,) = json.loads(run("graders", *words, "--json").stdout)["graders"]
    return row["stated_price"]


def test_a_price_is_stated_listed_and_withdrawn(imported):
    assert listed(imported) is None
    found = listed(imported, "--price", "ours=2.5")
    assert (found["per_1000"], found["by"], found["tokens"]) == (2.5, "command line", None)
    assert "$2.50 (stated on" in imported("judges").stdout
    found = listed(imported, "--price", "ours=gpt-4:1000/100")
    assert (found["per_1000"], found["tokens"]["input"]) == (36, 1000)
    assert listed(imported, "--price", "ours=none") is None


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
def test_what_is_no_price_says_what_to_write(imported, price, said):
    assert said in imported("graders", "--price", price, code=2).stderr
    assert listed(imported) is None


def test_an_annotator_who_named_themselves_is_pending_until_accepted(imported):
    imported("disagreements", "--by", "Zoe")
    found = json.loads(imported("graders", "--json").stdout)["graders"]
    assert {row["name"]: row["pending"] for row in found} == {"ours": False, "Zoe": True}
    assert "person (pending)" in imported("graders").stdout
    found = json.loads(imported("graders", "accept", "Zoe", "--json").stdout)["graders"]
    assert not any(row["pending"] for row in found)
    assert "There is no annotator “Yan”" in imported("graders", "accept", "Yan", code=2).stderr
    assert "graders accept NAME" in imported("graders", "accept", code=2).stderr
