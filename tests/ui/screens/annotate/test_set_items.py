"""The lead searches and filters the answers of a campaign, and assigns them one by one."""

from concord.grading import assignments, campaigns, grading_sets, single_assignments
from concord.store import graders
from tests.support.known import press
from tests.support.screens import opened


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
    app.selectbox(key=f"{key}.assigned").set_value("Any").run()
    app.selectbox(key=f"{key}.graded").set_value("Graded").run()
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
    app.session_state[f"{key}.{one.id}.to"] = "Cleo"
    app.run()
    app.button(key=f"{key}.{one.id}.assign").click().run()
    assert not app.exception
    [place] = assignments.queue(store, made, cleo, versions, 10)
    assert place.item_id == one.id
    app.button(key=f"{key}.{one.id}.back.{cleo}").click().run()
    assert assignments.queue(store, made, cleo, versions, 10) == []
