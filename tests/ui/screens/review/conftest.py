"""Fixtures of the tests of review."""

import pytest

from concord.store import additions, graders
from concord.store.rubrics import rubric_versions
from concord.ui.screens import review
from tests.support.evidence_room import RUBRIC, cut, number, say
from tests.support.made_items import made_item
from tests.support.panels import give, judge


@pytest.fixture
def three_graded(store):
    """Three answers of one question each; gpt passes the two that Ana fails."""
    additions.add(store, "numbers", [made_item(n) for n in range(3)], "n.csv", "0" * 64, {})
    rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
    give(store, rubric, "Ana", {0: 0, 1: 1, 2: 3}, reason="<b>not</b> so")
    judge(store, rubric, "gpt", {0: 3, 1: 3, 2: 3}, reason="fine")
    return rubric


@pytest.fixture
def told(monkeypatch):
    """What the pane was handed last."""
    handed = {}
    monkeypatch.setattr(review, "_component", lambda **given: handed.update(given))
    return handed


@pytest.fixture
def judged_claims(store, ana):
    """Two answers with two claims each; of the second one Ana and the judge differ."""
    rubric_versions.register(store, RUBRIC, "preset")
    made = [made_item(n, answer=f"<b>Answer {n}</b>") for n in range(2)]
    sheet = additions.add(store, "two", made, "t.csv", "2" * 64, {})
    mine = graders.ensure(store, "metric", "mine", "f1")
    for item_id, annotators in ((1, 3), (2, 0)):
        a, b = cut(store, item_id, "One.", "<i>Two.</i>", by=mine)
        say(store, item_id, mine, {a: 3, b: 3}, why="So it says.")
        say(store, item_id, ana, {a: annotators})
        number(store, mine, item_id, 1.0)
    return sheet


@pytest.fixture
def refuted(store, judged_claims):
    """The judge contradicts both claims of the second answer, one with a quote in a context."""
    mine = graders.find(store, "metric", "mine").id
    quote = store.value("select json_extract(contexts, '$[0].text') from items where id = 2")
    units = [row["id"] for row in store.rows("select id from units where item_id = 2 order by id")]
    say(store, 2, mine, {units[0]: 0}, quote=quote[:5], why="It says otherwise.")
    say(store, 2, mine, {units[1]: 0}, quote="Nowhere to be found.")
    found = store.rows(
        "select id from grades where score = 0 and grader_id = ? order by id", [mine]
    )
    return [row["id"] for row in found]


@pytest.fixture
def of_every_kind(store, refuted):
    """Two disagreements, two contradicted claims, and the claims of two answers; gpt and mine."""
    rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
    give(store, rubric, "Ana", {0: 0, 1: 1})
    judge(store, rubric, "gpt", {0: 3, 1: 3})
    return refuted
