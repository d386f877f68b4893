"""The card of each annotator: progress, what is out of line, and a pause."""

from dataclasses import replace

import numpy as np
import pytest

from concord.grading import assignments, campaigns, gold_items, grading_sets, pauses
from concord.reports.panel import grading_times
from concord.reports.panel.panel_reading import read
from concord.reports.reliability import (
    annotator_card_document,
    annotator_cards,
    annotator_signals,
    gold_results,
)
from concord.reports.reliability.annotator_cards import AnnotatorCard
from concord.reports.reliability.annotator_signals import AnnotatorSignals, Signal
from concord.reports.reliability.testable_agreement import Enough
from concord.stats.reliability import annotator_alerts
from concord.store import additions, graders, sheets
from concord.store.database import open_store
from concord.store.permissions import VIEWER, Who
from tests.support.known import known, prepared, press
from tests.support.made_items import made_item
from tests.support.panels import give


def cards(store, rubric):
    panel = read(store, sheets.all_sheets(store)[0], rubric[1])
    measured = annotator_signals.measured(store, panel, grading_times.read(store, panel))
    return {one.annotator: one for one in annotator_cards.cards(store, panel, measured)}


def test_random_keys_raise_an_alert_in_words_and_honest_annotators_none(
    store, rubric, with_random_eve
):
    found = cards(store, rubric)
    assert [name for name, card in found.items() if card.alerts] == ["Eve"]
    assert {one.figure for one in found["Eve"].alerts} == {"agreement", "exact"}
    text, *_ = annotator_card_document.alerts(found["Eve"], rubric[1])
    assert found["Eve"].alerted == ["correctness"]
    assert annotator_card_document.counted(found.values()) is None  # no gold items, no repeats
    assert "Agreement on correctness is low: QWK" in text and "(n = 100)" in text
    assert found["Eve"].progress == () and found["Eve"].paused is None
    document = annotator_card_document.document(found["Eve"], rubric[1], "correctness")
    rows = {row[0]: row[1:] for row in document.tables[0].rows}
    assert rows["Agreement with the other annotators, exact"][0] == 100
    assert rows["Gold items, exact"] == (0, None, None, None, None)
    assert rows["Graded too fast to read"][0] == 0


def test_the_only_partner_of_random_keys_has_no_alert_and_the_card_says_what_is_lacking(
    store, rubric
):
    random = np.random.default_rng(3)
    made = [made_item(n, model) for n in range(100) for model in ("atlas", "birch")]
    additions.add(store, "n", made, "n.csv", "0" * 64, {})
    truth = random.integers(0, 4, 200)
    shares = {"Ana": range(60, 160), "Ben": range(60, 160), "Cho": range(60), "Eve": range(60, 160)}
    for name, places in shares.items():
        give(store, rubric[1], name, {n: int(truth[n]) for n in places})
    give(store, rubric[1], "Dan", {n: int(random.integers(0, 4)) for n in range(60)})
    found = cards(store, rubric)
    assert [name for name, card in found.items() if card.alerts] == []
    assert annotator_card_document.untested(found["Cho"], "correctness") == (
        "Agreement is tested once 10 answers are shared with annotators other than Dan; 0 so far."
    )
    give(store, rubric[1], "Cho", {n: int(truth[n]) for n in range(60, 70)})
    give(store, rubric[1], "Dan", {n: int(random.integers(0, 4)) for n in range(70, 100)})
    found = cards(store, rubric)
    assert annotator_card_document.untested(found["Cho"], "correctness") is None
    assert [name for name, card in found.items() if card.alerts] == ["Dan"]


def test_grades_given_too_fast_are_an_alert(store, rubric, sheet, grade_at):
    for who, seconds in (("Ana", 0.1), ("Ben", 60)):
        grade_at(who, dict.fromkeys(range(20), 2), "2026-11-01T09", seconds=seconds)
    found = cards(store, rubric)
    speed = found["Ana"].measured.signals[-1]
    assert (speed.figure, speed.criterion, speed.n, speed.own) == ("speed", None, 20, 1.0)
    assert speed.alert and not found["Ben"].alerts
    [text] = annotator_card_document.alerts(found["Ana"], rubric[1])
    assert text == "100% of 20 timed answers were graded too fast to have been read."


def test_a_card_names_each_partner_and_compares_the_seconds(store, rubric, sheet, grade_at):
    for who, count, seconds in (("Ana", 20, 4), ("Ben", 12, 60), ("Cem", 3, 20)):
        scores = {place: 2 if who == "Ana" else place % 3 for place in range(count)}
        grade_at(who, scores, "2026-11-01T09", seconds=seconds)
    found = cards(store, rubric)
    ana = annotator_card_document.document(found["Ana"], rubric[1], "correctness")
    signals, partners = ana.tables
    assert [row[:2] for row in partners.rows] == [("Ben", 12), ("Cem", 3)]
    exact, qwk = partners.rows[0][2:]
    assert exact.value == 1 / 3 and qwk.value is None
    assert any("requires 30 answers" in note for note in ana.notes)
    assert signals.rows[-1][:4] == (
        "Seconds per answer (median)",
        20,
        "4.0",
        "others 60.0 (n = 15)",
    )
    cem = annotator_card_document.document(found["Cem"], rubric[1], "correctness").tables[0]
    assert cem.rows[-1][1:4] == (3, "too few (3)", "others 4.0 (n = 32)")
    assert not found["Cem"].alerts


def test_progress_is_by_set_with_its_due_date_and_also_of_who_has_no_grade(
    store, rubric, sheet, ana
):
    made = prepared(store, sheet, rubric, "Team")
    assignments.queue(store, made, ana, list(rubric[1].versions().values()), 10)
    [card] = cards(store, rubric).values()
    [progress] = card.progress
    assert (progress.set, progress.done, progress.deadline) == ("Team", 0, None)
    assert progress.total > 0 and card.measured.signals == ()
    pauses.pause(store, ana, "Lea", "random keys")
    [card] = cards(store, rubric).values()
    assert card.paused == pauses.of(store, ana).since
    facts = annotator_card_document.document(card, rubric[1]).facts
    assert facts[0].startswith("Team: 0 of ") and facts[-1].startswith("Paused since ")


def test_a_set_that_is_overdue_is_said_to_be_until_it_is_done():
    progress = annotator_cards.SetProgress("Team", 3, 9, "2026-01-31", False, None)
    assert annotator_card_document.due(progress) == ["was due 2026-01-31"]
    assert annotator_card_document.due(replace(progress, done=9)) == ["due 2026-01-31"]
    assert annotator_card_document.due(replace(progress, deadline="9999-01-31")) == [
        "due 9999-01-31"
    ]
    assert annotator_card_document.due(replace(progress, deadline=None)) == []


def test_gold_is_compared_with_the_others_and_a_viewer_has_no_signals(store, sheet, rubric, ana):
    made = prepared(store, sheet, rubric, "Team")
    gold_items.mix_in(store, made, known(store, made, rubric, ["001-atlas", "001-birch"]), "Lea")
    versions = list(rubric[1].versions().values())
    bo = graders.ensure(store, "person", "Bo")
    for person, score in ((bo, 0), (ana, 2)):
        for place in assignments.queue(store, made, person, versions, 1000):
            press(store, made, person, rubric, place, score)
    whole = gold_results.results(store, made)
    name = rubric[1].criteria[0].name
    exact = {one.name: one.accuracy for one in whole.annotators if one.criterion == name}
    counted = annotator_card_document.counted(cards(store, rubric).values())
    assert "The list of answers leaves out repeats and has the training round." in counted
    for who, card in cards(store, rubric).items():
        [gold] = [
            one for one in card.measured.signals if (one.figure, one.criterion) == ("gold", name)
        ]
        assert (gold.n, gold.own) == (exact[who].n, exact[who].exact.value)
    path = store.path
    with open_store(path, Who("Vi", VIEWER)) as viewer, pytest.raises(Exception, match="leads"):
        cards(viewer, rubric)


def test_unused_sets_have_no_card(store, rubric, sheet):
    grading_sets.create(store, sheet.id, rubric[0], "Empty", None, 1)
    assert cards(store, rubric) == {}


def test_a_card_says_how_many_shared_answers_a_test_of_agreement_needs(
    store, rubric, with_random_eve, monkeypatch
):
    def lacking(name):
        return annotator_card_document.untested(cards(store, rubric)[name], "correctness")

    give(store, rubric[1], "Late", dict.fromkeys(range(22), 2))
    assert lacking("Late") == "Agreement is tested from 30 shared answers on; 22 so far."
    assert lacking("Eve") is None
    text = str(annotator_card_document.document(cards(store, rubric)["Late"], rubric[1]).facts)
    assert "from 30 shared answers on; 22 so far" in text
    card = replace(cards(store, rubric)["Late"], testable=Enough(False, False))
    assert annotator_card_document.untested(card) == (
        "Agreement is tested from 30 shared answers on; 22 so far. What is assigned is too little "
        "to test agreement: assign more answers to several annotators. Or mix in gold items: they "
        "are tested from 5 on."
    )
    for module in (annotator_card_document, annotator_alerts):  # one constant is the rule of both
        monkeypatch.setattr(module, "ANNOTATOR_FLOOR", 20)
    assert lacking("Late") is None


def test_with_two_annotators_more_shared_answers_are_not_what_is_lacking(store, rubric):
    made = [made_item(n) for n in range(31)]
    additions.add(store, "n", made, "n.csv", "0" * 64, {})
    for name in ("Ana", "Ben"):
        give(store, rubric[1], name, {n: n % 4 for n in range(31)})
    found = annotator_card_document.untested(cards(store, rubric)["Ana"])
    other = (
        "Agreement is tested once 10 answers are shared with annotators other than Ben; 0 so far."
    )
    assert found == other


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
    facts = annotator_card_document.document(card, rubric[1]).facts
    assert card.removed and facts[0] == "Team: removed from the set; 6 graded, and kept"


def test_the_card_with_most_alerts_comes_first_and_others_keep_their_order():
    def card(name, alerts):
        raised = [Signal("gold", f"c{n}", 10, 0.1, 0.8, 0.001, True) for n in range(alerts)]
        return AnnotatorCard(name, 1, False, (), AnnotatorSignals(tuple(raised)), None, 0)

    found = (card("Ana", 0), card("Ben", 0), card("Cho", 3), card("Dan", 5))
    ordered = annotator_cards.most_alerts_first(found)
    assert [one.annotator for one in ordered] == ["Dan", "Cho", "Ana", "Ben"]
