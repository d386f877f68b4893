"""Excluding an annotator is stored per sheet, and every figure, command and export follows it."""

import json

import pandas as pd

from tests.support.panels import HONEST

# What a command reports that Eve's grades change.
FIGURES = {
    "agreement": "rows",
    "ranking": "models",
    "annotators": "criteria",
    "disagreements": "total",
    "compare": "variants",
    "plan": "pilot",
    "choose --against dear": "judges",
    "gate --judge dear --exact .1": "checks",
    "adjudicate": "n",
}
WITHOUT_EVE = [word for name in HONEST for word in ("--annotators", name)]


def test_every_command_and_export_follows_an_exclusion(with_eve, run, tmp_path):
    def figures():
        found = {}
        for words, key in FIGURES.items():
            told = json.loads(run(*words.split(), "--json").stdout)
            found[words] = (told[key], [*told.get("uncounted", {})])
        return found

    run("annotators", "--exclude", "Eve", "--why", "presses at random")
    excluded = figures()
    out = tmp_path / "out"
    run("export", out, "--all")
    run("annotators", "--include", "Eve")
    included = figures()
    for words, (found, uncounted) in excluded.items():
        assert (uncounted, included[words][1]) == (["Eve"], []), words
        assert found != included[words][0], words
    for words in ("agreement", "ranking", "disagreements", "compare"):
        told = json.loads(run(words, *WITHOUT_EVE, "--json").stdout)
        assert excluded[words][0] == told[FIGURES[words]], words
    assert "presses at random" in (out / "annotator_states.csv").read_text("utf-8-sig")
    grades = pd.read_csv(out / "grades.csv")
    assert {*grades[grades["excluded"] == 1]["grader"]} == {"Eve"}
    exported = json.loads((out / "agreement.json").read_text())
    assert (exported["rows"][0]["annotators"], len(exported["uncounted"])) == (len(HONEST), 1)
