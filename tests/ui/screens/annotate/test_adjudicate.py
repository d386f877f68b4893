"""What an adjudicator is shown and what keys store: letters, no judge, no name."""

import json

from concord.grading import pauses
from concord.grading.adjudication import adjudicators as stored
from concord.reports.disagreements import adjudication_keys, adjudicators
from concord.reports.disagreements.adjudicate import differing
from concord.reports.disagreements.adjudication_keys import AdjudicationPick
from concord.reports.panel import panel_reading
from concord.store import additions, annotator_states, graders, sheets
from concord.store.rubrics import rubric_versions
from tests.support.grading_pages import component_json
from tests.support.made_items import made_item
from tests.support.panels import give, judge
from tests.support.screens import opened

PAGE = "pages/adjudicate.py"


def made(store):
    """Three answers: annotators differ on the first two, and a judge differs from both."""
    sheet = additions.add(store, "n", [made_item(n) for n in range(3)], "n.csv", "0" * 64, {})
    rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
    give(store, rubric, "Ana", {0: 3, 1: 0, 2: 2}, reason="said Ana")
    give(store, rubric, "Ben", {0: 2, 1: 3, 2: 2}, reason="<b>no</b>")
    judge(store, rubric, "gpt", {0: 0, 1: 1, 2: 0}, reason="a judge said so")
    lea = graders.get(store, graders.ensure(store, "person", "Lea"))
    panel = panel_reading.read(store, sheet, rubric)
    return AdjudicationPick(panel, "people", differing(panel, lea.id), lea, sheet.seed())


def key(wanted, version, shown, press_id="k", **fields):
    place = wanted.cases[0].at
    sent = {"press_id": press_id, "place": place, "version": version, "status": "scored"}
    return sent | {"seen": shown, **fields}


def test_cases_are_shown_by_letter_and_without_judges(store, monkeypatch):
    wanted = made(store)
    app = opened(monkeypatch, store.path, PAGE, grader="Lea")
    assert not app.exception
    text = component_json(app)
    for hidden in ("gpt", "judge said", '"Ana"', '"Ben"'):
        assert hidden not in text
    sent = json.loads(text)
    assert [place["id"] for place in sent["places"]] == [case.at for case in wanted.cases]
    assert (sent["done"], sent["total"], sent["locked"]) == (0, 2, "")
    [version] = sent["places"][0]["slots"]
    first = sent["places"][0]["voices"][version]
    assert [letter for letter, *_ in first] == ["A", "B"]
    assert sorted(one[1:] for one in first) == [["0", "said Ana"], ["3", "<b>no</b>"]]


def test_keys_are_stored_once_and_what_was_not_shown_is_refused(store):
    wanted = made(store)
    [version] = {wanted.panel.rubric.versions()[name] for name in wanted.cases[0].points_apart}
    voices = adjudication_keys.adjudicate.voices(
        store, wanted.panel, wanted.cases[0].at, wanted.seed
    )
    shown = adjudication_keys.seen(voices)
    good = key(wanted, version, shown, "good", score=1, quote="overlooked", note=" why ")
    sent = [
        good,
        good,
        key(wanted, version, "another", "stale", score=2),
        key(wanted, "x" * 16, shown, "criterion", score=2),
        key(wanted, version, shown, "scale", score=9),
        key(wanted, version, shown, "cause", score=2, quote="no cause"),
        key(wanted, version, shown, "status", status="cannot_grade"),
        key(wanted, version, shown, "answer", score=2) | {"place": 999},
        {"press_id": "nothing"},
    ]
    saved = adjudication_keys.save(store, wanted, sent)
    assert saved.on_disk == ["good", "good"]
    assert [*saved.refused] == [one["press_id"] for one in sent[2:]]
    rows = "select score, cause, note, triggered_by, blind, grader_id from adjudications"
    assert [tuple(row) for row in store.rows(rows)] == [
        (1, "overlooked", "why", "people", 1, wanted.adjudicator.id)
    ]
    undone = key(wanted, version, shown, "undo", status="withdrawn", undo=True)
    assert adjudication_keys.save(store, wanted, [undone]).on_disk == ["undo"]
    assert store.column("select score from adjudications order by id") == [1, None]
    nobody = wanted._replace(adjudicator=None)
    assert [*adjudication_keys.save(store, nobody, [good]).refused] == ["good"]


def test_an_annotator_s_link_opens_only_what_was_assigned(store, monkeypatch):
    wanted = made(store)
    parts = adjudicators.parts(wanted.panel, wanted.cases)
    link = {"view": "grader", "grader": "Lea"}
    assert not opened(monkeypatch, store.path, PAGE, **link).get("bidi_component")[1:]
    stored.assign(store, parts[:1], wanted.adjudicator.id, "Max")
    app = opened(monkeypatch, store.path, PAGE, **link)
    assert not app.exception
    text = component_json(app)
    for hidden in ("gpt", "judge said", '"Ana"', '"Ben"'):
        assert hidden not in text
    sent = json.loads(text)
    assert [place["id"] for place in sent["places"]] == [wanted.cases[0].at]
    assert (sent["total"], sent["locked"]) == (1, "")
    pauses.pause(store, wanted.adjudicator.id, "Max")
    assert not opened(monkeypatch, store.path, PAGE, **link).get("bidi_component")[1:]


def test_a_lead_assigns_the_contested_answers_and_withdraws_them(store, monkeypatch):
    wanted = made(store)
    app = opened(monkeypatch, store.path, PAGE, grader="Max")
    assert app.button(key="adjudicators.assign").disabled
    app.selectbox(key="adjudicators.name").set_value("Lea").run()
    app.button(key="adjudicators.assign").click().run()
    assert not app.exception
    assert app.run().button(key="adjudicators.assign").disabled
    lea = wanted.adjudicator.id
    parts = adjudicators.parts(wanted.panel, wanted.cases)
    assert stored.of_annotator(store, lea) == parts
    app.button(key=f"adjudicators.withdraw.{lea}").click().run()
    assert not app.exception
    assert stored.of_annotator(store, lea) == []
    app.selectbox(key="adjudicators.name").set_value("Ana").run()
    assert app.button(key="adjudicators.assign").disabled  # Ana graded all of them


def test_who_is_excluded_makes_no_case_here(store, monkeypatch):
    made(store)
    rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
    rex = give(store, rubric, "Rex", {0: 0, 2: 0})
    sheet = sheets.all_sheets(store)[0]
    annotator_states.decide(store, sheet.id, rex, "excluded", "Lea", "at random")
    app = opened(monkeypatch, store.path, PAGE, grader="Lea")
    sent = json.loads(component_json(app))
    assert max(len(voices) for voices in sent["places"][0]["voices"].values()) == 2
