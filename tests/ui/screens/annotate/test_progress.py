"""The lead sees a card per annotator, reads an alert and its answers, and pauses an annotator."""

from concord.grading import (
    assignments,
    campaigns,
    grading_sets,
    pauses,
    set_graders,
    workspace,
)
from concord.store import annotator_states, graders
from tests.support.screens import opened

PAGE = "pages/progress.py"


def test_an_alert_comes_first_with_what_it_rests_on(store, rubric, with_eve, monkeypatch):
    eve = graders.named(store, "person", "Eve").id
    made = grading_sets.create(store, with_eve.id, rubric[0], "Team", None, 1)
    set_graders.join(store, made, eve, "Max")
    app = opened(monkeypatch, store.path, PAGE)
    assert not app.exception and len(app.warning) == 1
    assert app.subheader[0].value == "Eve"
    assert [*app.table[0].value] == ["figure", "n", "annotator", "others"]
    pauses_offered = [one.key for one in app.button if str(one.key).startswith("pause.")]
    assert pauses_offered == [f"pause.{eve}"]  # the others have no set


def test_a_paused_annotator_who_was_removed_is_offered_no_resume(store, sheet, rubric, monkeypatch):
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 6, 0.0)
    ann, bo = (graders.ensure(store, "person", name) for name in ("Ann", "Bo"))
    campaigns.begin(store, made, [ann, bo], 1, 0.0)
    versions = list(rubric[1].versions().values())
    place, *_ = assignments.queue(store, made, ann, versions, 1)
    keys = [workspace.Key(one, place.id, one, "scored", 2) for one in versions]
    workspace.save(store, made, ann, rubric[1], keys)
    campaigns.leave(store, made, ann, "Lea")
    pauses.pause(store, ann, "Lea")
    app = opened(monkeypatch, store.path, PAGE)
    assert f"pause.{ann}" not in [one.key for one in app.button]


def test_who_does_not_lead_sees_no_card(store, rubric, with_eve, monkeypatch):
    monkeypatch.setattr("concord.ui.looker.leads", lambda store: False)
    app = opened(monkeypatch, store.path, PAGE)
    assert not app.exception
    assert not app.warning


def test_the_overview_names_annotators_with_an_alert_to_leads_alone(
    store, rubric, with_eve, monkeypatch
):
    eve = graders.named(store, "person", "Eve").id
    app = opened(monkeypatch, store.path, "pages/overview.py")
    assert not app.exception
    assert len(app.warning) == 1 and "Eve" in app.warning[0].value
    pauses.pause(store, eve, "Lea")  # which decides nothing about the grades
    assert opened(monkeypatch, store.path, "pages/overview.py").warning
    annotator_states.decide(store, with_eve.id, eve, "included", "Lea", "seen", alert=True)
    assert not opened(monkeypatch, store.path, "pages/overview.py").warning
    annotator_states.decide(store, with_eve.id, eve, "included", "Lea", "not seen")
    monkeypatch.setattr("concord.ui.screens.annotate.out_of_line.leads", lambda store: False)
    app = opened(monkeypatch, store.path, "pages/overview.py")
    assert not app.exception and not app.warning
