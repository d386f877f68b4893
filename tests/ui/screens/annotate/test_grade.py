"""Both grading pages without a browser: who is asked what, and what the component is told."""

import json

import pytest

from concord.grading import assignments, campaigns, grading_sets
from concord.grading.assignments import queue
from concord.importing import grade_file, sheet_import
from concord.rubrics.model import Rubric, presets
from concord.store import additions, graders, item_columns, sheets
from concord.store.database import open_store
from concord.store.grades import Press, record
from concord.store.items import item_keys
from concord.store.rubrics import rubric_versions
from concord.ui.components.grading_rubric import keys_of, range_of
from tests.support.grading_pages import component_json, texts
from tests.support.known import grade_training, prepared
from tests.support.made_items import made_item
from tests.support.screens import opened


def test_an_empty_store_says_where_to_begin(app):
    for page in ("pages/grade.py", "pages/annotate.py"):
        test = app(page)
        assert not test.exception
        assert "There is no sheet yet" in texts(test)


def test_a_set_of_another_sheet_than_the_address_names_is_not_opened(app, store, whole_set):
    additions.add(store, "other", [made_item(1)], "other.csv", "1" * 64, {})
    test = app("pages/grade.py", sheet="other", set=whole_set.id)
    assert "There is nothing to grade here" in texts(test)
    assert "The grading set in this link is not of “other”." in texts(test)
    assert "Enter your name" not in texts(test)
    assert "Enter your name" in texts(app("pages/grade.py", sheet="numbers", set=whole_set.id))


def test_a_sheet_without_a_set_can_be_graded_with_one_button(app, store, sheet):
    test = app("pages/grade.py")
    assert "All 12 questions of “numbers”" in texts(test)
    test.button(key="grader.first").click().run()
    [made] = grading_sets.of_sheet(store, sheet.id)
    assert (made.name, made.kind, made.questions) == ("Set 1", "whole", 12)
    assert "Enter your name" in texts(test)


@pytest.mark.parametrize(
    ("language", "name"), [("en", "Set 1"), ("zh", "评分集 1"), ("ja", "セット1"), ("ko", "세트 1")]
)
@pytest.mark.parametrize(
    ("page", "button"), [("pages/grade.py", "grader.first"), ("pages/annotate.py", "sets.make")]
)
def test_the_first_set_of_the_sample_begins_in_the_language_of_the_reader(
    sample_store, monkeypatch, translate, language, name, page, button
):
    translate(language, {"Set {n}": name.replace("1", "{n}")})
    opened(monkeypatch, sample_store.path, page, lang=language).button(key=button).click().run()
    sheet = sheets.find(sample_store, "sample")
    [made] = grading_sets.of_sheet(sample_store, sheet.id)
    assert made.name == name and made.questions == 40
    jo = graders.ensure(sample_store, "person", "Jo")
    versions = list(rubric_versions.get(sample_store, made.rubric_id).versions().values())
    languages = item_columns.values(sample_store, sheet.id, "language")
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
    assert "graded by the rubric doc-qa-0-4" in texts(test)
    test.button(key="grader.first").click().run()
    [made] = grading_sets.of_sheet(store, sheet.id)
    assert rubric_versions.get(store, made.rubric_id).name == "doc-qa-0-4"


def test_a_new_name_begins_at_once_and_a_known_one_is_asked(app, store, ana, whole_set):
    test = app("pages/grade.py", set=whole_set.id)
    test.text_input[0].set_value("Ben")
    test.button[0].click().run()
    assert test.query_params["grader"] == "Ben"
    assert graders.find(store, "person", "Ben")
    test = app("pages/grade.py", set=whole_set.id)
    test.text_input[0].set_value("ana")
    test.button[0].click().run()
    assert "Is that you, Ana?" in texts(test)
    test.button[1].click().run()
    assert "Enter your name" in texts(test)


def test_nothing_to_choose_stands_above_the_set_that_is_graded(app, store, ana, whole_set):
    additions.add(store, "other", [made_item(1)], "o.csv", "2" * 64, {})
    test = app("pages/grade.py", sheet="numbers")
    assert "Sheet" in [one.label for one in test.selectbox]
    test = app("pages/grade.py", sheet="numbers", grader="Ana")
    assert "Sheet" not in [one.label for one in test.selectbox]
    assert test.query_params["set"] == str(whole_set.id)
    assert json.loads(component_json(test))["places"]


def test_a_simulated_grader_s_name_is_not_given_away(app, store, whole_set):
    graders.ensure(store, "person", "rita", simulated=True)
    test = app("pages/grade.py", set=whole_set.id)
    test.text_input[0].set_value("Rita")
    test.button[0].click().run()
    assert "belongs to a simulated grader" in texts(test)


def test_several_sets_are_listed(app, store, sheet, rubric, whole_set):
    grading_sets.create(store, sheet.id, rubric[0], "Second", 4, seed=1)
    test = app("pages/grade.py")
    assert [b.label for b in test.button] == [
        "Set 1: 40 answers",  # as the pane counts them: hidden repeats look like any other
        "Second: 13 answers",
    ]
    test.button[1].click().run()
    assert "Enter your name" in texts(test)


def test_who_is_known_sees_their_progress_in_each_set_and_its_deadline(
    app, store, sheet, rubric, whole_set, ana
):
    second = grading_sets.create(store, sheet.id, rubric[0], "Second", 4, seed=1)
    once = grading_sets.create(store, sheet.id, rubric[0], "Once", 1, seed=2, repeat_share=0)
    late = grading_sets.create(store, sheet.id, rubric[0], "Late", 1, seed=3, repeat_share=0)
    campaigns.begin(store, second, [ana], 1, deadline="2999-12-24")
    campaigns.begin(store, late, [ana], 1, deadline="2020-01-31")
    versions = list(rubric[1].versions().values())
    first, *_ = places = assignments.queue(store, once, ana, versions, 1)
    for place in places:
        for version in versions[: 1 if place == first else None]:
            record(store, [Press(place.item_id, version, ana, score=2)])
    labels = [b.label for b in app("pages/grade.py", grader="Ana").button]
    assert labels[:2] == [
        "Late: 0 of 3 graded, was due 2020-01-31",
        "Second: 2 of 13 graded, due 2999-12-24",
    ]
    assert "Once: 2 of 3 graded" in labels
    campaigns.set_deadline(store, second, "2020-01-30")
    label = next(iter(app("pages/grade.py", grader="Ana").button)).label
    assert label == "Second: 2 of 13 graded, was due 2020-01-30"
    graders.ensure(store, "person", "Zoe")  # who has no block of the campaigns
    labels = [b.label for b in app("pages/grade.py", grader="Zoe").button]
    assert [label.split(":")[0] for label in labels] == ["Set 1", "Once"]
    for version in versions[1:]:
        record(store, [Press(first.item_id, version, ana, score=2)])
    assert [b.label for b in app("pages/grade.py", grader="ana").button][-1] == (
        "Once: done, 3 graded"
    )


def test_a_set_that_is_gone_is_one_sentence(app, store):
    test = app("pages/grade.py", set=99, grader="Ana")
    assert "This grading set no longer exists" in texts(test)
    assert not test.exception


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


def test_the_lead_makes_a_set_and_sees_its_links(app, store, sheet):
    test = app("pages/annotate.py")
    assert "is not assigned to annotators yet" in texts(test)
    assert "36 answers in 2 blocks of 6 to 30, 4 of them twice" in texts(test)
    test.number_input(key=f"sets.new.{sheet.id}.block").set_value(9).run()
    assert "36 answers in 4 blocks of 9" in texts(test)
    test.button(key="sets.make").click().run()
    [made] = grading_sets.of_sheet(store, sheet.id)
    assert made.block_size == 9
    assert f"/grade?view=grader&set={made.id}" in " ".join(code.value for code in test.code)
    assert "No annotator has begun to grade yet" in texts(test)


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
