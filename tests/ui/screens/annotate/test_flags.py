"""Leads read what annotators flagged, open the answer and reply; annotators get the reply."""

import json

from concord.grading import assignments, comments, grading_sets
from concord.grading.comments import At
from concord.store import graders
from tests.support.grading_pages import component_json


def test_a_lead_replies_to_a_flag_and_the_pane_shows_it(store, sheet, rubric, app):
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1)
    ana = graders.ensure(store, "person", "Ana")
    versions = list(rubric[1].versions().values())
    place = assignments.queue(store, made, ana, versions, 1)[0]
    at = At(made.id, place.item_id, ana)
    comments.add(store, "flag", at, "Ana", "Is *tea* fermented?")
    assert len(app("pages/overview.py").info) == 1
    page = app("pages/annotate.py")
    rows = next(one for one in page.dataframe if "Flag" in one.value)
    assert list(rows.value.iloc[0][:2]) == ["open", "Ana"]
    page.session_state[rows.key] = {"selection": {"rows": [0], "columns": [], "cells": []}}
    page.run()
    key = f"flags.{':'.join(map(str, at))}"
    page.text_area(key=key).set_value("Some is.").run()
    page.button(key=f"{key}.send").click().run()
    assert not page.exception
    sent = json.loads(component_json(app("pages/grade.py", set=made.id, grader="Ana")))
    assert sent["places"][0]["own"] == [
        [["flag", "Ana", "Is *tea* fermented?"], ["reply", "local", "Some is."]],
        "",
    ]
    [[replied, _]] = sent["answered"]
    assert replied == place.id
