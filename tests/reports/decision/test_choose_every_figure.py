"""A choice by every deciding figure, and on the worst data: what is shown is true read alone."""

import random

import pytest

from concord.reports import terminal
from concord.reports.agreement.agreement import rows as agreement_rows
from concord.reports.certificate import certification
from concord.reports.certificate.certificate import document as certificate_document
from concord.reports.certificate.certificate import page, summary
from concord.reports.decision.document import conditions
from concord.reports.decision.verdict import GOOD_ENOUGH, Terms
from concord.reports.panel.choice import judge_of
from concord.stats.decision.deciding_figure import FIGURES
from tests.support.reports.choices import off, row


@pytest.mark.parametrize("key", FIGURES)
def test_a_choice_by_any_figure_is_shown_in_its_own_unit(
    store, scores, key, give, judge, panel, chosen, two_judges
):
    figure = FIGURES[key]
    give("Ana", scores)
    judge("bad", {p: 3 - s if p % 2 else s for p, s in scores.items()})
    found = chosen(Terms(figure.margin or 0.15, figure=key, failure_recall=0.5))
    assert row(found, "cheap").verdict == GOOD_ENOUGH != row(found, "bad").verdict
    assert row(found, "cheap").difference.value == pytest.approx(0, abs=0.02)
    made = panel()
    body = certification.certify(store, made, judge_of(store, made, "cheap"))
    margin = "10 points" if figure.kind == "share" else "0.15"
    assert dict(summary(body).rows)["First terms, correctness"].startswith(
        f"{figure.title}; margin {margin}; "
    )


def test_no_interval_of_balanced_accuracy_reaches_beyond_100_percent(scores, give, judge, chosen):
    give("Ana", scores)
    judge("dear", scores)
    judge("cheap", {p: 3 if p in (2, 5, 32, 62, 92) else s for p, s in scores.items()})
    found = chosen(Terms(0.1, None, None))
    (one,) = [each for each in found.judges if each.judge == "cheap"]
    accuracy = one.conditions["balanced_accuracy"].estimate
    assert accuracy.method.startswith("question jackknife") and accuracy.high <= 1


def random_scores(seed, places):
    numbers = random.Random(seed)
    return {place: numbers.randint(0, 3) for place in places}


def constant(scores):
    return dict.fromkeys(scores, 3)


@pytest.mark.parametrize(
    ("annotators", "reference", "candidate"),
    [
        # a judge that always gives one score
        (
            lambda s: {"Ana": s},
            lambda s: off(s, 10),
            constant,
        ),
        # one that does so on a sheet that is nearly constant
        (
            lambda s: {"Ana": {p: 3 if p % 30 else 0 for p in s}},
            lambda s: {p: 3 if p % 30 else 0 for p in s},
            constant,
        ),
        # against a reference judge that failed
        (
            lambda s: {"Ana": s},
            lambda s: random_scores(1, s),
            lambda s: random_scores(2, s),
        ),
        # annotators who grade at random
        (
            lambda s: {"Ana": random_scores(3, s), "Ben": random_scores(4, s)},
            lambda s: off(s, 10),
            lambda s: off(s, 10, 5),
        ),
        # two annotators on 12 questions
        (
            lambda s: {who: {p: s[p] for p in range(24)} for who in ("Ana", "Ben")},
            lambda s: s,
            lambda s: s,
        ),
    ],
)
def test_nothing_is_good_enough_on_the_worst_data(
    store, scores, annotators, reference, candidate, give, judge, panel, chosen
):
    for who, given in annotators(scores).items():
        give(who, given)
    judge("dear", reference(scores))
    judge("cheap", candidate(scores))
    found = chosen(Terms(0.1, None, 0.5))
    assert found.verdict != GOOD_ENOUGH and found.winner is None
    made = panel()
    one = certification.certify(store, made, judge_of(store, made, "cheap"))
    assert not one.certified
    results = {row[-1] for row in conditions(found).rows if row[0] == "cheap"}
    assert found.questions >= 20 or "pass" not in results


def test_one_criterion_good_and_one_bad_is_said_and_not_certified_as_a_whole(
    store, scores, give, judge, panel, chosen
):
    for criterion, noise in (("correctness", 10), ("readability", 2)):
        give("Ana", scores, criterion)
        judge("dear", off(scores, 10), criterion=criterion)
        judge("cheap", off(scores, noise, noise // 2), criterion=criterion)
        chosen(Terms(0.1, 0.6), criterion=criterion)
    made = panel()
    cheap = judge_of(store, made, "cheap")
    body = certification.certify(store, made, cheap, criteria=["correctness"])
    assert body.certified and body.criteria == ("correctness",)
    assert [one["verdict"] for one in body.decisions] != [GOOD_ENOUGH, GOOD_ENOUGH]
    shown = page(body)
    assert "Not certified: readability, not good enough" in shown
    lines = dict(summary(body).rows)
    assert lines["Judges tried"] == "2: dear, cheap"
    assert lines["Robustness"].startswith("1 of 3 sensitivity analyses")
    assert lines["Interim look"].endswith("60 of 60 planned questions")
    told = terminal.text(certificate_document(body))
    assert all(line in told for line in lines.values())


def test_an_exploratory_look_replaces_no_confirmatory_one_on_a_certificate(
    store, scores, give, judge, panel, chosen
):
    for criterion in ("correctness", "readability"):
        give("Ana", scores, criterion)
        judge("dear", off(scores, 10), criterion=criterion)
        judge("cheap", off(scores, 10, 5), criterion=criterion)
        judge("bad", dict.fromkeys(scores, 1), criterion=criterion)
        chosen(Terms(0.1, 0.6), criterion=criterion)
    for figure in ("mae", "within_one"):
        chosen(Terms(0.2, None, figure=figure))
    made = panel()
    body = certification.certify(store, made, judge_of(store, made, "cheap"))
    assert body.certified and body.decision.look.figure == "exact"
    bad = certification.certify(store, made, judge_of(store, made, "bad"))
    assert not bad.certified and bad.criteria == ("readability",)
    assert len([line for line in bad.remarks if line.startswith("Not certified: corr")]) == 1


def test_recall_and_precision_have_the_interval_that_agreement_shows(
    scores, give, judge, panel, chosen
):
    """Ben passes a third of what Ana fails, so many answers are half a failing answer."""
    give("Ana", scores)
    give("Ben", {p: 2 if s < 2 and p % 3 == 0 else s for p, s in scores.items()})
    judge("dear", off(scores, 5, 1))
    judge("cheap", off(scores, 4))
    found = chosen(Terms(0.3, 0.3, 0.5, 0.5))
    rows = agreement_rows(panel())
    for name in ("dear", "cheap"):
        (shown,) = [one for one in rows if (one.judge, one.criterion) == (name, found.criterion)]
        for figure in ("failure_recall", "failure_precision"):
            tested, usual = row(found, name).conditions[figure].estimate, shown.statistics[figure]
            assert tested.low is not None and tested[:3] == pytest.approx(usual[:3])


@pytest.mark.parametrize("figure", ["qwk", "tau_b", "balanced_accuracy"])
def test_a_look_at_too_few_answers_for_the_figure_spends_nothing(
    scores, figure, give, judge, chosen
):
    """Half the answers of the planned questions; or, for balanced accuracy, nine that fail."""
    terms = Terms(0.15, None, None, figure=figure, planned_questions=30)
    answers = {place: score for place, score in scores.items() if place < 60}
    failing = [place for place, score in answers.items() if score < 2]
    if figure == "balanced_accuracy":
        part = {place: one for place, one in answers.items() if place not in failing[9:]}
    else:
        part = {place: one for place, one in answers.items() if place % 2}
    judge("dear", off(scores, 20))
    judge("cheap", off(scores, 20, 5))
    give("Ana", part)
    first = chosen(terms)
    assert first.verdict == "cannot_tell" and row(first, "cheap").p is None
    give("Ana", answers)
    second = chosen(terms)
    assert (second.looks, tuple(second.shares), second.new_look) == (1, (1.0,), True)
    assert row(second, "cheap").p is not None
