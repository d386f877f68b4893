"""Power by simulation: judges whose power is known, and what it rises and falls with."""

import numpy as np
import pytest

from concord.messages import message_of
from concord.stats.decision.conditions import CEILING, MINIMUM, ProcedureTerms
from concord.stats.planning import (
    Assumed,
    Looked,
    Plan,
    Pool,
    curve,
    equally_good,
    further_questions,
    made,
    questions_needed,
)
from tests.stats.decision.tables import FAILING, SCALE, erring, grades, person

PLAN = Plan(ProcedureTerms("exact", 0.10))
TRUTH = person(60)


def pool(error: float = 0.1, questions: int = 60, second: float | None = None) -> Pool:
    truth = person(questions)
    other = None if second is None else erring(truth, second, 9)
    return equally_good(grades(truth, [erring(truth, error, 2), erring(truth, error, 3)], other))


def powers(found: Pool, plan: Plan = PLAN, sizes=(40, 80), **how) -> list[float]:
    return [one.good for one in curve(found, plan, sizes, **how)]


def test_a_perfect_judge_passes_as_soon_as_a_lost_question_lies_within_the_margin():
    # Without a difference on n questions t is n / 10 over the root of 1 + .075 n.
    perfect = equally_good(grades(TRUTH, [TRUTH, TRUTH]))
    assert powers(perfect, sizes=(30, 31)) == [0, 1]
    assert all(31 <= size <= 40 for size in questions_needed(perfect, PLAN)[:3])


def test_a_candidate_at_the_margin_passes_no_more_often_than_the_error_allows():
    # Wrong on 12 of 120 answers, where the reference is right throughout: exactly the margin.
    worse = TRUTH.copy().ravel()
    worse[::10] = np.where(worse[::10] == 0, 1, worse[::10] - 1)
    sheet = grades(TRUTH, [TRUTH, worse.reshape(TRUTH.shape)])
    at_margin = Pool(sheet, np.ones(60, int))
    assert all(power <= 0.06 for power in powers(at_margin, sizes=(60, 200, 1000), sheets=2000))
    found = questions_needed(at_margin, PLAN)
    assert (found.likely, found.blocked) == (None, "difference")


@pytest.mark.parametrize("figure", ["exact", "qwk", "mae"])
def test_power_rises_with_the_questions_and_the_margin_and_falls_with_the_judges(figure):
    plan = Plan(ProcedureTerms(figure, 0.1))
    found = pool(0.15)
    low, high = powers(found, plan, (30, 90), sheets=300)
    (wide,) = powers(found, Plan(ProcedureTerms(figure, 0.2)), (30,), sheets=300)
    (many,) = powers(found.with_candidates(6, figure, 1), plan, (30,), sheets=300)
    assert low < min(high, wide) and many <= low + 0.03


def test_interim_looks_cost_power_at_the_same_number_of_questions():
    found = pool(0.15)
    once, often = (powers(found, Plan(PLAN.terms, looks), (80,))[0] for looks in (1, 4))
    assert often < once < often + 0.2
    assert Plan(PLAN.terms, 4).sizes(60) == (30, 45, 60)


def test_the_number_needed_has_eighty_percent_power_and_a_wide_range_from_a_small_pilot():
    small, large = (questions_needed(pool(0.15, size), PLAN) for size in (40, 240))
    (power,) = powers(pool(0.15, 240), sizes=(large.likely,))
    assert power == pytest.approx(0.8, abs=0.05)
    assert small.low < small.likely < small.high
    assert small.high / small.low > large.high / large.low


def test_too_few_questions_for_a_pilot_forecast_nothing():
    found = questions_needed(pool(questions=39), PLAN)
    assert found[:3] == (None, None, None) and "fewer than 40 questions" in message_of(
        found.why_none
    )


def test_what_more_questions_do_not_bring_is_named():
    found = questions_needed(pool(0.3), Plan(ProcedureTerms("exact", 0.1, minimum=0.9)))
    assert (found.likely, found.blocked) == (None, MINIMUM)
    # The judges err on three answers in ten, and the annotators never differ from each other.
    found = questions_needed(pool(0.3, second=0.0), PLAN)
    assert (found.likely, found.blocked) == (None, CEILING)


@pytest.mark.parametrize("annotators", [1, 2])
def test_assumed_questions_have_what_is_assumed(annotators):
    of = Assumed(0.75, 0.85, 0.3, 0.2, (1, 4, 2, 3), annotators)
    found = made(of, SCALE, FAILING, 6000)
    for judge in found.judges.sum(axis=1):
        assert np.trace(judge) / judge.sum() == pytest.approx(0.75, abs=0.015)
    sizes = found.judges[0].sum(axis=(1, 2))
    assert np.bincount(sizes.astype(int)).tolist() == [0, 1500, 1500, 1500, 1500]
    assert found.judges[0].sum(axis=0)[:2].sum() / found.judges[0].sum() == pytest.approx(
        0.3, abs=0.04
    )
    if annotators == 2:
        between = found.annotators.sum(axis=0)
        assert np.trace(between) / between.sum() == pytest.approx(0.85, abs=0.015)


TERMS = ProcedureTerms("exact", 0.10)
FIRST = Looked((), 60)


def sheet(questions: int = 40, error: float = 0.15, worse: float = 0.15):
    truth = person(questions)
    return grades(truth, [erring(truth, error, 2), erring(truth, worse, 3)])


def test_what_was_found_so_far_stays_in_the_figure():
    good, bad = (further_questions(sheet(worse=error), 1, TERMS, FIRST) for error in (0.1, 0.25))
    assert good.high < bad.low


def test_a_minimum_that_is_not_reached_is_named():
    found = further_questions(sheet(), 1, TERMS._replace(minimum=0.95), FIRST)
    assert (found.low, found.high, found.blocked) == (None, None, MINIMUM)
