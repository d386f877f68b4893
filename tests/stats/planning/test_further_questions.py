"""How many more questions: from the grades at hand, after the looks already taken."""

import numpy as np
import pytest

from concord.stats.core.estimate import reason, under
from concord.stats.decision.conditions import MINIMUM, ProcedureTerms
from concord.stats.planning.further_questions import Looked, further_questions
from tests.stats.decision.tables import erring, grades, person

TERMS = ProcedureTerms("exact", 0.10)
FIRST = Looked((), 60)


def sheet(questions: int = 40, error: float = 0.15, worse: float = 0.15):
    truth = person(questions)
    return grades(truth, [erring(truth, error, 2), erring(truth, worse, 3)])


def test_perfect_judges_need_what_a_lost_question_takes():
    # Without a difference on n questions t is .06 n / sqrt(1 + .75 (.06 n)): 51 are enough.
    truth = person(41)
    terms = TERMS._replace(margin=0.06)
    found = further_questions(grades(truth, [truth, truth]), 1, terms, Looked((), 40))
    assert 9 <= found.low <= found.high <= 11


def test_what_was_found_so_far_stays_in_the_figure():
    good, bad = (further_questions(sheet(worse=error), 1, TERMS, FIRST) for error in (0.1, 0.25))
    assert good.high < bad.low


def test_a_smaller_margin_and_looks_already_taken_need_more():
    plain = further_questions(sheet(), 1, TERMS, Looked((), 400))
    narrow = further_questions(sheet(), 1, TERMS._replace(margin=0.07), Looked((), 400))
    assert (narrow.low, narrow.high) > (plain.low, plain.high)
    assert Looked((0.5,), 80).after(60) == (0.5, 0.75)
    assert Looked((0.5, 1.0), 80).after(160) == (0.25, 0.5, 1.0)


def test_a_minimum_that_is_not_reached_is_named():
    found = further_questions(sheet(), 1, TERMS._replace(minimum=0.95), FIRST)
    assert (found.low, found.high, found.blocked) == (None, None, MINIMUM)


def test_under_forty_questions_nothing_is_forecast():
    found = further_questions(sheet(39), 1, TERMS, FIRST)
    assert found.low is None and found.why_none == under(40, reason("no_forecast"))
    truth = person(90, answers=1)
    heavy = grades(truth, [erring(truth, 0.15, 2), erring(truth, 0.15, 3)])
    heavy.judges[:, :9] *= 10  # nine of 90 questions have ten answers each: 29.8 effective ones
    assert further_questions(heavy, 1, TERMS, FIRST).why_none == under(40, reason("no_forecast"))


def test_the_same_grades_give_the_same_range():
    one, other = (further_questions(sheet(), 1, TERMS, FIRST) for _ in range(2))
    assert one == other and np.isfinite(one.low)


@pytest.mark.parametrize("figure", ["qwk", "balanced_accuracy", "mae"])
def test_every_figure_has_a_range(figure):
    found = further_questions(sheet(), 1, ProcedureTerms(figure, 0.05), FIRST)
    assert found.low is not None and found.low <= (found.high or found.low)
