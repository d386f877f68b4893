"""What leads and adjudicators do on the screens of annotating: flags, cases, alerts, withdrawal."""

import json

from concord.grading import adjudications as stored
from concord.grading import (
    annotators,
    assignments,
    comments,
    grading_sets,
)
from concord.grading.comments import At
from concord.reports import adjudicate
from concord.reports.adjudicate import AdjudicationPick, differing
from concord.reports.panel import panel as panel_reading
from concord.store import additions, graders, items
from concord.store.rubrics import rubric_versions
from tests.support.grading_room import component_json
from tests.support.made_items import made_item
from tests.support.panels import give, judge
from tests.support.screens import opened


def test_a_lead_replies_to_a_flag_and_the_pane_shows_it(store, sheet, rubric, app):
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1)
    ana = graders.ensure(store, "person", "Ana")
    versions = list(rubric[1].versions().values())
    place = assignments.queue(store, made, ana, versions, 1)[0]
    at = At(made.id, place.item_id, ana)
    comments.add(store, "flag", at, "Ana", "Is *tea* fermented?")
    comments.add(store, "flag", at._replace(item_id=place.item_id % 36 + 1), "Ana", "And this?")
    assert len(app("pages/overview.py").info) == 1
    page = app("pages/annotate.py", flag=":".join(map(str, at)))
    rows = next(one for one in page.dataframe if "Flag" in one.value)
    assert sorted(rows.value["Flag"]) == ["And this?", "Is *tea* fermented?"]
    question = items.item(store, place.item_id).item.question
    assert any(question in one.proto.body for one in page.get("html"))
    key = f"flags.{':'.join(map(str, at))}"
    page.text_area(key=key).set_value("Some is.").run()
    page.button(key=f"{key}.send").click().run()
    page.button(key="flags.next").click().run()
    assert not page.exception and [one.key for one in page.text_area] != [key]
    sent = json.loads(component_json(app("pages/grade.py", set=made.id, grader="Ana")))
    assert sent["places"][0]["own"] == [
        [["flag", "Ana", "Is *tea* fermented?"], ["reply", "local", "Some is."]],
        "",
    ]
    [[replied, _]] = sent["answered"]
    assert replied == place.id


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
    voices = adjudicate.voices_of(store, wanted.panel, wanted.cases[0].at, wanted.seed)
    shown = adjudicate.seen(voices)
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
    saved = adjudicate.save(store, wanted, sent)
    assert saved.on_disk == ["good", "good"]
    assert [*saved.refused] == [one["press_id"] for one in sent[2:]]
    rows = "select score, cause, note, triggered_by, blind, grader_id from adjudications"
    assert [tuple(row) for row in store.rows(rows)] == [
        (1, "overlooked", "why", "people", 1, wanted.adjudicator.id)
    ]
    undone = key(wanted, version, shown, "undo", status="withdrawn", undo=True)
    assert adjudicate.save(store, wanted, [undone]).on_disk == ["undo"]
    assert store.column("select score from adjudications order by id") == [1, None]
    nobody = wanted._replace(adjudicator=None)
    assert [*adjudicate.save(store, nobody, [good]).refused] == ["good"]


def test_an_annotator_s_link_opens_only_what_was_assigned(store, monkeypatch):
    wanted = made(store)
    parts = adjudicate.parts(wanted.panel, wanted.cases)
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
    annotators.pause(store, wanted.adjudicator.id, "Max")
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
    parts = adjudicate.parts(wanted.panel, wanted.cases)
    assert stored.of_annotator(store, lea) == parts
    app.button(key=f"adjudicators.withdraw.{lea}").click().run()
    assert not app.exception
    assert stored.of_annotator(store, lea) == []
    app.selectbox(key="adjudicators.name").set_value("Ana").run()
    assert app.button(key="adjudicators.assign").disabled  # Ana graded all of them


PAGE_OF_PROGRESS = "pages/progress.py"


def test_who_does_not_lead_sees_no_card(store, rubric, with_eve, monkeypatch):
    monkeypatch.setattr("concord.ui.screens.annotators.leads", lambda store: False)
    app = opened(monkeypatch, store.path, PAGE_OF_PROGRESS)
    assert not app.exception
    assert not app.warning


def test_an_open_alert_is_the_next_step_of_the_overview_for_leads_alone(
    store, rubric, with_eve, monkeypatch
):
    def names_eve():
        app = opened(monkeypatch, store.path, "pages/overview.py")
        assert not app.exception
        return any("alert is open" in one.value for one in app.markdown)

    eve = graders.named(store, "person", "Eve").id
    assert names_eve()
    annotators.pause(store, eve, "Lea")  # which decides nothing about the grades
    assert names_eve()
    graders.decide_annotator(store, with_eve.id, eve, "included", "Lea", "seen", alert=True)
    assert not names_eve()
    graders.decide_annotator(store, with_eve.id, eve, "included", "Lea", "not seen")
    for module in ("concord.ui.looker", "concord.ui.screens.overview"):
        monkeypatch.setattr(f"{module}.leads", lambda store: False)
    assert not names_eve()


def test_a_set_that_nobody_has_begun_is_withdrawn(store, whole_set, monkeypatch):
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    app.button(key=f"sets.remove.{whole_set.id}").click().run()
    assert not app.exception and grading_sets.of_sheet(store, whole_set.sheet_id) == []
