"""The card of each annotator: progress, what was decided, and the order of cards."""

from dataclasses import replace

from concord.grading import annotators, assignments, campaigns, grading_sets
from concord.reports.panel.panel import read
from concord.reports.reliability import annotator_alerts, annotator_cards
from concord.reports.reliability.annotator_alerts import Alert, Measured
from concord.reports.reliability.annotator_cards import AnnotatorCard
from concord.store import sheets
from tests.support.grading_room import prepared, press


def cards(store, rubric):
    panel = read(store, sheets.all_sheets(store)[0], rubric[1])
    measured = annotator_alerts.measured_signs(store, panel)
    return {one.annotator: one for one in annotator_cards.cards(store, panel, measured)}


def test_signals_are_those_there_are(store, rubric, with_random_eve):
    found = cards(store, rubric)
    rows = annotator_cards.signals(found["Eve"]).rows
    assert [row[1] for row in rows] == [100]  # agreement alone: no gold, repeat or time
    head = annotator_cards.headline([*found.values()])
    assert "Eve" in head.headline and "Ana" not in head.headline


def test_progress_is_by_set_with_its_due_date_and_also_of_who_has_no_grade(
    store, rubric, sheet, ana
):
    made = prepared(store, sheet, rubric, "Team")
    assignments.queue(store, made, ana, list(rubric[1].versions().values()), 10)
    [card] = cards(store, rubric).values()
    [progress] = card.progress
    assert (progress.set, progress.done, progress.deadline) == ("Team", 0, None)
    assert progress.total > 0 and card.measured.signals == ()
    annotators.pause(store, ana, "Lea", "random keys")
    [card] = cards(store, rubric).values()
    assert card.paused == annotators.pause_of(store, ana).since


def test_a_set_that_is_overdue_is_said_to_be_until_it_is_done():
    progress = annotator_cards.SetProgress("Team", 3, 9, "2026-01-31", False, None)
    assert annotator_cards.due(progress) == ["was due 2026-01-31"]
    assert annotator_cards.due(replace(progress, done=9)) == ["due 2026-01-31"]
    assert annotator_cards.due(replace(progress, deadline="9999-01-31")) == ["due 9999-01-31"]
    assert annotator_cards.due(replace(progress, deadline=None)) == []


def test_unused_sets_have_no_card(store, rubric, sheet):
    grading_sets.create(store, sheet.id, rubric[0], "Empty", None, 1)
    assert cards(store, rubric) == {}


def test_a_card_shows_who_was_removed_and_the_pace_of_the_set(
    store, rubric, sheet, ana, monkeypatch
):
    monkeypatch.setattr(assignments, "pace", lambda *_: 7.0)  # as the card of the set says
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 6, 0.0)
    campaigns.begin(store, made, [ana], 1, 0.0)
    versions = list(rubric[1].versions().values())
    for place in assignments.queue(store, made, ana, versions, 6)[:6]:
        press(store, made, ana, rubric, place, 2)
    [card] = cards(store, rubric).values()
    [progress] = card.progress
    assert progress.pace == 7.0 and not progress.removed
    campaigns.leave(store, made, ana, "Lea")
    [card] = cards(store, rubric).values()
    assert card.removed and card.progress[0].done == 6


def test_cards_with_an_open_alert_come_first_and_others_keep_their_order():
    def card(name, *accepted):
        alerts = tuple(Alert(name, "random", 40, "", accepted=one) for one in accepted)
        return AnnotatorCard(name, 1, False, (), Measured(alerts=alerts), None, 0)

    found = (card("Ana"), card("Ben", True), card("Cho", False), card("Dan", False, True))
    ordered = annotator_cards.alerts_first(found)
    assert [one.annotator for one in ordered] == ["Cho", "Dan", "Ana", "Ben"]
