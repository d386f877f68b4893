"""A choice by every deciding figure, and on the worst data: what is shown is true read alone."""

import random
from pathlib import Path

import pytest

from concord.reports import terminal
from concord.reports.agreement import agreement
from concord.reports.agreement.rows import rows as agreement_rows
from concord.reports.certificate import certification
from concord.reports.certificate.document import document as certificate_document
from concord.reports.certificate.document import page, summary
from concord.reports.decision.document import conditions
from concord.reports.decision.results import CANNOT_TELL, GOOD_ENOUGH, Terms
from concord.reports.document import as_json
from concord.reports.panel.candidates import judge_of
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
    assert dict(summary(body).rows)["First terms"].startswith(f"{figure.title}; margin {margin}; ")


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
    results = {row[-2] if len(row) == 7 else row[-1] for row in conditions(found, "cheap").rows}
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
    assert "other criteria (comprehensiveness, readability)" in lines["Not tested"]
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


def test_a_verdict_that_no_alert_doubts_is_certified(
    store, scores, give, panel, chosen, two_judges
):
    for name, every in (("Ana", 60), ("Ben", 12), ("Eve", 9)):
        give(name, off(scores, every))
    found = chosen(Terms(0.2, None))
    assert found.alerts == () and "certified" not in found.headline
    made = panel()
    assert certification.certify(store, made, judge_of(store, made, "cheap")).certified


def test_two_annotators_who_agree_no_better_than_chance_are_both_named_and_certify_nothing(
    store, scores, give, panel, chosen, two_judges
):
    give("Ana", scores)
    give("Rand", random_scores(5, scores))
    found = chosen(Terms(0.1, None))
    one = row(found, "cheap")
    assert one.verdict == CANNOT_TELL and one.conditions["annotator_agreement"].state == "open"
    others = {name for name, each in one.conditions.items() if each.state == "open"}
    assert others == {"annotator_agreement", "assay_sensitivity"}  # they alone stand in the way
    made = panel()
    assert not certification.certify(store, made, judge_of(store, made, "cheap")).certified


def test_a_look_without_a_verdict_calls_no_condition_inconclusive(scores, give, chosen, two_judges):
    few = {place: score for place, score in scores.items() if place < 12}
    give("Ana", few)
    give("Ben", off(few, 4))
    found = chosen(Terms(0.1, 0.5))
    table = conditions(found, "cheap")
    (place,) = (n for n, one in enumerate(table.columns) if one.title == "result")
    assert {line[place] for line in table.rows} == {"no verdict", "not tested"}


def test_shares_of_too_few_failing_answers_are_withheld_on_a_certificate(
    store, scores, give, judge, panel, chosen
):
    few = {place: 0 if place < 3 else max(score, 2) for place, score in scores.items()}
    give("Ana", few)
    give("Ben", few)
    judge("dear", off(few, 10))
    judge("cheap", off(few, 10, 5))
    chosen()
    made = panel()
    body = certification.certify(store, made, judge_of(store, made, "cheap"))
    shown = page(body)
    assert "<tr><th>Recall of failing answers</th><td>too few (3) (minimum 50%)</td></tr>" in shown
    (minimum,) = [row for row in conditions(body.decision.look, "cheap").rows if "recall" in row[0]]
    assert minimum[1] == "too few (3)"


@pytest.mark.parametrize("every", [3, 60])
def test_the_interval_of_exact_agreement_is_that_of_the_agreement_report(
    scores, every, give, judge, panel, chosen, two_judges
):
    give("Ana", scores)
    give("Ben", off(scores, every))  # every third is shared half: effect below 1
    found = chosen(Terms(0.1, None))
    shown = agreement.report(panel()).rows
    for one in found.judges:
        (same,) = (
            row for row in shown if row.judge == one.judge and row.criterion == "correctness"
        )
        for mine, theirs in zip(one.value[:3], same.statistics.by_key["exact"][:3], strict=True):
            assert mine == pytest.approx(theirs, abs=1e-12)
        assert same.n == one.n


def test_every_key_of_a_look_is_documented(scores, give, chosen, two_judges):
    give("Ana", scores)
    text = (Path(__file__).parents[3] / "docs" / "command-line.md").read_text(encoding="utf-8")
    section = text[text.index("### choose") : text.index("### cascade")]
    found = as_json(chosen())
    estimates = {"value", "low", "high", "method", "why_none", "why_code", "n"}
    keys = set(found) | {key for one in found["judges"] for key in one} - estimates
    assert not [key for key in sorted(keys) if f"`{key}`" not in section]


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
