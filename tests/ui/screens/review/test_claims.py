"""The claims of a review without a browser: what is shown, who saw it, editing and approving."""

from concord.sampling import split_assignment
from concord.store import additions, graders
from concord.store.units import units
from tests.support.evidence_room import number
from tests.support.made_items import made_item
from tests.support.screens import opened

PAGE = "pages/review.py"


def openings(store):
    rows = store.rows("select item_id, grader_id from openings order by id")
    return {tuple(row) for row in rows}


def test_the_answer_graders_differ_on_is_shown_first_and_that_it_was_seen_is_noted(
    monkeypatch, store, judged_claims, told
):
    app = opened(monkeypatch, store.path, PAGE, list="claims")
    assert not app.exception
    assert told["data"]["at"] == "claims.2" and openings(store) == {(2, None), (1, None)}
    more = told["data"]["more"]["claims.2"]
    first, second = more["units"]
    assert first["differs"] and not second["differs"]
    assert [one["who"] for one in first["said"]] == ["Ana", "mine"]
    assert second["text"] == "<i>Two.</i>"
    assert more["parts"][0] == {
        "name": "Answer",
        "segments": [{"text": "<b>Answer 1</b>", "units": []}],
    }


def test_a_long_list_is_shown_and_noted_a_page_at_a_time(monkeypatch, store, told):
    made = [made_item(n) for n in range(45)]
    additions.add(store, "long", made, "l.csv", "5" * 64, {})
    mine = graders.ensure(store, "metric", "mine", "f1")
    for item_id in range(1, 46):
        number(store, mine, item_id, item_id / 45)
    opened(monkeypatch, store.path, PAGE, list="claims")
    assert len(told["data"]["entries"]) == len(openings(store)) == 20
    assert [*told["data"]["more"]] == ["claims.1", "claims.2"]  # the one in sight and its neighbour
    opened(monkeypatch, store.path, PAGE, list="claims", entry="claims.21")
    assert (told["data"]["page"], told["data"]["at"]) == (2, "claims.21")
    assert len(told["data"]["entries"]) == 20 and len(openings(store)) == 40
    assert [*told["data"]["more"]] == ["claims.21", "claims.22"]


def test_a_sealed_answer_stays_closed_also_by_its_link(monkeypatch, store, judged_claims, told):
    question = store.value("select question_id from items where id = 2")
    split_assignment.assign(store, [question], "held-out", "for later")
    opened(monkeypatch, store.path, PAGE, list="claims", entry="claims.2")
    assert told["data"]["at"] == "claims.1" and (2, None) not in openings(store)


def test_a_person_approves_and_edits_the_list(monkeypatch, store, judged_claims, told, ana):
    app = opened(monkeypatch, store.path, PAGE, list="claims", grader="Ana", entry="claims.2")
    app.button(key="beside.show").click().run()
    app.button(key="evidence.approve.claim").click().run()
    old = units.current(store, [2], "claim")[2]
    assert old.approved_by == (ana,)
    lines = app.text_area(key=f"evidence.lines.{old.id}")
    assert lines.value == "One.\n<i>Two.</i>"
    lines.set_value("One and a half.\n<i>Two.</i>").run()
    lost = next(one.value for one in app.dataframe if "verdicts by" in one.value)
    assert lost["verdicts by"].tolist() == ["annotators", "judges"]
    app.button(key="evidence.save.claim").click().run()
    assert not app.exception
    made = units.current(store, [2], "claim")[2]
    assert made.units[1].id == old.units[1].id and made.approved_by == (ana,)
