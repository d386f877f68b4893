"""Both grading pages without a browser: who is asked what, and what the component is told."""

import json

import pytest

from concord.grading import grading_sets
from concord.rubrics.model import presets
from concord.store import additions, graders
from concord.store.database import open_store
from concord.team import members
from concord.ui.components.grading_data import keys_of, range_of
from concord.ui.looker import pick_lead
from tests.support.grading_room import component_json
from tests.support.made_items import made_item


def test_a_set_of_another_sheet_than_the_address_names_is_not_opened(app, store, whole_set):
    additions.add(store, "other", [made_item(1)], "other.csv", "1" * 64, {})
    assert not app("pages/grade.py", sheet="other", set=whole_set.id).text_input
    assert app("pages/grade.py", sheet="numbers", set=whole_set.id).text_input


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
    assert {*json.loads(sent)["places"][0]} == {"id", "number", "given", "block"}


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
