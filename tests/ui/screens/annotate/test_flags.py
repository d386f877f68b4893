"""Leads read what annotators flagged, open the answer and reply; annotators get the reply."""

import json

from concord.grading import assignments, comments, grading_sets
from concord.grading.comments import At
from concord.store import graders
from concord.store.permissions import VIEWER, Who
from concord.ui.screens.annotate import flags
from tests.support.grading_pages import component_json
from tests.support.uploads import words


def test_a_lead_replies_to_a_flag_and_the_pane_shows_it(store, sheet, rubric, app):
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1)
    ana = graders.ensure(store, "person", "Ana")
    versions = list(rubric[1].versions().values())
    place = assignments.queue(store, made, ana, versions, 1)[0]
    at = At(made.id, place.item_id, ana)
    assert "Flags" not in words(app("pages/annotate.py"))
    comments.add(store, "flag", at, "Ana", "Is *tea* fermented?")
    overview = app("pages/overview.py")
    assert not overview.exception
    assert "1 flag without a reply" in [one.value for one in overview.info]
    page = app("pages/annotate.py")
    assert next(e.label for e in page.expander) == "1 flag without a reply"
    rows = next(one for one in page.dataframe if "Flag" in one.value)
    assert list(rows.value.iloc[0][:2]) == ["open", "Ana"]
    page.session_state[rows.key] = {"selection": {"rows": [0], "columns": [], "cells": []}}
    page.run()
    key = f"flags.{':'.join(map(str, at))}"
    page.button(key=f"{key}.send").click().run()
    assert "Write the reply first." in [one.value for one in page.error]
    page.text_area(key=key).set_value("Some is.").run()
    page.button(key=f"{key}.send").click().run()
    assert not page.exception and "Reply sent to Ana." in words(page)
    assert next(e.label for e in page.expander) == "All flags have a reply"
    rows = next(one for one in page.dataframe if "Flag" in one.value)
    page.session_state[rows.key] = {"selection": {"rows": [0], "columns": [], "cells": []}}
    assert "**Reply**: Some is." in [one.value for one in page.run().markdown]
    sent = json.loads(component_json(app("pages/grade.py", set=made.id, grader="Ana")))
    assert sent["places"][0]["own"] == [
        [["flag", "Ana", "Is *tea* fermented?"], ["reply", "local", "Some is."]],
        "",
    ]
    [[replied, _]] = sent["answered"]
    assert replied == place.id


def test_a_viewer_sees_no_flags(store, sheet, monkeypatch):
    monkeypatch.setattr(store, "who", Who("Vi", VIEWER))
    assert flags.flagged(store, sheet) is None
