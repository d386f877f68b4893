"""Fixtures of the tests of metrics: those of docs/own-metric.md, and a sheet for them."""

import json

import pytest

from concord import metrics
from tests.support.own_metrics import PYTHON, TOML


@pytest.fixture
def sheet_of_two(run, tmp_path):
    rows = [
        {
            "id": f"q{n}",
            "question": f"Why {n}?",
            "answer": "See d1.",
            "contexts": ["x", "y"],
            "retrieved_doc_ids": ["d1", "d2"],
            "turns": [{"role": "user", "content": "An earlier word."}],
        }
        for n in range(2)
    ]
    path = tmp_path / "two.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    run("import", path)


@pytest.fixture
def own_metrics(tmp_path, monkeypatch):
    """The user's folder with both files of the page."""
    mine = tmp_path / "my_metrics"
    mine.mkdir()
    (mine / "tone.toml").write_text(TOML, encoding="utf-8")
    (mine / "names_the_source.py").write_text(PYTHON, encoding="utf-8")
    monkeypatch.setenv(metrics.OWN_FOLDER, str(mine))
    return mine
