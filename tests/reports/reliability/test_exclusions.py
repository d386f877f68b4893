"""Excluding an annotator is stored per sheet, and every figure, command and export follows it."""

import json

import numpy as np
import pandas as pd
import pytest

from concord.store import additions
from tests.support.made_items import made_item
from tests.support.panels import HONEST, SCALE, give, honest, judge
from tests.support.simulated_plans import few_sheets

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


@pytest.fixture
def with_eve(store, rubric, monkeypatch):
    """Twelve questions of two answers, graded by honest annotators and by Eve, at random."""
    few_sheets(monkeypatch, 2)
    random = np.random.default_rng(14)
    made = [made_item(n, model) for n in range(12) for model in ("atlas", "birch")]
    additions.add(store, "numbers", made, "numbers.csv", "0" * 64, {})
    errors = dict.fromkeys(HONEST, 0.3) | {"Eve": 4, "dear": 0.15, "cheap": 0.2}
    for criterion in rubric[1].versions():
        truth = random.choice(SCALE, 24)
        for name, error in errors.items():
            by = give if error > 0.2 else judge
            scores = dict(enumerate(map(int, honest(random, truth, error))))
            by(store, rubric[1], name, scores, criterion=criterion)


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
    run("export", out)
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
