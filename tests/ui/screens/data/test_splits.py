"""The splits screen without a browser."""

import json

from concord.grading import grading_sets
from concord.model import HELD_OUT
from concord.sampling import holdout, split_assignment, splits
from concord.store import additions, grades, items
from tests.support.made_items import made_item
from tests.support.screens import opened, said

PAGE = "pages/splits.py"


def shown(monkeypatch, store, **query):
    app = opened(monkeypatch, store.path, PAGE, **query)
    assert not app.exception
    return app


def test_a_draw_is_said_before_it_is_made_and_is_the_one_that_was_said(monkeypatch, sample_store):
    app = shown(monkeypatch, sample_store)
    assert "All 64 questions of “sample” are for evaluation" in app.header[0].value
    assert "17 questions move to the held-out test: no figure counts them" in app.info[0].value
    effect = next(one.value for one in app.table if "effect" in one.value)
    assert effect.columns.tolist() == ["effect", "excluded from all figures"]  # narrow
    assert effect.values.tolist()[:2] == [["questions", "17"], ["answers", "51"]]
    assert "Clusters are sampled whole, hence 17 and not 16." in said(app)
    assert not splits.held_out(sample_store, 1)
    assert "fewer than 20 held-out" in said(app)
    app.button(key="splits.hold-out.0").click().run()
    assert not app.exception
    assert len(splits.held_out(sample_store, 1)) == 17
    assert "move to the held-out test" in app.success[0].value
    assert "17 held out" in app.header[0].value
    assert "fewer than 20 held-out" not in said(app)  # 17 and those of the next draw


def test_a_second_click_on_the_button_of_a_draw_seals_nothing_more(monkeypatch, sample_store):
    app = shown(monkeypatch, sample_store).run()  # AppTest finds the frame in the first run alone
    button = app.button(key="splits.hold-out.0")
    assert not app.expander or all("Hold out more" not in one.label for one in app.expander)
    app = button.click().run()
    folded = next(one for one in app.expander if one.label == "Hold out more than these 17")
    assert not folded.proto.expanded
    assert "splits.hold-out.0" not in [one.key for one in app.button]
    app = button.click().run()  # the browser sends it while the first one is being sealed
    assert len(splits.held_out(sample_store, 1)) == 17


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
    assert "1 question moves to the few-shot pool" in app.success[0].value
    row = store.row("select question_id, role, why from question_roles")
    assert tuple(row) == (question, "examples", "for the prompt")


def test_a_move_says_beforehand_what_a_shared_cluster_takes_and_which_are_in_sets(
    monkeypatch, store, sheet, rubric
):
    first, second = [row["id"] for row in splits.of_sheet(store, sheet.id)][:2]
    with store.write():
        store.execute("update questions set cluster = 'x' where id in (?, ?)", (first, second))
    grading_sets.create(store, sheet.id, rubric[0], "one", 1, 1)
    app = shown(monkeypatch, store)
    marked = [one for one in app.multiselect[0].options if "in a grading set" in one]
    assert len(marked) == 1
    app.multiselect[0].select(first).run()
    more = "1 more question is excluded from the figures: it shares a text or cluster"
    assert more in said(app)
    app.button(key="splits.give").click().run()
    assert more in app.success[0].value


def test_openings_are_listed_and_what_was_opened_before_is_told(monkeypatch, store, sheet):
    questions = [row["id"] for row in splits.of_sheet(store, sheet.id)]
    split_assignment.assign(store, questions[:2], HELD_OUT, "kept")
    for why in ("certificate of gpt", "certificate of llama"):
        holdout.open_held_out(store, sheet, why, who="Ana")
    app = shown(monkeypatch, store)
    listed = next(one.value for one in app.dataframe if "opened for" in one.value)
    assert listed["opened for"].tolist() == ["certificate of gpt", "certificate of llama"]
    assert listed["opened before"].tolist() == [0, 2]


def test_a_question_tied_to_a_sealed_one_is_said_to_be_out(monkeypatch, store):
    first = additions.add(store, "first", [made_item(1), made_item(2)], "f.csv", "0" * 64, {})
    split_assignment.assign(store, [splits.of_sheet(store, first.id)[0]["id"]], HELD_OUT, "kept")
    additions.add(store, "later", [made_item(1), made_item(3)], "l.csv", "1" * 64, {})
    app = shown(monkeypatch, store, sheet="later")
    assert app.header[0].value.startswith("1 question of “later” for evaluation, 0 in the few-shot")
    assert "1 more question is excluded from the figures" in said(app)


def test_a_share_is_sealed_on_the_command_line_and_the_change_is_told(sampled):
    assert "Add --yes" in sampled("splits", "--hold-out", "0.25", code=2).stderr
    told = json.loads(sampled("splits", "--seal", "0.25", "--seed", "3", "--yes", "--json").stdout)
    assert told["change"]["split"] == "held-out"
    assert len(told["change"]["moved"]) == len(told["change"]["leaving"]) == 17
    assert told["openings"] == []
    first = next(row["own_id"] for row in told["questions"] if row["split"] == "held-out")
    back = sampled("splits", "--set", "evaluation", "--question", first, code=2)
    assert "Write the certificate first" in back.stderr
    both = sampled("splits", "--hold-out", "0.1", "--set", "held-out", "--question", "q01", code=2)
    assert "--hold-out SHARE alone" in both.stderr


def test_a_sealed_answer_is_closed_on_the_screen_of_judges(monkeypatch, sample_store):
    first = items.item(sample_store, items.item_ids(sample_store, 1)[0]).question_id
    family = [row["id"] for row in splits.of_sheet(sample_store, 1) if row["cluster"] == "fares"]
    split_assignment.assign(sample_store, family, HELD_OUT, "kept")
    assert first in family
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up")
    query = {"judge": "gpt-6-luna-zero-shot", "show": "Replies"}
    app = opened(monkeypatch, sample_store.path, "pages/judges.py", **query)
    assert any("question is held out" in info.value for info in app.info)
    assert not any("not replied" in info.value for info in app.info)
