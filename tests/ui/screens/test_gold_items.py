"""The lead chooses gold and training items, scores them, and sees how annotators did."""

from concord.grading import gold_items
from tests.support.screens import opened


def listed(app, column="item"):
    """The answers in the list to choose from."""
    frame = next(one.value for one in app.dataframe if "item" in one.value)
    return list(frame.get(column, ()))  # a column without a value is left out


def choose(app, own_id):
    """Select the row of an answer."""
    table = next(one for one in app.dataframe if "item" in one.value)
    rows = [listed(app).index(own_id)]
    app.session_state[table.key] = {"selection": {"rows": rows, "columns": [], "cells": []}}
    return app.run()


def scores(app):
    return [box for box in app.radio if box.key.endswith(".score")]


def submit(app, label):
    return next(button for button in app.button if button.label == label).click().run()


def test_gold_items_are_chosen_scored_changed_and_removed(store, rubric, made, monkeypatch):
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    key = f"known.gold.{made.id}"
    app.toggle(key=f"{key}.open").set_value(True).run()
    assert len(listed(app)) == 5 and "000-atlas" not in listed(app)  # that is a training item
    app.text_input(key=f"{key}.words").set_value("BIRCH").run()
    assert sorted(listed(app)) == ["000-birch", "001-birch"]
    choose(app, "001-birch")
    assert [box.value for box in scores(app)] == [None] * 3
    scores(app)[0].set_value(2)
    submit(app, "Add gold item")
    assert scores(app)[0].value == 2  # what was filled in is kept
    for box in scores(app):
        box.set_value(2)
    submit(app, "Add gold item")
    assert not app.exception
    assert listed(app)[0] == "001-birch" and listed(app, "scores") == ["2, 2, 2", ""]
    assert not scores(app)  # the row is not selected any more
    choose(app, "001-birch")
    assert [box.value for box in scores(app)] == [2] * 3
    scores(app)[0].set_value(3)
    submit(app, "Save scores")
    assert sorted(one.score for one in gold_items.GOLD.chosen(store, made)) == [2, 2, 3]
    choose(app, "001-birch")
    submit(app, "Remove this answer")
    assert not app.exception
    assert "001-birch" in listed(app) and not any(listed(app, "scores"))
