"""Fixtures of the tests of metrics."""

import json

import numpy as np
import pytest

from concord import metrics
from concord.store import additions, graders
from concord.store.rubrics import rubric_versions
from tests.support.found_values import COUNT, found
from tests.support.made_items import made_item
from tests.support.measured_sets import give
from tests.support.own_metrics import PYTHON, TOML
from tests.support.panels import give as grade


@pytest.fixture
def tea(store):
    """Sixty answers of two answering models with two metrics."""
    made = [made_item(n, m) for n in range(30) for m in ("atlas", "birch")]
    sheet = additions.add(store, "tea", made, "t.csv", "1" * 64, {})
    values = np.random.default_rng(1).uniform(size=60)
    give(store, sheet.id, "vera_faithfulness", np.round(values))
    give(store, sheet.id, "faithfulness", values)
    return sheet


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
def measured_db(store):
    """36 answers by two models; faithfulness rises with Ana's grades and is .9 under `lenient`."""
    made = [made_item(n // 2, "atlas" if n % 2 else "birch") for n in range(COUNT)]
    sheet = additions.add(store, "many", made, "m.csv", "6" * 64, {})
    _, rubric = rubric_versions.named(store, "doc-qa-0-3")
    grade(store, rubric, "Ana", {n: n % 4 for n in range(COUNT)})
    mine = graders.ensure(store, "metric", "mine", "f1")
    found(store, mine, "faithfulness", {"support": "strict"}, [n % 4 / 4 for n in range(COUNT)])
    found(store, mine, "document_precision", {}, [n % 3 / 3 for n in range(COUNT)])
    return store.path, sheet


@pytest.fixture
def own_metrics(tmp_path, monkeypatch):
    """The user's folder with both files of the page."""
    mine = tmp_path / "my_metrics"
    mine.mkdir()
    (mine / "tone.toml").write_text(TOML, encoding="utf-8")
    (mine / "names_the_source.py").write_text(PYTHON, encoding="utf-8")
    monkeypatch.setenv(metrics.OWN_FOLDER, str(mine))
    return mine
