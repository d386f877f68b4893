"""The lead searches and filters the answers of a campaign, and assigns them one by one."""

import pytest

from concord.grading import assignments, campaigns, grading_sets, single_assignments
from concord.messages import Problem
from concord.store import graders
from concord.ui.screens.annotate import set_items
from tests.support.known import press
from tests.support.screens import opened
from tests.support.uploads import words


def rows(app):
    return next(one for one in app.dataframe if "assigned to" in one.value)


def items(app):
    return list(rows(app).value["item"])


def choose(app, place):
    selected = {"selection": {"rows": [place], "columns": [], "cells": []}}
    app.session_state[rows(app).key] = selected
    return app.run()


def test_answers_are_found_assigned_and_taken_back(store, sheet, rubric, monkeypatch):
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 6, 0.0)
    ann, bo, cleo = (graders.ensure(store, "person", name) for name in ("Ann", "Bo", "Cleo"))
    campaigns.begin(store, made, [ann, bo], 1, 0.0, None, "Lea")
    versions = list(rubric[1].versions().values())
    press(store, made, ann, rubric, assignments.queue(store, made, ann, versions, 1)[0], 2)
    key = f"items.{made.id}"
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert not [one for one in app.dataframe if "assigned to" in one.value]
    app.toggle(key=f"{key}.open").set_value(True).run()
    every = single_assignments.of_set(store, made)
    assert items(app) == [one.own_id for one in every]
    app.selectbox(key=f"{key}.assigned").set_value("Bo").run()
    assert items(app) == [one.own_id for one in every if one.assigned == ("Bo",)]
    app.selectbox(key=f"{key}.graded").set_value("Graded").run()
    assert "No answer matches" in words(app)
    app.selectbox(key=f"{key}.assigned").set_value("Any").run()
    assert len(items(app)) == 1 and list(rows(app).value["graded by"]) == ["Ann"]
    app.selectbox(key=f"{key}.graded").set_value("Not graded").run()
    app.text_input(key=f"{key}.words").set_value("BIRCH").run()
    assert items(app) and all(one.endswith("birch") for one in items(app))
    shown = opened(monkeypatch, store.path, "pages/annotate.py", **app.query_params)
    assert items(shown) == items(app)  # a colleague who opens the address sees the same
    own_id = items(app)[0]
    one = next(one for one in every if one.own_id == own_id)
    choose(app, 0)
    assert app.button(key=f"{key}.{one.id}.assign").disabled
    typed = set_items.why_not(one, one.assigned[0].upper())  # it is not offered
    assert typed.startswith(f"{one.assigned[0]} has this answer already.")
    app.session_state[f"{key}.{one.id}.to"] = "Cleo"
    app.run()
    app.button(key=f"{key}.{one.id}.assign").click().run()
    assert not app.exception and f"Answer {own_id} assigned to Cleo." in words(app)
    [place] = assignments.queue(store, made, cleo, versions, 10)
    assert place.item_id == one.id
    assert "Cleo" in rows(app).value["assigned to"][0]
    app.button(key=f"{key}.{one.id}.back.{cleo}").click().run()
    assert f"Answer {own_id} taken back from Cleo." in words(app)
    assert assignments.queue(store, made, cleo, versions, 10) == []


def test_where_every_annotator_has_an_answer_that_is_said_and_another_can_be_named(
    store, sheet, rubric, monkeypatch
):
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 6, 0.0)
    ann = graders.ensure(store, "person", "Ann")
    graders.ensure(store, "person", "sim-bo", simulated=True)
    campaigns.begin(store, made, [ann], 1, 0.0, None, "Lea")
    key = f"items.{made.id}"
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    app.toggle(key=f"{key}.open").set_value(True).run()
    one = single_assignments.of_set(store, made)[0]
    choose(app, 0)
    assert "Every annotator has this answer already. Type a name to add another." in words(app)
    single_assignments.assign_to(store, made, one.id, " Cleo ", "Lea")
    assert single_assignments.of_set(store, made)[0].assigned == ("Ann", "Cleo")
    with pytest.raises(Problem, match="belongs to a simulated grader"):
        single_assignments.assign_to(store, made, one.id, "sim-bo", "Lea")
