"""Alerts of a sheet: whom they name, what closes them, and what is a note and no alert."""

import json

import numpy as np
import pytest

from concord.grading import assignments, gold_items, sheet_progress
from concord.messages import Problem
from concord.reports import comparison
from concord.reports.certificate import certification
from concord.reports.decision import choose
from concord.reports.decision.document import document
from concord.reports.decision.verdict import Terms
from concord.reports.panel.choice import judge_of
from concord.reports.panel.panel import read
from concord.reports.reliability import annotator_alerts
from concord.reports.reliability.annotator_alerts import open_alerts
from concord.stats.reliability.annotator_alerts import EqualScores
from concord.stats.reliability.annotator_alerts import copied as copied_grades
from concord.store import graders, sheets
from concord.store.database import open_store
from concord.store.permissions import VIEWER, Who
from tests.support.grading_room import known, prepared, press
from tests.support.panels import HONEST, panel, thirds
from tests.support.reports.choices import row


def measured(store, rubric, *names):
    made = panel(store, rubric[1], *names)
    found = annotator_alerts.measured_signs(store, made)
    return {made.annotators[i].name: one for i, one in found.items()}


def open_codes(store, rubric, *names):
    found = annotator_alerts.open_alerts(store, panel(store, rubric[1], *names))
    return [(one.annotator, one.code) for one in found]


def test_an_alert_carries_code_p_n_and_parts(store, rubric, with_random_eve):
    found = measured(store, rubric)
    assert {name: len(one["alerts"]) for name, one in found.items()} == dict(
        zip([*HONEST, "Eve"], [0, 0, 0, 0, 1], strict=True)
    )
    (alert,) = found["Eve"]["alerts"]
    assert (alert.code, alert.n, alert.accepted) == ("random", 100, False)
    assert alert.p <= alert.limit == pytest.approx(0.014) and 0.7 < alert.random_share < 1.3
    agreement, gold, repeats = alert.parts
    assert (agreement.figure, agreement.n, gold.n, repeats.n) == ("agreement", 100, 0, 0)
    assert agreement.own < 0.4 < 0.6 < agreement.others
    # Grades from a file have no order, so that there is no drift.
    assert found["Ana"]["signals"][-1].own is None and found["Ana"]["tested"] == 100


def test_who_is_chosen_changes_no_alert(store, rubric, with_random_eve):
    assert open_codes(store, rubric, "Ana", "Eve") == [("Eve", "random")]
    assert open_codes(store, rubric, "Ana", "Ben") == []


def test_nothing_is_certified_while_an_alert_is_open(with_random_eve, chosen):
    """With Eve it is open whether the judge reaches the minimum, without her it does."""
    found = chosen(terms=Terms(0.1, 0.62, 0.5))
    assert [one["annotator"] for one in found.alerts] == ["Eve"]
    assert row(found, "dear").verdict == "cannot_tell"
    shown = next(one for one in document(found).tables if one.name == "without")
    assert ("Eve", "dear", "inconclusive", "good enough") in shown.rows


def test_gold_items_and_their_order_are_read_by_leads_alone(store, sheet, rubric, ana):
    made = prepared(store, sheet, rubric, "Team")
    gold_items.mix_in(store, made, known(store, made, rubric, ["001-atlas", "001-birch"]), "Lea")
    versions = list(rubric[1].versions().values())
    bo = graders.ensure(store, "person", "Bo")
    for person, score in ((bo, 0), (ana, 2)):
        for place in assignments.queue(store, made, person, versions, 1000):
            press(store, made, person, rubric, place, score)
    gold = {name: one["signals"][1] for name, one in measured(store, rubric).items()}
    assert {one.n for one in gold.values()} == {2}
    assert sorted(one.own for one in gold.values()) == [0, 1]
    with open_store(store.path, Who("Vi", VIEWER)) as viewer:
        whole = read(viewer, sheets.all_sheets(viewer)[0], rubric[1])
        found = annotator_alerts.measured_signs(viewer, whole).values()
    assert {one["signals"][1].n for one in found} == {0}


def eve(store):
    return graders.find(store, "person", "Eve").id


def test_who_is_excluded_counts_in_no_panel_whichever_module_reads_it(
    store, with_random_eve, panel
):
    (sheet,) = sheets.all_sheets(store)
    graders.decide_annotator(store, sheet.id, eve(store), "excluded", "Lea", "at random.")
    made = panel()
    assert {one.name for one in made.annotators.values()} == {*HONEST}
    why = made.not_included["Eve"]
    assert (why.code, dict(why.values)["why"]) == ("annotator_excluded", "at random")
    compared = comparison.compare(store, sheet)
    assert [*compared["uncounted"]] == ["Eve"]
    graded = sheet_progress.graded(store, sheet.id)
    assert (graded.annotators, graded.without) == ([*HONEST], ("Eve",))
    with pytest.raises(Problem, match="“Eve” is excluded"):
        panel("Eve")


def test_an_exclusion_is_of_one_sheet_and_its_newest_row_counts(store, rubric, with_random_eve):
    (sheet,) = sheets.all_sheets(store)
    for state in ("excluded", "included", "excluded"):
        graders.decide_annotator(store, sheet.id, eve(store), state, "Lea", "because")
    assert graders.annotator_states(store, sheet.id)[eve(store)].state == "excluded"
    assert graders.annotator_states(store, sheet.id + 1) == {}
    with pytest.raises(Problem, match="Say why"):
        graders.decide_annotator(store, sheet.id, eve(store), "excluded", "Lea", " ")
    assert store.value("select count(*) from annotator_states") == 3


@pytest.mark.parametrize("action", ["exclude", "accept"])
def test_an_alert_is_open_until_its_annotator_is_excluded_or_it_is_accepted(
    store, with_random_eve, action, panel
):
    def alerted():
        made = panel()
        return [one.annotator for one in annotator_alerts.open_alerts(store, made)], made

    before, made = alerted()
    assert before == ["Eve"]
    annotator_alerts.decide(store, made, eve(store), action, "Lea", "seen the answers")
    after, made = alerted()
    assert after == [] and made.states[eve(store)].alert
    assert made.alert_accepted(eve(store)) is (action == "accept")
    assert (eve(store) in made.annotators) is (action == "accept")
    ana = next(iter(made.annotators))
    with pytest.raises(Problem, match="no open alert"):
        annotator_alerts.decide(store, made, ana, "accept", "Lea", "fine")


TERMS = Terms(0.1, 0.6, planned_questions=90)


@pytest.mark.parametrize(
    ("n", "different", "in_use", "shared", "found"),
    [
        (180, 0, 3, 0, EqualScores(1, 180, 180)),
        (100, 2, 3, 0, EqualScores(1, 100, 98)),
        (100, 3, 3, 0, None),
        (30, 0, 3, 0, EqualScores(1, 30, 30)),
        (29, 0, 3, 0, None),
        (180, 0, 2, 0, None),
        (180, 0, 3, 18, EqualScores(1, 180, 180)),  # nine questions of two answers
        (180, 0, 3, 20, None),
        (180, 0, 2, 120, EqualScores(1, 120, 120)),  # the other one gives other scores
    ],
)
def test_which_scores_are_taken_for_a_judges(n, different, in_use, shared, found):
    own = np.array([(0.0, 2.0, 3.0)[at % in_use] for at in range(n)])
    equal = own.copy()
    equal[:different] = 1
    judges = np.stack([np.full(n, 3.0), equal, np.full(n, np.nan)])
    other = np.where(np.arange(n) < shared, 1.0, np.nan)
    rows = copied_grades(np.stack([own, other]), judges, np.arange(n) // 2, (0, 1, 2, 3))
    assert rows[0] == found


def test_a_question_with_many_shared_answers_is_no_overlap():
    own = np.array([(0.0, 2.0, 3.0)[at % 3] for at in range(180)])
    cluster = np.minimum(np.arange(180) // 20, 8)
    sizes = np.array([*np.zeros(100, int), *range(1, 81)])  # one question with 101 of 181 answers
    for by in (cluster, sizes):  # nobody else tells, though the other one agrees
        assert copied_grades(np.stack([own, own]), own[None], by, (0, 1, 2, 3))[0] is not None


def certified(store, doc_qa, name="dear"):
    made = panel(store, doc_qa)
    choose.look(store, made, choose.fix(store, made, judge_of(store, made, "dear"), TERMS))
    return certification.certify(store, made, judge_of(store, made, name))


def test_nothing_is_certified_until_the_alert_is_accepted(store, doc_qa, copied, run):
    (one,) = open_alerts(store, panel(store, doc_qa))
    assert (one.annotator, one.code, one.same, one.n) == ("Ana", "copied", 180, 180)
    for name in ("dear", "cheap"):
        body = certified(store, doc_qa, name)
        assert body.verdict == "good_enough" and not body.certified and "Ana" in body.why_not
    found = json.loads(
        run("annotators", "--accept", "Ana", "--why", "I was there", "--json").stdout
    )
    (card,) = found["cards"]
    assert card["decided"]["alert"] and card["decided"]["why"] == "I was there"
    assert certified(store, doc_qa, "cheap").certified


@pytest.mark.parametrize(("questions", "clear"), [(9, False), (10, True)])
def test_a_second_annotator_on_ten_questions_settles_it(
    store, doc_qa, copied, questions, clear, give, panel
):
    scores = thirds(2 * questions, 3)
    give("Ben", scores)
    assert (open_alerts(store, panel()) == ()) is clear
    assert ("exclude Ana" in certified(store, doc_qa).why_not) is not clear
