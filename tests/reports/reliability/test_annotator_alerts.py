"""Alerts of a sheet: whom they name, what closes them, and what is a note and no alert."""

import json

import numpy as np
import pytest

from concord.grading import assignments, gold_items
from concord.reports.decision.document import document
from concord.reports.decision.results import Changed, Terms
from concord.reports.panel.panel import read
from concord.reports.reliability import annotator_alerts, annotator_cards
from concord.store import additions, graders, sheets
from concord.store.database import open_store
from concord.store.permissions import VIEWER, Who
from tests.support.grading_room import known, prepared, press
from tests.support.made_items import made_item
from tests.support.panels import HONEST, give, honest, judge, panel
from tests.support.reports.choices import chosen, row
from tests.support.screens import opened


def measured(store, rubric, *names):
    made = panel(store, rubric[1], *names)
    found = annotator_alerts.measured_signs(store, made)
    return {made.annotators[i].name: one for i, one in found.items()}


def open_codes(store, rubric, *names):
    found = annotator_alerts.open_alerts(store, panel(store, rubric[1], *names))
    return [(one.annotator, one.code) for one in found]


def test_an_alert_carries_code_p_n_and_parts(store, rubric, with_random_eve):
    found = measured(store, rubric)
    assert {name: len(one.alerts) for name, one in found.items()} == dict(
        zip([*HONEST, "Eve"], [0, 0, 0, 0, 1], strict=True)
    )
    (alert,) = found["Eve"].alerts
    assert (alert.code, alert.n, alert.accepted) == ("random", 100, False)
    assert alert.p <= alert.limit == pytest.approx(0.014) and 0.7 < alert.random_share < 1.3
    agreement, gold, repeats = alert.parts
    assert (agreement.figure, agreement.n, gold.n, repeats.n) == ("agreement", 100, 0, 0)
    assert agreement.own < 0.4 < 0.6 < agreement.others
    # Grades from a file have no order, so that there is no drift.
    assert found["Ana"].signals[-1].own is None and found["Ana"].tested == 100


def test_agreement_annotators_and_choose_carry_the_open_alerts(store, rubric, with_random_eve, run):
    for words in (("agreement",), ("choose", "--against", "dear")):
        found = json.loads(run(*words, "--json").stdout)
        assert [(one["annotator"], one["code"]) for one in found["alerts"]] == [("Eve", "random")]
    cards = json.loads(run("annotators", "--json").stdout)["cards"]
    assert [one["annotator"] for one in cards if one["alerts"]] == ["Eve"]
    (alert,) = next(one["alerts"] for one in cards if one["alerts"])
    assert {"code", "p", "n", "parts"} <= alert.keys()
    assert [one["figure"] for one in alert["parts"]] == ["agreement", "gold", "repeats"]


def test_who_is_chosen_changes_no_alert(store, rubric, with_random_eve):
    assert open_codes(store, rubric, "Ana", "Eve") == [("Eve", "random")]
    assert open_codes(store, rubric, "Ana", "Ben") == []


def test_nothing_is_certified_while_an_alert_is_open(store, rubric, with_random_eve):
    """With Eve it is open whether the judge reaches the minimum, without her it does."""
    found = chosen(store, rubric[1], terms=Terms(0.1, 0.62, 0.5))
    assert [one.annotator for one in found.alerts] == ["Eve"]
    (eve,) = [one for one in found.without_annotators if one.annotator == "Eve"]
    assert row(found, "dear").verdict == "cannot_tell"
    assert Changed("dear", "cannot_tell", "good_enough") in eve.judges
    shown = next(one for one in document(found).tables if one.name == "without")
    assert ("Eve", "dear", "inconclusive", "good enough") in shown.rows


def test_a_shift_is_a_note_with_its_interval_and_bars_nothing(store, rubric, run):
    random = np.random.default_rng(3)
    made = [made_item(n, model) for n in range(30) for model in ("atlas", "birch")]
    additions.add(store, "n", made, "n.csv", "0" * 64, {})
    truth = random.choice((1, 2, 3), 60)
    for name in HONEST:
        scores = honest(random, truth, 0.2)
        give(store, rubric[1], name, dict(enumerate(map(int, scores))))
    low = np.maximum(honest(random, truth, 0.2) - 1, 0)
    give(store, rubric[1], "Lou", dict(enumerate(map(int, low))))
    found = measured(store, rubric)
    assert {name for name, one in found.items() if one.note} == {"Lou"}
    note = found["Lou"].note
    assert note.n == 60 and note.low < note.value < note.high < -0.25 and note.value < -0.6
    assert open_codes(store, rubric) == []
    cards = json.loads(run("annotators", "--json").stdout)["cards"]
    lou = next(one for one in cards if one["annotator"] == "Lou")
    assert lou["alerts"] == [] and lou["note"]["value"] == pytest.approx(note.value)


def test_scores_that_equal_a_judges_are_an_alert_of_the_same_kind(store, rubric):
    random = np.random.default_rng(4)
    made = [made_item(n, model) for n in range(30) for model in ("atlas", "birch")]
    additions.add(store, "n", made, "n.csv", "0" * 64, {})
    truth = random.integers(0, 4, 60)
    for name in ("Ana", "Ben", "Cho"):
        scores = honest(random, truth, 0.4)
        give(store, rubric[1], name, dict(enumerate(map(int, scores))))
    copied = dict(enumerate(map(int, honest(random, truth, 0.3))))
    for give_as, name in ((give, "Dov"), (judge, "gpt")):
        give_as(store, rubric[1], name, copied)
    (alert,) = annotator_alerts.open_alerts(store, panel(store, rubric[1]))
    assert (alert.annotator, alert.code, alert.judge) == ("Dov", "copied", "gpt")
    assert (alert.criterion, alert.same, alert.n, alert.p) == ("correctness", 60, 60, None)


def test_gold_items_and_their_order_are_read_by_leads_alone(store, sheet, rubric, ana):
    made = prepared(store, sheet, rubric, "Team")
    gold_items.mix_in(store, made, known(store, made, rubric, ["001-atlas", "001-birch"]), "Lea")
    versions = list(rubric[1].versions().values())
    bo = graders.ensure(store, "person", "Bo")
    for person, score in ((bo, 0), (ana, 2)):
        for place in assignments.queue(store, made, person, versions, 1000):
            press(store, made, person, rubric, place, score)
    gold = {name: one.signals[1] for name, one in measured(store, rubric).items()}
    assert {one.n for one in gold.values()} == {2}
    assert sorted(one.own for one in gold.values()) == [0, 1]
    with open_store(store.path, Who("Vi", VIEWER)) as viewer:
        whole = read(viewer, sheets.all_sheets(viewer)[0], rubric[1])
        found = annotator_alerts.measured_signs(viewer, whole).values()
    assert {one.signals[1].n for one in found} == {0}


def test_grades_too_fast_to_read_are_noted(store, rubric, sheet, grade_at):
    for who, seconds in (("Ana", 0.1), ("Ben", 60)):
        grade_at(who, dict.fromkeys(range(20), 2), "2026-11-01T09", seconds=seconds)
    found = measured(store, rubric)
    assert (found["Ana"].timed, found["Ana"].too_fast, found["Ana"].seconds) == (20, 20, 0.1)
    assert (found["Ben"].too_fast, found["Ben"].others_seconds) == (0, 0.1)
    made = panel(store, rubric[1])
    cards = annotator_cards.cards(store, made, annotator_alerts.measured_signs(store, made))
    assert [len(annotator_cards.notes(one)) for one in cards] == [1, 0]
    assert not any(one.measured.has_open for one in cards)


@pytest.mark.parametrize("page", ["agreement", "annotators", "decide"])
def test_the_screens_show_open_alerts(store, rubric, with_random_eve, monkeypatch, tmp_path, page):
    chosen(store, rubric[1])
    app = opened(monkeypatch, tmp_path / "concord.db", f"pages/{page}.py")
    assert not app.exception
    assert len(app.warning) == 1 and "Eve" in app.warning[0].value
