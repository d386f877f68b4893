"""Both grading pages without a browser, where a set goes unit by unit."""

import json
import re
from pathlib import Path

from concord.grading import grading_sets
from concord.model import Cell
from concord.store import graders, grades
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions
from concord.store.units import units
from concord.ui.screens.agreement.details import TABS
from tests.support.grading_pages import component_json, texts

KEYS_JS = Path("concord/ui/components/grading_pane/keys.js")


def test_the_component_gets_the_units_as_steps_and_what_the_rubric_shows(app, labelling):
    sent = json.loads(component_json(app("pages/grade.py", set=labelling.id, grader="Ana")))
    assert (len(sent["places"]), sent["total"]) == (3, 3)
    [place, *_] = sent["places"]
    text = sent["texts"][str(place["id"])]
    assert [step["title"] for step in text["steps"]] == ["五味子味酸。", "It is old.", ""]
    assert [step["list"] for step in text["steps"]] == [False, False, True]
    assert place["slots"] == [step["slot"] for step in text["steps"]]
    assert sent["rubric"]["units"] == {"one": "claim", "several": "claims", "source": "answer"}
    labels = [level["label"] for level in sent["rubric"]["criteria"][0]["levels"]]
    assert labels == ["contradicted", "not enough information", "strongly implied", "supported"]
    assert sent["waiting"].startswith("33 answers have not been split into claims yet")


def test_the_name_is_asked_for_before_a_set_of_units_is_opened(app, labelling):
    shown = app("pages/grade.py", set=labelling.id)
    assert not shown.exception
    assert shown.header[0].value == "Enter your name"


def test_a_list_is_checked_with_keys_that_no_unit_is_graded_with(app, labelling):
    sent = json.loads(component_json(app("pages/grade.py", set=labelling.id, grader="Ana")))[
        "rubric"
    ]
    of_list = {level["key"]: level["meaning"] for level in sent["list"]["levels"]}
    of_units = {level["key"] for level in sent["criteria"][0]["levels"]}
    # What these keys do does not end at a list.
    taken = set(re.findall(r"^ {6}(\w+): \(\) => pane", KEYS_JS.read_text(), re.MULTILINE))
    assert {"a", "e", "f", "z"} < taken
    assert len(of_list) == 8 and not of_list.keys() & (of_units | taken)
    assert of_list["y"].startswith("right: ") and of_list["d"] == "missing, invented: Both."
    assert of_list["p"] == "missing, invented, not atomic: All three."
    assert sent["list"]["range"] == "Y B C D G H L P"


def test_long_units_are_read_beside_and_called_by_what_they_are(app, store, sheet):
    rubric_id, _ = rubric_versions.named(store, "chunks-for-answer")
    made = grading_sets.create(store, sheet.id, rubric_id, "Contexts", None, seed=1)
    sent = json.loads(component_json(app("pages/grade.py", set=made.id, grader="Ana")))
    text = sent["texts"][str(sent["places"][0]["id"])]
    assert [step["title"] for step in text["steps"]] == ["Context 1"]
    assert text["steps"][0]["self"].endswith("is a number.")
    assert text["contexts"] == []
    assert sent["rubric"]["units"]["one"] == "context"


def test_an_entity_is_asked_about_by_its_first_name_with_the_others_behind(app, store, sheet):
    rubric_id, _ = rubric_versions.named(store, "entities-in-contexts")
    judge = graders.ensure(store, "metric", "rag-metrics", "f" * 16)
    [item_id] = store.row("select min(id) from items")
    cells = [Cell("World Health Organization | WHO", 0), Cell("東京", 1)]
    units.keep(store, item_id, "reference_entity", cells, judge)
    made = grading_sets.create(store, sheet.id, rubric_id, "Entities", None, 1, repeat_share=0)
    sent = json.loads(component_json(app("pages/grade.py", set=made.id, grader="Ana")))
    [text] = sent["texts"].values()
    titles = ["World Health Organization (also WHO)", "東京", ""]
    assert [step["title"] for step in text["steps"]] == titles
    assert text["reference"] and text["contexts"]
    several, labels = sent["rubric"]["units"]["several"], sent["rubric"]["criteria"][0]["levels"]
    assert several == "entities of the reference"
    assert [(level["key"], level["label"]) for level in labels] == [
        ("0", "missing"),
        ("1", "present"),
    ]
    assert sent["rubric"]["list"]["levels"][1]["meaning"].startswith(
        "missing: An entity that the text"
    )


def test_the_lead_makes_a_set_of_contexts_and_they_are_there_at_once(app, store, sheet):
    test = app("pages/annotate.py")
    options = test.selectbox[0].options
    assert "Claims of the answer, checked against the contexts · for Faithfulness" in options
    shared = "Answer correctness, Factual correctness and 2 more"
    assert f"Claims of the answer, checked against the reference answer · for {shared}" in options
    test.selectbox[0].set_value("chunks-for-answer").run()
    assert "grades the contexts of each one by one. They are created immediately" in texts(test)
    test.button(key="sets.make").click().run()
    assert not test.exception
    assert "36 answers can be graded by unit." in texts(test)
    assert store.value("select count(*) from decompositions where kind = 'chunk'") == 36


def test_the_lead_sees_how_many_answers_wait_to_be_taken_apart(app, labelling):
    test = app("pages/annotate.py")
    assert "3 answers can be graded by unit." in texts(test)
    assert "33 answers have not been split into claims yet" in texts(test)


def label_all(store, ana, by_ana, by_judge):
    """Every unit of the store gets one score from Ana and one from the judge."""
    _, rubric = rubric_versions.named(store, "claims-in-contexts")
    version = rubric.version(rubric.criteria[0])
    judge = graders.find(store, "metric", "rag-metrics").id
    for row in store.rows("select item_id, id from units"):
        press = Press(row["item_id"], version, ana, score=by_ana, unit_id=row["id"], blind=True)
        grades.record(store, [press, press._replace(grader_id=judge, score=by_judge, blind=None)])


def test_a_cell_of_units_leads_to_their_evidence(app, store, labelling, ana):
    label_all(store, ana, 3, 0)
    test = app("pages/agreement.py", cell="3:0")
    assert not test.exception
    assert "Review shows their claims side by side." in texts(test)
    cells = next(box for box in test.selectbox if box.label == "Read the answers of a cell")
    assert "annotator “supported”, judge “contradicted”: 6 claims" in cells.options
    assert "3 answers with claims “supported” from an annotator" in texts(test)
    links = [link.proto.query_string for link in test.get("page_link")]
    assert sum("entry=claims." in query for query in links) == 3


def test_every_detail_of_the_agreement_of_units_opens(app, store, labelling, ana):
    label_all(store, ana, 1, 1)
    for tab in TABS:
        assert not app("pages/agreement.py", detail=tab).exception
    test = app("pages/agreement.py", detail="units")
    assert "Failing verdicts: “contradicted” or “not enough information”" in texts(test)
    assert "Metrics by the judge's verdicts compared with those by annotators" in texts(test)
    assert "No annotator has checked a list of claims yet." in texts(test)
