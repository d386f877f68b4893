"""The commands graders and prices: stated prices, and the prices of models."""

import json

import pytest


def listed(run, *words):
    (row,) = json.loads(run("graders", *words, "--json").stdout)["graders"]
    return row["stated_price"]


def test_a_price_is_stated_listed_and_withdrawn(graded_in_a_file):
    assert listed(graded_in_a_file) is None
    found = listed(graded_in_a_file, "--price", "ours=2.5")
    assert (found["per_1000"], found["by"]) == (2.5, "command line")
    assert listed(graded_in_a_file, "--price", "ours=none") is None


@pytest.mark.parametrize("price", ["ours", "=2", "ours=dear", "nobody=2"])
def test_what_is_no_price_is_refused(graded_in_a_file, price):
    graded_in_a_file("graders", "--price", price, code=2)
    assert listed(graded_in_a_file) is None


def test_an_annotator_who_named_themselves_is_pending(graded_in_a_file):
    graded_in_a_file("disagreements", "--by", "Zoe")
    found = json.loads(graded_in_a_file("graders", "--json").stdout)["graders"]
    assert {row["name"]: row["pending"] for row in found} == {"ours": False, "Zoe": True}
    assert "annotator (pending)" in graded_in_a_file("graders").stdout


def test_annotators_are_not_among_the_judges(graded_in_a_file):
    graded_in_a_file("disagreements", "--by", "Zoe")
    used = json.loads(graded_in_a_file("judges", "--json").stdout)["used"]
    assert [row["name"] for row in used] == ["ours"]


def test_it_lists_the_prices_that_apply_and_those_of_one_model(store, run, own_prices):
    own_prices.write_text(
        '[[price]]\nmodel = "gpt-4"\ninput = 7\noutput = 8\ndate = 2026-11-25\nsource = "mine"\n'
    )
    (only,) = json.loads(run("prices", "--model", "gpt-4", "--json").stdout)["prices"]
    assert (only["input"], only["cached"], only["source"]) == (7.0, None, "mine")
    assert "gpt-4o-mini" in run("prices").stdout
