"""Fixtures of the tests of the grading pages."""

import numpy as np
import pytest

from concord.grading import grading_sets
from concord.model import Cell
from concord.store import additions, graders
from concord.store.permissions import GRADER, LEAD, VIEWER
from concord.store.rubrics import rubric_versions
from concord.store.units import units
from concord.team import members
from tests.support.made_items import made_item
from tests.support.panels import HONEST, give, honest, judge
from tests.support.screens import opened, sign_in_as


@pytest.fixture
def labelling(store, sheet):
    """A set of claims; three of its 36 answers are taken apart."""
    rubric_id, _ = rubric_versions.named(store, "claims-in-contexts")
    judge = graders.ensure(store, "metric", "rag-metrics", "f" * 16)
    for (item_id,) in store.rows("select id from items order by id limit 3"):
        units.keep(store, item_id, "claim", [Cell("五味子味酸。", 0), Cell("It is old.", 1)], judge)
    return grading_sets.create(store, sheet.id, rubric_id, "Claims", None, seed=1, repeat_share=0)


@pytest.fixture
def judged_forty(store, rubric):
    """Forty questions with two answers each, a judge that fails ten answers, and no annotator."""
    made = [made_item(n, m) for n in range(40) for m in ("atlas", "birch")]
    sheet = additions.add(store, "numbers", made, "numbers.csv", "0" * 64, {})
    judge(store, rubric[1], "alpha", {n: 0 if n % 8 == 0 else 3 for n in range(80)})
    return sheet


@pytest.fixture
def pilot(store, judged_forty, rubric):
    """`judged_forty`, graded by Ana; `alpha` and `beta` differ from her in every ninth answer."""
    every = {n: (3, 2, 0, 1)[n % 4] for n in range(80)}
    give(store, rubric[1], "Ana", every)
    for name, start in (("alpha", 0), ("beta", 5)):
        wrong = {n: 3 - s if n % 9 == start else s for n, s in every.items()}
        judge(store, rubric[1], name, wrong)


@pytest.fixture
def with_eve(store, rubric):
    """Forty questions, four honest annotators, and Eve, who presses at random."""
    random = np.random.default_rng(14)
    sheet = additions.add(store, "n", [made_item(n) for n in range(40)], "n.csv", "0" * 64, {})
    truth = random.choice((0, 1, 2, 3), 40, p=(0.1, 0.15, 0.25, 0.5))
    rows = {name: honest(random, truth, 0.3) for name in HONEST}
    rows["Eve"] = random.integers(0, 4, 40)
    for name, scores in rows.items():
        give(store, rubric[1], name, dict(enumerate(map(int, scores))))
    return sheet


@pytest.fixture
def team_sets(store, sheet, rubric):
    """Two grading sets, the first of them open to Ann."""
    for name, role in (("Lea", LEAD), ("Ann", GRADER), ("Vi", VIEWER)):
        members.add(store, name, role, "test")
    made = [grading_sets.create(store, sheet.id, rubric[0], f"Set {n}", 2, n) for n in (1, 2)]
    grading_sets.join(store, made[0], members.named(store, "Ann").grader_id, "Lea")
    return made


@pytest.fixture
def as_whom(store, team_sets, monkeypatch):
    """Opens a screen, the tab Grade unless another is named, as a member who signed in."""

    def open_as(name, page="pages/grade.py", **query):
        sign_in_as(monkeypatch, members.named(store, name).who())
        return opened(monkeypatch, store.path, page, **query)

    return open_as
