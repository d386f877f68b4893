"""A decision where one judge alone has graded, and others that are imported after the look."""

import pytest

from concord.reports import cells
from concord.reports.certificate import certification
from concord.reports.certificate.certificate import summary
from concord.reports.decision.document import conditions, history
from concord.reports.decision.verdict import Terms
from concord.reports.panel.choice import judge_of
from concord.store import decisions
from tests.support.panels import judge
from tests.support.reports.choices import off, row, some_off, state

TERMS = Terms(0.10, None, 0.5)


def later(store, doc_qa, scores):
    """Import two bad judges, one of them at random."""
    judge(store, doc_qa, "bad", some_off(scores, 0.6, 4))
    judge(store, doc_qa, "worse", some_off(scores, 0.7, 5))


def test_a_judge_alone_is_told_its_own_verdict_as_its_certificate_does(store, alone, panel, chosen):
    found = chosen(TERMS, "gpt")
    assert found.headline.startswith("Keep gpt on correctness")
    made = panel()
    body = certification.certify(store, made, judge_of(store, made, "gpt"))
    assert body.certified
    (decision,) = decisions.of_sheet(store, made.sheet.id)
    assert history(store, [decision]).rows[0][3] == "good enough"
    step, then = state(store, made.sheet, 1)
    assert (step.figure, step.state, then.screen) == ("Good enough", "done", "certificate")


@pytest.mark.parametrize("margin", [0.10, 0.05])
def test_judges_imported_later_leave_a_verdict_that_does_not_rest_on_them(
    store, doc_qa, alone, scores, margin, panel, chosen
):
    """With the smaller margin its p times three, the number of judges, would exceed .05."""
    terms = TERMS._replace(margin=margin)
    first = chosen(terms, "gpt")
    later(store, doc_qa, scores)
    found = chosen(terms, "gpt")
    assert found.reference.confirmed and found.reference.p == first.reference.p
    made = panel()
    step, then = state(store, made.sheet, 3)
    assert (step.figure, then.screen) == ("Good enough", "certificate")
    assert certification.certify(store, made, judge_of(store, made, "gpt")).certified


def test_a_judge_that_came_after_the_last_look_neither_passes_nor_fails(
    store, doc_qa, alone, scores, chosen
):
    chosen(TERMS, "gpt")
    later(store, doc_qa, scores)
    found = chosen(TERMS, "gpt")
    bad = row(found, "bad")
    assert bad.verdict == "cannot_tell"
    assert {one.state for one in bad.conditions.values()} <= {"untested", "none"}
    assert "fail" not in [row[-1] for row in conditions(found).rows if row[0] == "bad"]


NO_MINIMUM = Terms(0.3, None, None)


def test_an_annotator_who_copies_a_judge_is_named_and_bars_the_certificate(
    store, scores, give, judge, panel, chosen
):
    copied = off(off(scores, 4), 5, 1)
    give("Ana", scores)
    give("Ben", copied)
    judge("dear", off(off(scores, 4, 2), 5, 3))
    judge("cheap", copied | {0: scores[0]})
    found = chosen(NO_MINIMUM)
    assert found.winner == "cheap"
    (alert,) = found.alerts
    assert (alert["annotator"], alert["judge"], alert["code"]) == ("Ben", "cheap", "copied")
    assert (alert["same"], alert["n"]) == (119, 120) and "Ben" in found.headline
    made = panel()
    body = certification.certify(store, made, judge_of(store, made, "cheap"))
    assert not body.certified and "exclude Ben" in body.why_not


def test_of_a_judge_that_graded_only_the_easy_half_no_verdict_is_replayed(
    store, scores, give, judge, panel, chosen
):
    give("Ana", scores)
    judge("dear", off(scores, 20))
    judge("other", off(scores, 20, 5))
    judge("cheap", {n: score for n, score in scores.items() if n % 3 == 0})
    found = chosen(NO_MINIMUM)
    assert found.winner == "other" and "cheap" in found.left_out
    made = panel()
    body = certification.certify(store, made, judge_of(store, made, "cheap"))
    assert not body.certified
    assert not any("sensitivity analyses" in finding for _, finding in summary(body).rows)


def test_kappa_just_under_zero_is_written_without_a_sign():
    assert cells.written(-0.001, "number") == "0.00"
