"""The command `answers`: what it lists, and what it says of a filter that is none."""

import json


def test_answers_are_searched_filtered_and_sorted(run, sheet):
    words = ("answers", "--model", "atlas", "--sort", "length", "--descending", "--limit", "2")
    found = json.loads(run(*words, "--json").stdout)
    assert (found["sheet"], found["total"], len(found["answers"])) == ("numbers", 12, 2)
    first, second = found["answers"]
    assert first["answer_model"] == "atlas" and first["length"] >= second["length"]
    shown = run("answers", "--search", "000-ATLAS").stdout
    assert "000-atlas" in shown and "1 of 1 answers found." in shown
    assert run("answers", "--search", "no such words").stdout.strip() == "No answer matches."


def test_a_filter_without_a_column_is_one_sentence(run, sheet):
    told = run("answers", "--where", "team", code=2).stderr
    assert "“team” is not a filter. Write --where COLUMN=VALUE." in told
    assert "is not a sort order" in run("answers", "--sort", "size", code=2).stderr


def test_a_column_that_the_sheet_lacks_is_named(run, sheet):
    for words in (("--where", "team=blue"), ("--sort", "column:team")):
        assert "has a column “team”" in run("answers", *words, code=2).stderr


def test_an_offset_beyond_any_sheet_is_refused(run, sheet):
    assert "--offset" in run("answers", "--offset", "9" * 20, code=2).stderr
