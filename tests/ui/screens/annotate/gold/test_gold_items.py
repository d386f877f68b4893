"""The lead chooses gold and training items, scores them, and sees how annotators did."""

from types import SimpleNamespace

import pytest

from concord.grading import (
    assignments,
    gold_answers,
    gold_file,
    gold_items,
    grading_sets,
    training_round,
)
from concord.grading.gold_answers import AgreedScore
from concord.messages import Problem
from concord.reports.reliability.gold_results import ALL
from concord.resources import COMMAND
from concord.rubrics.model import of_units
from concord.sampling import split_assignment, splits
from concord.store import items
from tests.support.known import grade_training, known, press
from tests.support.screens import opened
from tests.support.uploads import words


def listed(app, column="item"):
    """The answers in the list to choose from."""
    frame = next(one.value for one in app.dataframe if "scores" in one.value)
    return list(frame[column])


def choose(app, own_id):
    """Select the row of an answer."""
    table = next(one for one in app.dataframe if "scores" in one.value)
    rows = [listed(app).index(own_id)]
    app.session_state[table.key] = {"selection": {"rows": rows, "columns": [], "cells": []}}
    return app.run()


def scores(app):
    return [box for box in app.radio if box.key.endswith(".score")]


def upload(app, key):
    return next(one for one in app.file_uploader if one.key.startswith(key))


def submit(app, label):
    return next(button for button in app.button if button.label == label).click().run()


def folds(app):
    return [fold.label for fold in app.expander]


def test_thousands_of_available_answers_are_written_with_a_separator(store, made, monkeypatch):
    many = [SimpleNamespace(id=-n) for n in range(1, 1201)]
    monkeypatch.setattr(gold_answers, "offered", lambda *_: many)
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    toggle = app.toggle(key=f"known.gold.{made.id}.open")
    assert toggle.label == "Choose answers (1,200 available)"


def test_gold_items_are_chosen_scored_changed_and_removed(store, rubric, made, monkeypatch):
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    key = f"known.gold.{made.id}"
    app.toggle(key=f"{key}.open").set_value(True).run()
    assert len(listed(app)) == 5 and "000-atlas" not in listed(app)  # that is a training item
    app.text_input(key=f"{key}.words").set_value("BIRCH").run()
    assert sorted(listed(app)) == ["000-birch", "001-birch"]
    choose(app, "001-birch")
    texts = " ".join(one.proto.body for one in app.get("html"))
    assert "Context 1" in texts and "Reference answer" in texts and "Answer by" not in texts
    assert 'tabindex="0" role="region" aria-label="001-birch"' in texts  # keys scroll it
    assert "Offered are answers of the few-shot pool" in words(app)
    assert [box.value for box in scores(app)] == [None] * 3
    scores(app)[0].set_value(2)
    submit(app, "Add gold item")
    assert "Answer 001-birch must have exactly one agreed score" in words(app)
    assert scores(app)[0].value == 2  # what was filled in is kept
    for box in scores(app):
        box.set_value(2)
    submit(app, "Add gold item")
    assert not app.exception and "Scores of answer 001-birch saved." in words(app)
    assert "Gold items: 1 answer" in folds(app)
    assert app.toggle(key=f"{key}.open").label == "Choose answers (4 available)"
    assert listed(app)[0] == "001-birch" and listed(app, "scores") == ["2, 2, 2", ""]
    assert not scores(app)  # the row is not selected any more
    choose(app, "001-birch")
    assert [box.value for box in scores(app)] == [2] * 3
    scores(app)[0].set_value(3)
    submit(app, "Save scores")
    assert sorted(one.score for one in gold_items.GOLD.chosen(store, made)) == [2, 2, 3]
    choose(app, "001-birch")
    submit(app, "Remove this answer")
    assert not app.exception and "Gold items: 0 answers" in folds(app)
    assert "001-birch" in listed(app) and not any(listed(app, "scores"))


def test_training_items_come_from_a_file_or_each_kind_of_bad_row_is_named(
    store, rubric, made, monkeypatch
):
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    key = f"known.training.{made.id}"
    app.toggle(key=f"{key}.open").set_value(True).run()
    way = next(one for one in app.segmented_control if one.key.startswith(f"{key}.way"))
    way.set_value("From a CSV file").run()
    hints = [one.value for one in app.caption if "larger files" in one.value]
    assert f"`{COMMAND} training {made.name} --agree FILE`" in hints[0]
    blank = gold_file.template(store, made, training_round.TRAINING_ITEMS, None, ["001-birch"])
    bad = blank.replace(",,", ",9,", 1)
    upload(app, key).set_value([("bad.csv", bad.encode(), "text/csv")]).run()
    assert "Nothing was imported. Correct the file and choose it again." in words(app)
    [problem] = [
        one.value for one in app.table if "problem" in one.value and "examples" in one.value
    ]
    assert list(problem["rows"]) == [1] and "is not on the scale" in problem["problem"].iloc[0]
    names = [criterion.name for criterion in rubric[1].criteria]
    good = "item_id,criterion,score,reason\n" + "".join(
        f"001-birch,{name},1,so agreed\n" for name in names
    )
    upload(app, key).set_value([("good.csv", good.encode(), "text/csv")]).run()
    submit(app, "Import scores of 1 answer")
    assert not app.exception and "Scores of 1 answer imported." in words(app)
    assert "is outside" not in words(app)  # fewer are left, and no number was typed
    assert "Training round: 2 answers" in folds(app)
    assert "001-birch" in listed(app)[:2] and all(listed(app, "scores")[:2])  # chosen ones first
    chosen = gold_answers.named(store, made, "001-birch")
    found = [one for one in training_round.TRAINING_ITEMS.chosen(store, made)]
    assert [one.score for one in found if one.item_id == chosen] == [1] * 3
    assert {one.reason for one in found if one.item_id == chosen} == {"so agreed"}


def test_the_lead_sees_how_training_and_gold_items_went(
    store, sheet, rubric, made, ana, monkeypatch
):
    versions = list(rubric[1].versions().values())
    grade_training(store, made, ana, rubric, 3)
    gold_items.mix_in(store, made, known(store, made, rubric, ["001-birch"]), "Lea")
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert list(app.dataframe[0].value.iloc[0]) == ["Ana", 1, 1]
    [item] = gold_items.not_yet_queued(store, made.id, ana)
    assert len(training_round.answers(store, made.id, versions)) == 1
    for place in assignments.queue(store, made, ana, versions, 1000):
        if place.item_id == item:
            press(store, made, ana, rubric, place, 2)
    app.run()
    rows = app.dataframe[2].value
    assert list(rows["Criterion"])[-1] == ALL and list(rows["n"]) == [1, 1, 1, 3]
    app.button(key=f"freeze.{made.id}").click().run()
    assert "was frozen on" in words(app)
    app.toggle(key=f"pilot.{made.id}").set_value(True).run()
    assert not app.exception
    assert "No minutes per answer" in words(app)


def test_where_no_answer_can_be_chosen_the_reason_and_the_remedy_are_said(
    store, sheet, rubric, monkeypatch
):
    first = splits.questions_named(store, sheet, ["000"])
    sampled = grading_sets.create(store, sheet.id, rubric[0], "Sample", 11, 1, 6, 0.0)
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert "No answers are available. Move some questions to the few-shot pool" in words(app)
    inside = next(iter(grading_sets.items(store, sampled.id)))
    asked = store.value("select question_id from items where id = ?", (inside,))
    split_assignment.assign(store, [asked], "few-shot", "for training")
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert "Every answer of the few-shot pool is in this set already" in words(app)
    split_assignment.assign(store, [asked], "evaluation", "again")
    whole = grading_sets.create(store, sheet.id, rubric[0], "Whole", None, 1, 6, 0.0)
    split_assignment.assign(store, first, "few-shot", "for training")
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert not app.exception and f"known.gold.{whole.id}.open" not in [t.key for t in app.toggle]
    assert "was created with every answer of the sheet" in words(app)
    moved = AgreedScore(items.item_ids(store, sheet.id)[0], "correctness", 3)
    with pytest.raises(Problem, match="000-atlas was in this set to be graded before it moved"):
        gold_items.mix_in(store, whole, [moved], "Lea")
    with pytest.raises(Problem, match="was created with every answer of the sheet"):
        gold_file.template(store, whole, gold_items.GOLD, 5)


def test_a_new_set_of_the_whole_sheet_says_that_gold_items_come_first(
    store, sheet, rubric, monkeypatch
):
    hint = "Gold and training items come from the few-shot pool, which is empty."
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert hint in words(app)
    split_assignment.assign(store, splits.questions_named(store, sheet, ["000"]), "few-shot", "")
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert hint not in words(app)
    where = "Add gold and training items in the new set."
    assert where in words(app)
    (rubrics,) = (box for box in app.selectbox if box.label == "Rubric")
    app = rubrics.set_value(next(iter(of_units()))).run()
    assert where not in words(app)  # a set of claims has no gold items
