"""Which deciding figures a sheet offers, and the warning where one cannot separate judges."""

import pytest

from concord.messages import Problem
from concord.reports.decision import choose, terms_review
from concord.reports.panel.named_judge import judge_of
from concord.sampling import split_assignment, splits
from concord.stats.decision.deciding_figure import FIGURES
from concord.store import additions
from concord.store.rubrics import rubric_versions
from tests.support.made_items import made_item
from tests.support.panels import give, judge, panel
from tests.support.reports.choices import TERMS


def graded(store, scores):
    made = [made_item(n) for n in range(len(scores))]
    additions.add(store, "numbers", made, "n.csv", "0" * 64, {})
    rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
    give(store, rubric, "Ana", dict(enumerate(scores)))
    judge(store, rubric, "dear", dict(enumerate(scores)))
    return panel(store, rubric)


def warning(store, scores, **terms):
    made = graded(store, scores)
    return terms_review.cannot_separate(made, proposed(store, made, **terms))


def proposed(store, made, **terms):
    return choose.proposed(store, made, judge_of(store, made, "dear"), TERMS._replace(**terms))


@pytest.mark.parametrize(("questions", "offered"), [(19, False), (20, True)])
def test_a_small_sheet_offers_no_figure_and_says_why(store, questions, offered):
    why = terms_review.offered(graded(store, [n % 4 for n in range(questions)]))
    assert (why["exact"] is None) is offered
    if not offered:
        assert why["exact"] == (
            "Exact agreement requires 20 independent questions for a verdict; this sheet has 19."
        )


@pytest.mark.parametrize(("answers", "offered"), [(59, False), (60, True)])
def test_an_ordinal_figure_takes_sixty_answers_however_many_questions(store, answers, offered):
    why = terms_review.offered(graded(store, [n % 4 for n in range(answers)]))
    assert why["exact"] is None and why["mae"] is None
    for key, title in (("qwk", "Quadratic kappa"), ("tau_b", "Kendall's tau-b over answers")):
        said = f"{title} requires 60 answers for a verdict; this sheet has 59."
        assert why[key] == (None if offered else said)


def test_terms_of_an_ordinal_figure_are_refused_on_a_sheet_without_sixty_answers(store):
    made = graded(store, [n % 4 for n in range(59)])
    terms = TERMS._replace(figure="qwk", margin=0.15)
    with pytest.raises(Problem, match="requires 60 answers, and this sheet has 59"):
        choose.fix(store, made, judge_of(store, made, "dear"), terms)
    choose.fix(store, made, judge_of(store, made, "dear"), terms._replace(figure="mae"))


def test_no_fewer_questions_are_planned_than_have_sixty_answers(store):
    made = graded(store, [n % 4 for n in range(80)])
    dear, terms = judge_of(store, made, "dear"), TERMS._replace(figure="qwk", margin=0.15)
    assert terms_review.least_planned(made, FIGURES["qwk"]) == 60
    with pytest.raises(Problem, match="60 answers, which are about 60 questions"):
        choose.fix(store, made, dear, terms._replace(planned_questions=59))
    assert choose.fix(store, made, dear, terms._replace(planned_questions=60)).figure == "qwk"
    exact = TERMS._replace(planned_questions=20)
    assert choose.fix(store, made, dear, exact).planned_questions == 20


@pytest.mark.parametrize(("planned", "warned"), [(None, False), (60, False), (200, True)])
def test_more_questions_planned_than_can_count_are_warned_of_before_terms_are_fixed(
    store, planned, warned
):
    made = graded(store, [n % 4 for n in range(60)])
    found = terms_review.warnings(made, proposed(store, made, planned_questions=planned), False)
    said = (
        "200 questions are planned, but only 60 of this sheet can count. Plan at most 60, or "
        "import more."
    )
    assert (said in found) is warned
    assert len(found) == 1 + warned  # the first one names the only judge


def test_questions_outside_evaluation_cannot_be_planned(store):
    made = graded(store, [n % 4 for n in range(60)])
    every = splits.of_sheet(store, made.sheet.id)
    split_assignment.assign(store, [one["id"] for one in every[-9:]], "held-out", "for the end")
    left = panel(store, made.rubric)
    found = terms_review.plans_too_many(left, proposed(store, left, planned_questions=60))
    assert found.startswith("60 questions are planned, but only 51 of this sheet can count.")


def test_planned_documents_are_compared_with_those_of_the_sheet(store):
    made = [made_item(n, cluster=f"d{n // 2}") for n in range(60)]
    additions.add(store, "numbers", made, "n.csv", "0" * 64, {})
    rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
    judge(store, rubric, "dear", {n: n % 4 for n in range(60)})
    give(store, rubric, "Ana", {n: n % 4 for n in range(60)})
    shared = panel(store, rubric)
    found = terms_review.plans_too_many(shared, proposed(store, shared, planned_questions=40))
    assert found.startswith("40 documents are planned, but only 30 of this sheet can count.")


def test_a_plan_on_a_sheet_too_small_for_a_verdict_says_so_and_no_smaller_plan(store):
    made = graded(store, [n % 4 for n in range(15)])
    found = terms_review.plans_too_many(made, proposed(store, made, planned_questions=20))
    assert found == (
        "Exact agreement requires 20 independent questions for a verdict; this sheet has 15."
    )


@pytest.mark.parametrize(
    ("threes", "terms", "warned"),
    [
        (38, {}, True),  # always 3 is right on 95 percent
        (38, {"margin": 0.04}, False),
        (20, {}, False),
        (20, {"figure": "within_one", "margin": 0.1}, False),
        (38, {"figure": "mae", "margin": 0.2}, True),  # always 3 is 2 x 3 / 40 = .15 off
        (20, {"figure": "mae", "margin": 0.2}, False),
    ],
)
def test_a_figure_that_one_score_nearly_fills_cannot_separate_judges(store, threes, terms, warned):
    found = warning(store, [3] * threes + [0] * (40 - threes), **terms)
    assert bool(found) is warned
    if warned:
        assert "cannot separate judges on this sheet" in found


@pytest.mark.parametrize(
    ("terms", "warned"),
    [
        ({}, True),  # always 3 is right on 67.5 percent, and annotators agree on 75 percent
        ({"figure": "mae", "margin": 0.3}, False),  # .73 against .25 between annotators
        ({"figure": "qwk", "margin": 0.3}, False),
    ],
)
def test_a_figure_whose_margin_reaches_from_one_score_to_the_ceiling_hardly_separates(
    store, terms, warned
):
    made = graded(store, [0 if n < 16 else 3 for n in range(80)])
    ben = {n: 0 if n < 16 else 2 if n < 36 else 3 for n in range(80)}
    assert terms_review.cannot_separate(made, proposed(store, made)) is None  # one annotator
    give(store, made.rubric, "Ben", ben)
    both = panel(store, made.rubric)
    found = terms_review.cannot_separate(both, proposed(store, both, **terms))
    assert bool(found) is warned
    if warned:
        assert "can hardly separate judges" in found and "agreement (75%)" in found


def test_balanced_accuracy_takes_ten_answers_of_each_class(store):
    found = warning(store, [3] * 31 + [0] * 9, figure="balanced_accuracy")
    assert "annotators failed 9 and passed 31 so far" in found
