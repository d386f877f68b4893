"""Variance components of scores, and the effect of more graders or more answers.

The components are question, answer within question, grader, grader by question, and residual. They
are estimated by Henderson's first method: sums of squares of totals are set equal to their
expectations when all effects are random. It allows any pattern of missing scores; on complete data
it is the analysis of variance of generalizability theory. Sources: Henderson (1953), Estimation of
variance and covariance components, method 1; Brennan (2001), Generalizability Theory, whose design
this is: graders crossed with answers within questions.
"""

from typing import NamedTuple

import numpy as np
from scipy import stats

from concord.stats.core.confidence import CONFIDENCE
from concord.stats.core.estimate import Estimate, reason, undefined, with_interval, without_interval
from concord.stats.core.tables import ranked, ratio
from concord.stats.intervals.resampling import jackknife, leave_out

NAMES = ("question", "answer", "grader", "grader_on_question", "rest")
TOO_FEW = reason("too_little_shared_grading")
ONE_ANSWER = reason("questions_and_answers_confounded")
ALIKE = reason("no_strictness_variance")
NOT_APART = reason("components_not_identified")
_SCALARS = 13
_SINGULAR = 1e10


class Components(NamedTuple):
    """Variance components of scores, in squared points; may be estimated below 0.

    Attributes:
        question: Between questions (the clusters, where questions share a document).
        answer: Between the answers to one question; between all answers where each question has
            one.
        grader: Between graders, in strictness. Its CI is that of a variance estimated from this
            number of graders; the others are question jackknife CIs, conditional on these graders.
        grader_on_question: A grader's own strictness on one question.
        rest: What is left: the same grader's answer to answer, and chance.
        graders: Number of graders.
        grades: Number of scores.
        per_question: Answers per question, the mean.
    """

    question: Estimate
    answer: Estimate
    grader: Estimate
    grader_on_question: Estimate
    rest: Estimate
    graders: int
    grades: int
    per_question: float

    def variance(self, name: str) -> float:
        """Return a component for planning: 0 where negative or confounded with another."""
        return max(0.0, getattr(self, name).value or 0.0)


def components(ratings: np.ndarray, cluster: np.ndarray) -> Components:
    """Estimate the components from (graders, n) scores, NaN where missing, and (n,) clusters.

    Undefined with one grader, one question, or no answer that two graders scored; question and
    grader by question are undefined where every question has one answer.
    """
    given = ~np.isnan(ratings)
    used = given.any(axis=0)
    ratings, cluster, given = ratings[:, used], np.asarray(cluster)[used], given[:, used]
    questions, group = ranked(cluster) if len(cluster) else (0, cluster)
    extent = (
        int(given.any(axis=1).sum()),
        int(given.sum()),
        len(cluster) / questions if questions else 0.0,
    )
    if extent[0] < 2 or questions < 2 or given.sum(axis=0).max() < 2:
        return Components(*[undefined(TOO_FEW)] * len(NAMES), *extent)
    left_out = leave_out(_sums(ratings, group, questions), 0)
    single = len(cluster) == questions
    solved = _solved(left_out.sums, [0, 2, 3, 5] if single else [0, 1, 2, 3, 4, 5])
    found = {
        name: jackknife(left_out, lambda _, part=part: solved[..., part], why_none=NOT_APART)
        for part, name in enumerate(NAMES, 1)
    }
    if single:
        found |= dict.fromkeys(("question", "grader_on_question"), undefined(ONE_ANSWER))
    found["grader"] = _of_graders(found["grader"], extent[0])
    return Components(*(found[name] for name in NAMES), *extent)


class Plan(NamedTuple):
    """A way of spending a number of grades on the mean score of a sheet.

    Attributes:
        answers: How many answers are graded.
        annotators_per_answer: By how many of the annotators each.
        standard_error: Of the mean score.
    """

    answers: float
    annotators_per_answer: int
    standard_error: float


def plan(found: Components, grades: int, per_answer: int) -> Plan:
    """Return the standard error of the mean for a number of grades and of grades per answer.

    Questions, answers and graders are random effects, and all graders take an equal part in every
    plan. More answers reduce the error from questions and answers; that from graders and the
    residual depend on the number of graders and grades in total.
    """
    answers = grades / per_answer
    material = found.per_question * found.variance("question") + found.variance("answer")
    left = found.per_question * found.variance("grader_on_question") + found.variance("rest")
    squared = material / answers + found.variance("grader") / found.graders + left / grades
    return Plan(answers, per_answer, float(np.sqrt(squared)))


def _of_graders(found: Estimate, graders: int) -> Estimate:
    """Return the grader component with the CI of a variance estimated from few graders."""
    if found.value is None:
        return found
    if found.value <= 0:
        return without_interval(found.value, ALIKE)
    degrees, tail = graders - 1, (1 - CONFIDENCE) / 2
    ends = found.value * degrees / stats.chi2.ppf([1 - tail, tail], degrees)
    method = f"chi-square of {degrees} degrees, graders drawn"
    return with_interval(found.value, *ends, method)


def _sums(ratings: np.ndarray, group: np.ndarray, questions: int) -> np.ndarray:
    """(G, 13 + 3 graders) what is added up over questions, in the order of `_Totals`."""
    given = ~np.isnan(ratings)
    score = np.where(given, ratings - np.nanmean(ratings), 0.0)

    def by_question(term: np.ndarray) -> np.ndarray:
        return np.bincount(group, term, minlength=questions)

    number = np.stack([by_question(one) for one in given.astype(float)], axis=-1)
    total = np.stack([by_question(one) for one in score], axis=-1)
    times = given.sum(axis=0).astype(float)
    scalars = [
        number.sum(axis=1),
        total.sum(axis=1),
        number.sum(axis=1) ** 2,
        by_question(times**2),
        by_question(times**2) / number.sum(axis=1),
        (number**2).sum(axis=1) / number.sum(axis=1),
        np.ones(questions),
        by_question(np.ones(len(times))),
        (number > 0).sum(axis=1),
        total.sum(axis=1) ** 2 / number.sum(axis=1),
        by_question(score.sum(axis=0) ** 2 / times),
        np.nan_to_num(ratio(total**2, number)).sum(axis=1),
        by_question((score**2).sum(axis=0)),
    ]
    return np.concatenate([np.stack(scalars, axis=-1), number, number**2, total], axis=-1)


class _Totals(NamedTuple):
    """`_sums` over some questions: of the scores, of each grader's, and of their squares."""

    grades: np.ndarray
    sum: np.ndarray
    grades_squared: np.ndarray
    answers_squared: np.ndarray
    answers_in_question: np.ndarray
    graders_in_question: np.ndarray
    questions: np.ndarray
    answers: np.ndarray
    pairs: np.ndarray
    by_question: np.ndarray
    by_answer: np.ndarray
    by_pair: np.ndarray
    squares: np.ndarray


def _solved(sums: np.ndarray, kept: list[int]) -> np.ndarray:
    """Return (..., 6) the squared mean and the components from sums (..., D); NaN where undefined.

    Row k of the system is the expected sum of squares of totals by k: all, question, answer,
    grader, grader and question, single score. `kept` are the rows, and the components, that the
    data identify.
    """
    at = _Totals(*np.moveaxis(sums[..., :_SCALARS], -1, 0))
    number, squared, total = np.split(sums[..., _SCALARS:], 3, axis=-1)
    graders = (number > 0.5).sum(axis=-1)
    n, one = at.grades, np.ones_like(at.grades)
    in_grader = np.nan_to_num(ratio(squared, number)).sum(axis=-1)
    all_graders = (number**2).sum(axis=-1) / n
    expected = [
        [n, at.grades_squared / n, at.answers_squared / n, all_graders, squared.sum(-1) / n, one],
        [n, n, at.answers_in_question, *[at.graders_in_question] * 2, at.questions],
        [n, n, n, at.answers, at.answers, at.answers],
        [n, in_grader, graders, n, in_grader, graders],
        [n, n, at.pairs, n, n, at.pairs],
        [n, n, n, n, n, n],
    ]
    by_grader = np.nan_to_num(ratio(total**2, number)).sum(axis=-1)
    seen = [at.sum**2 / n, at.by_question, at.by_answer, by_grader, at.by_pair, at.squares]
    system = np.stack([np.stack(np.broadcast_arrays(*row), -1) for row in expected], -2)
    system = (system / n[..., None, None])[..., kept, :][..., kept]
    right = (np.stack(seen, -1) / n[..., None])[..., kept]
    told = np.linalg.cond(system) < _SINGULAR
    found = np.full((*right.shape[:-1], 6), np.nan)
    found[np.ix_(told.nonzero()[0], kept)] = np.linalg.solve(system[told], right[told][..., None])[
        ..., 0
    ]
    return found
