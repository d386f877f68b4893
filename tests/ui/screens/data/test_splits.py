"""The splits screen without a browser."""

from concord.model import HELD_OUT
from concord.sampling import split_assignment, splits
from concord.store import grades, items
from tests.support.screens import opened

PAGE = "pages/splits.py"


def shown(monkeypatch, store, **query):
    app = opened(monkeypatch, store.path, PAGE, **query)
    assert not app.exception
    return app


def test_what_would_leak_is_refused_on_the_screen_with_its_reason(monkeypatch, store, sheet):
    question = splits.of_sheet(store, sheet.id)[0]["id"]
    grades.open_item(store, items.item_ids(store, sheet.id)[0], None)
    app = shown(monkeypatch, store)
    app.multiselect[0].select(question).run()
    app.radio(key="splits.split").set_value("few-shot").run()
    assert "favour judges" in app.error[0].value
    assert not [button for button in app.button if button.key == "splits.give"]


def test_a_split_given_by_hand_is_kept_with_its_reason(monkeypatch, store, sheet):
    question = splits.of_sheet(store, sheet.id)[0]["id"]
    app = shown(monkeypatch, store)
    app.multiselect[0].select(question).run()
    app.text_input(key="splits.why").input("for the prompt").run()
    assert any("effect" in one.value for one in app.table)  # no column scrolls out of sight
    app.button(key="splits.give").click().run()
    assert not app.exception
    assert app.multiselect[0].value == [] and app.text_input(key="splits.why").value == ""
    row = store.row("select question_id, role, why from question_roles")
    assert tuple(row) == (question, "examples", "for the prompt")


def test_a_sealed_answer_is_closed_on_the_screen_of_judges(monkeypatch, sample_store):
    first = items.item(sample_store, items.item_ids(sample_store, 1)[0]).question_id
    family = [row["id"] for row in splits.of_sheet(sample_store, 1) if row["cluster"] == "fares"]
    split_assignment.assign(sample_store, family, HELD_OUT, "kept")
    assert first in family
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up")
    query = {"judge": "gpt-6-luna-zero-shot", "show": "Replies"}
    app = opened(monkeypatch, sample_store.path, "pages/judges.py", **query)
    assert not any("not replied" in info.value for info in app.info)
