"""Both grading pages without a browser: who is asked what, and what the component is told."""

import json
import re
from pathlib import Path

import pytest

from concord.grading import grading_sets
from concord.grading.assignments import queue
from concord.importing import grade_file, sheet_import
from concord.rubrics.model import Rubric, presets
from concord.store import additions, graders, grades, items, sheets
from concord.store.database import open_store
from concord.store.grades import Press
from concord.store.items import item_keys
from concord.store.rubrics import rubric_versions
from concord.team import members
from concord.ui.components.grading_data import keys_of, range_of
from concord.ui.looker import pick_lead
from concord.ui.screens.agreement import TABS
from tests.support.grading_room import component_json, grade_training, prepared
from tests.support.made_items import made_item
from tests.support.screens import opened


def test_a_set_of_another_sheet_than_the_address_names_is_not_opened(app, store, whole_set):
    additions.add(store, "other", [made_item(1)], "other.csv", "1" * 64, {})
    assert not app("pages/grade.py", sheet="other", set=whole_set.id).text_input
    assert app("pages/grade.py", sheet="numbers", set=whole_set.id).text_input


@pytest.mark.parametrize(
    ("language", "page", "button"),
    [("zh", "pages/grade.py", "grader.first"), ("ko", "pages/annotate.py", "sets.make")],
)
def test_the_first_set_of_the_sample_begins_in_the_language_of_the_reader(
    sample_store, monkeypatch, translate, language, page, button
):
    translate(language, {})
    opened(monkeypatch, sample_store.path, page, lang=language).button(key=button).click().run()
    sheet = sheets.find(sample_store, "sample")
    [made] = grading_sets.of_sheet(sample_store, sheet.id)
    jo = graders.ensure(sample_store, "person", "Jo")
    versions = list(rubric_versions.get(sample_store, made.rubric_id).versions().values())
    languages = items.column_values(sample_store, sheet.id, "language")
    first = [languages[one.item_id] for one in queue(sample_store, made, jo, versions, 1)]
    assert len(first) >= 6 and {*first} == {language}


def test_the_rubric_of_annotators_opens_for_grading_whatever_a_judge_was_run_with(
    app, store, sheet, few_sheets
):
    graded = "item_id,criterion,grader,grader_kind,score\n"
    for name, kind, n in (("doc-qa-0-4", "annotator", 1), ("doc-qa-0-3", "judge", 3)):
        rubric = rubric_versions.named(store, name)[1]
        rows = "".join(f"{i:03}-atlas,correctness,Jo,{kind},1\n" for i in range(n))
        keys = item_keys(store, sheet.id)
        read = grade_file.load((graded + rows).encode(), "g.csv", rubric=rubric, known=keys)
        sheet_import.take_grades(store, sheet, read, rubric)
    assert (
        app("pages/annotate.py").selectbox(key=f"sets.new.{sheet.id}.rubric").value == "doc-qa-0-4"
    )
    for page in ("pages/plan.py", "pages/adjudicate.py", "pages/agreement.py"):
        assert app(page).query_params["rubric"] == "doc-qa-0-4", page
    test = app("pages/grade.py")
    test.button(key="grader.first").click().run()
    [made] = grading_sets.of_sheet(store, sheet.id)
    assert rubric_versions.get(store, made.rubric_id).name == "doc-qa-0-4"


def test_a_known_name_is_asked_whether_it_is_the_same_person(app, store, ana, whole_set):
    test = app("pages/grade.py", set=whole_set.id)
    test.text_input[0].set_value("ana")
    test.button[0].click().run()
    assert "grader" not in test.query_params and len(test.button) >= 2
    assert [one.name for one in graders.of_kind(store, "person")] == ["Ana"]


def test_a_simulated_grader_s_name_is_not_given_away(app, store, whole_set):
    graders.ensure(store, "person", "rita", simulated=True)
    test = app("pages/grade.py", set=whole_set.id)
    test.text_input[0].set_value("Rita")
    test.button[0].click().run()
    assert len(test.error) == 1 and "grader" not in test.query_params


def test_the_browser_is_told_no_answering_model_and_no_metadata(app, store, rubric):
    secret = {"answer_model": "SECRET-model", "metadata": {"defect": "SECRET-defect"}}
    item = made_item(
        1, own_id="SECRET-id", cluster="SECRET-cluster", reference=("SECRET",), **secret
    )
    sheet = additions.add(store, "SECRET", [item], "SECRET.csv", "3" * 64, {})
    made = grading_sets.create(store, sheet.id, rubric[0], "Set 1", None, seed=1)
    test = app("pages/grade.py", view="grader", set=made.id, grader="Ana")
    sent = component_json(test)
    assert json.loads(sent)["texts"]
    assert "SECRET" not in sent
    assert {*json.loads(sent)["places"][0]} == {"id", "number", "given"}


def test_of_training_the_browser_is_told_what_was_agreed_once_it_is_graded(
    app, store, sheet, rubric, ana
):
    made = prepared(store, sheet, rubric, "Set 1")
    told_before = json.loads(component_json(app("pages/grade.py", set=made.id, grader="Ana")))
    assert told_before["training"] == 1
    first = told_before["places"][0]
    assert (first["training"], first["revealed"]) == (True, None)
    grade_training(store, made, ana, rubric, 3)
    at = {"set": made.id, "grader": "Ana", "item": first["id"]}
    agreed, comments = json.loads(component_json(app("pages/grade.py", **at)))["places"][0][
        "revealed"
    ]
    assert [*agreed.values()] == [[2, "agreed"]] * 3 and comments == []


@pytest.mark.parametrize(
    ("scale", "keys", "said"),
    [
        ((0, 1, 2, 3), "0123", "0–3"),
        ((1, 2, 3, 4, 5), "12345", "1–5"),
        (tuple(range(1, 11)), "12345678910", "1–10"),
        (tuple(range(11)), "0123456789x", "0–10 X"),
        ((-1, 0, 1), "123", "1–3"),
        ((0, 25, 50, 75, 100), "12345", "1–5"),
        ((10, 20), "12", "1–2"),
        ((0, 5, 10), "05x", "0–10 X"),
        (tuple(range(101)), "", "score, Enter"),
        (tuple(range(-5, 7)), "", "score, Enter"),
    ],
)
def test_every_scale_has_keys_that_are_told_apart(scale, keys, said):
    assert "".join(keys_of(scale).values()) == keys
    assert range_of(scale) == said
    assert len(set(keys_of(scale).values())) in (0, len(scale))


def test_every_preset_can_be_graded_by_single_keys():
    for rubric in presets().values():
        assert list(keys_of(rubric.scale)) == list(rubric.scale)


def test_two_databases_on_one_port_are_told_apart(tmp_path, store):
    with open_store(tmp_path / "other.db") as other:
        assert len(other.identity()) == 32
        assert other.identity() != store.identity()


def test_a_translated_rubric_brings_its_original_wording(app, store, sheet):
    texts_in = {"language": "ko", "criteria": [{"name": "correctness", "title": "정확성"}]}
    held = presets()["doc-qa-0-3"].model_dump() | {"name": "ours", "translations": [texts_in]}
    rubric_id = rubric_versions.register(store, Rubric(**held), "app")
    made = grading_sets.create(store, sheet.id, rubric_id, "Team", None, 1)
    for language, title, original in (("ko", "정확성", "Correctness"), ("en", "Correctness", None)):
        state = {"lang": language}
        test = app("pages/grade.py", state, set=made.id, grader="Ana")
        criteria = json.loads(component_json(test))["rubric"]["criteria"]
        assert criteria[0]["title"] == title
        assert (criteria[0].get("original") or {}).get("title") == original
        assert "original" not in criteria[1]  # which is not translated
    meanings = [level.meaning for level in presets()["doc-qa-0-3"].criteria[0].levels]
    state = {"lang": "ko"}
    sent = json.loads(component_json(app("pages/grade.py", state, set=made.id, grader="Ana")))
    assert sent["rubric"]["criteria"][0]["original"]["meanings"] == meanings


def test_a_viewer_is_offered_no_set_to_grade(as_whom, team_sets):
    for query in ({}, {"set": team_sets[0].id}):
        app = as_whom("Vi", **query)
        assert not app.button and not app.exception


def test_a_renamed_lead_works_on_as_the_same_annotator(store, team_sets, monkeypatch):
    lea = members.named(store, "Lea").who()
    graders.rename(store, lea.grader_id, "Lea Z")
    monkeypatch.setattr(store, "who", lea)
    before = len(graders.of_kind(store, "person"))
    assert pick_lead(store, "").name == "Lea Z"
    assert len(graders.of_kind(store, "person")) == before


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
