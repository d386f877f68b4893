"""Both grading pages without a browser, where a set goes unit by unit."""

import json
import re
from pathlib import Path

from concord.store import graders, grades
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions
from concord.ui.screens.agreement.details import TABS
from tests.support.grading_pages import component_json

KEYS_JS = Path("concord/ui/components/grading_pane/keys.js")


def test_the_component_gets_the_units_as_steps_and_what_the_rubric_shows(app, labelling):
    sent = json.loads(component_json(app("pages/grade.py", set=labelling.id, grader="Ana")))
    assert (len(sent["places"]), sent["total"]) == (3, 3)
    [place, *_] = sent["places"]
    text = sent["texts"][str(place["id"])]
    assert [step["title"] for step in text["steps"]] == ["五味子味酸。", "It is old.", ""]
    assert [step["list"] for step in text["steps"]] == [False, False, True]
    assert place["slots"] == [step["slot"] for step in text["steps"]]


def test_a_list_is_checked_with_keys_that_no_unit_is_graded_with(app, labelling):
    sent = json.loads(component_json(app("pages/grade.py", set=labelling.id, grader="Ana")))[
        "rubric"
    ]
    of_list = {level["key"] for level in sent["list"]["levels"]}
    of_units = {level["key"] for level in sent["criteria"][0]["levels"]}
    # What these keys do does not end at a list.
    taken = set(re.findall(r"^ {6}(\w+): \(\) => pane", KEYS_JS.read_text(), re.MULTILINE))
    assert {"a", "e", "f", "z"} < taken
    assert len(of_list) == 8 and not of_list & (of_units | taken)


def test_the_lead_makes_a_set_of_contexts_and_they_are_there_at_once(app, store, sheet):
    test = app("pages/annotate.py")
    test.selectbox[0].set_value("chunks-for-answer").run()
    test.button(key="sets.make").click().run()
    assert not test.exception
    assert store.value("select count(*) from decompositions where kind = 'chunk'") == 36


def label_all(store, ana, by_ana, by_judge):
    """Every unit of the store gets one score from Ana and one from the judge."""
    _, rubric = rubric_versions.named(store, "claims-in-contexts")
    version = rubric.version(rubric.criteria[0])
    judge = graders.find(store, "metric", "rag-metrics").id
    for row in store.rows("select item_id, id from units"):
        press = Press(row["item_id"], version, ana, score=by_ana, unit_id=row["id"], blind=True)
        grades.record(store, [press, press._replace(grader_id=judge, score=by_judge, blind=None)])


def test_every_detail_of_the_agreement_of_units_opens(app, store, labelling, ana):
    label_all(store, ana, 1, 1)
    for tab in (*TABS, "units"):
        assert not app("pages/agreement.py", detail=tab).exception
