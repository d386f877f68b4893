"""A lone annotator whose scores equal a judge's bars every certificate until somebody looks."""

import json

import numpy as np
import pytest

from concord.reports.certificate import certification
from concord.reports.decision import choose
from concord.reports.decision.results import Terms
from concord.reports.panel.candidates import judge_of
from concord.reports.reliability.annotator_alerts import open_alerts
from concord.stats.reliability.annotator_alerts import EqualScores
from concord.stats.reliability.annotator_alerts import copied as copied_grades
from concord.store import graders
from tests.support.panels import give, panel, thirds
from tests.support.screens import opened, said

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
def test_a_second_annotator_on_ten_questions_settles_it(store, doc_qa, copied, questions, clear):
    scores = thirds(2 * questions, 3)
    give(store, doc_qa, "Ben", scores)
    assert (open_alerts(store, panel(store, doc_qa)) == ()) is clear
    assert ("an alert on Ana" in certified(store, doc_qa).why_not) is not clear


def test_the_card_shows_it_and_takes_the_reason(store, doc_qa, copied, monkeypatch):
    app = opened(monkeypatch, store.path, "pages/progress.py", sheet="numbers")
    assert "equal those of dear on 180 of 180" in " ".join(one.value for one in app.warning)
    app.text_input(key=f"accept.{copied}.why").set_value("I saw her grade")
    app = app.button(key=f"accept.{copied}").click().run()
    assert not app.exception and "I saw her grade" in said(app)
    assert open_alerts(store, panel(store, doc_qa)) == ()
    assert graders.get(store, copied).id in panel(store, doc_qa).annotators
