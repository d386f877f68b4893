"""The conditions of good judges, tested for every judge at once, and the verdicts.

Each is declared once, in `REQUIREMENTS`; `concord.reports.panel.choice` has its words.
All are functions of one table of scores per judge and question, on the answers that annotators and
all judges scored. The reference judge comes first, and has no difference to itself.

Tests are one-sided, in both directions, with the 95% CI that is shown. A share is tested against a
limit by Wilson's score at the effective n, every other figure and every difference by the question
jackknife with Student's t and a correction for rare losses. Everything is an array over judges, and
over simulated sheets where there are any, so that a plan simulates the very tests that decide.

From tested conditions `decide` makes a verdict on every judge. `good_enough` is an intersection-
union test (Berger 1982): a judge's p-value is the largest over its conditions, without a correction
across them, since all of them must hold. Across judges these are adjusted by Holm's step-down
method. `not` is a union, one failing condition suffices, so all conditions of all judges are one
family of Holm's. That annotators agree above chance, and more than the majority-class baseline does
(assay sensitivity), are the same hypotheses for all judges and open the way to the others
(gatekeepers), so they are tested once, without adjustment for their number, and speak against no
judge. Interim looks enter through repeated p-values.
"""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Literal, NamedTuple, Self

import numpy as np
from scipy import special

from concord.stats.core.estimate import CONFIDENCE
from concord.stats.core.minimums import (
    CLASS_FLOOR,
    OVERLAP_FLOOR,
    PAIR_FLOOR,
    QUESTION_FLOOR,
)
from concord.stats.core.tables import (
    NEGLIGIBLE,
    clustered_variance,
    commonest,
    effective_number,
    ratio,
    share_of,
)
from concord.stats.decision.deciding_figure import BALANCED_ACCURACY, FIGURES, QWK, DecidingFigure
from concord.stats.intervals.group_sequential import ERROR, nominal_p, repeated_p
from concord.stats.intervals.simultaneous import holm
from concord.stats.intervals.wilson import limits

TAIL = (1 - CONFIDENCE) / 2
_FEW = 4 - 1e-9  # 20 answers of which .8 hit miss 3.9999999999999996
_LEAN = 0.75


class Tested(NamedTuple):
    """A figure, or a difference, with its 95% CI and two p-values; all of one shape.

    Attributes:
        value: NaN where it is undefined.
        low: NaN where the interval is withheld; `high` likewise.
        above: p of "at most the limit": small where it is surely above.
        below: p of "at least the limit": small where it is surely below.
        questions: The effective number of questions it rests on.
    """

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    above: np.ndarray
    below: np.ndarray
    questions: np.ndarray

    def withheld(self, which: np.ndarray | bool = True) -> Self:
        """The same without a value, an interval or evidence, where `which` is true."""
        low, high, value = (
            np.where(which, np.nan, one) for one in (self.low, self.high, self.value)
        )
        above, below = (np.where(which, 1.0, one) for one in (self.above, self.below))
        return self._replace(value=value, low=low, high=high, above=above, below=below)


def untested(shape: tuple[int, ...]) -> Tested:
    """Return a test without a figure, and without a question that one could rest on."""
    return Tested(*[np.zeros(shape)] * len(Tested._fields)).withheld()


def share_test(
    hits: np.ndarray,
    base: np.ndarray,
    units: np.ndarray,
    limit: float,
    times: np.ndarray | float = 1.0,
    tails: tuple = (TAIL, TAIL),
) -> Tested:
    """Test a share by inverting its Wilson interval at the effective n.

    Args:
        hits: (..., G) summed weight of the answers that hit.
        base: (..., G) summed weight of all; questions without any are left out.
        units: (...) how many equally weighted scores `base` amounts to.
        limit: 0 to 1.
        times: (..., G) how often there is each question.
        tails: (...) error of the lower and of the upper limit.
    """
    share, size, questions = share_of(hits, base, units, times)
    with np.errstate(invalid="ignore", divide="ignore"):
        low, high = (
            limits(share, size, special.stdtrit(questions - 1, 1 - tail), tail)[side]
            for side, tail in enumerate(tails)
        )
        standard = (
            np.sqrt(size / (limit * (1 - limit))) * (share - limit)
            if 0 < limit < 1
            else (np.where(share >= limit, np.inf, -np.inf))
        )
        above = special.stdtr(questions - 1, -standard)
        below = special.stdtr(questions - 1, standard)
    # The same exact limits as the interval, or interval and verdict could contradict each other.
    above, below = _exact_near_ends(share * size, (1 - share) * size, limit, above, below)
    return _withheld(Tested(share, low, high, above, below, questions))


def jackknife_test(
    value: np.ndarray,
    deleted: np.ndarray,
    weight: np.ndarray,
    differs: np.ndarray,
    worst: tuple[np.ndarray, np.ndarray],
    limit: float,
    times: np.ndarray | float = 1.0,
    fewest: np.ndarray | float = np.inf,
    tails: tuple = (TAIL, TAIL),
) -> Tested:
    """Test a figure by the delete-one-question jackknife and Student's t.

    The variance is that of `clustered_variance`, all answers of a question counting as alike, and
    the degrees of freedom are the effective number of questions - 1. A sheet with few losses has
    both a better figure and a smaller error, and one without any has none. So the error is that of
    a sheet with one loss more, in a question of the mean size of an answer's question, where an
    answer costs as much as in the questions lost so far and in one as bad as can be (RMS); and t is
    corrected for skewness towards losses. Towards gains it is the same the other way round.

    Args:
        value: (...) the figure.
        deleted: (..., G) the figure without each question.
        weight: (..., G) the weight of each question, 0 where it has no answer.
        differs: (..., G) which questions move it.
        worst: (...) what an answer costs at worst, times the weight of all.
        limit: What it is compared with.
        times: (..., G) how often there is each question.
        fewest: (...) effective number of questions in the least denominator of the figure, where
            that is not all answers; it bounds the degrees of freedom.
        tails: (...) error of the lower and of the upper limit.

    Returns:
        p-values of 1 and no interval below 10 effective questions.
    """
    there = times * (weight > NEGLIGIBLE)
    number = there.sum(axis=-1)
    total = (times * weight).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (there * deleted).sum(axis=-1) / number
        moved = np.where(weight > NEGLIGIBLE, mean[..., None] - deleted, 0)
        # What the answers of a question add on the mean, and all of them together.
        moved = moved * (total * (number - 1) / number)[..., None]
        each = np.where(weight > NEGLIGIBLE, moved / weight, 0)
        variance = clustered_variance(moved, weight, times=times)
        questions = effective_number(weight, times)
        size = (times * weight**2).sum(axis=-1) / total
        # As in the variance, large questions are taken to be like small ones.
        third = (times * weight**3).sum(axis=-1) / total * (times * weight * each**3).sum(axis=-1)
        fewest = np.minimum(questions, fewest)
        sides = []
        for side, tail in zip((1, -1), tails, strict=True):
            quantile = special.stdtrit(fewest - 1, 1 - tail)
            lost = times * weight * differs * (side * each < -NEGLIGIBLE)
            losses = questions * lost.sum(axis=-1) / total
            square, cube = (
                known + questions / total * (lost * np.abs(each) ** power).sum(axis=-1)
                for power, known in zip((2, 3), worst, strict=True)
            )
            error = np.sqrt(variance * total**2 + square / (1 + losses) * size**2)
            more = cube / (1 + losses) * size**3
            lean = _LEAN * (more + np.maximum(-side * third, 0)) / error**3
            standard, step = side * (value - limit) * total / error, lean * quantile**2 / 2
            p = special.stdtr(fewest - 1, -standard / np.sqrt(1 + lean * np.maximum(standard, 0)))
            away = (step + np.sqrt(step**2 + quantile**2)) * error / total
            sides.append((value - side * away, p))
    (low, above), (high, below) = sides
    found = Tested(value, low, high, above, below, fewest)
    return _withheld(found)._replace(questions=questions)


def _withheld(found: Tested) -> Tested:
    """No interval and no evidence where they cannot be had; a limit of 1e-13 is 0."""
    few = found.questions < QUESTION_FLOOR - NEGLIGIBLE
    unknown = few | np.isnan(found.low) | np.isnan(found.value)
    low, high = (np.where(np.abs(end) < NEGLIGIBLE, 0.0, end) for end in (found.low, found.high))
    return found._replace(low=low, high=high).withheld(unknown)._replace(value=found.value)


def _exact_near_ends(
    hits: np.ndarray, misses: np.ndarray, limit: float, above: np.ndarray, below: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The p-values, or Clopper and Pearson's where these are larger, as in `wilson.limits`."""
    near_one, near_none = (misses > 0) & (misses < _FEW), (hits > 0) & (hits < _FEW)
    at = min(max(limit, 0.0), 1.0)
    fewer = 1 - special.betainc(hits + 1, np.where(near_one, misses, 1), at)
    more = special.betainc(np.where(near_none, hits, 1), misses + 1, at)
    return (
        np.where(near_none, np.fmax(above, more), above),
        np.where(near_one, np.fmax(below, fewer), below),
    )


class Grades(NamedTuple):
    """Tables of one or of many simulated sheets, rows = annotator, columns = judge.

    Attributes:
        judges: (..., J, G, K, K) summed weights per judge and question, the reference judge first.
        shared: (..., J, G, K, K) of the answers that two annotators or more scored.
        annotators: (..., G, K, K) of the annotators with one another on these.
        scale: All scores, rising.
        failing: The scores that fail.
        squares: (..., J, G, K, K) summed squared weights of the same pairs of scores; None where
            all of them weigh 1.
        times: (..., G) whole numbers, how often a sheet holds each question, 0 for not at all;
            None for once. Simulated sheets share their tables and differ in this alone.
        tails: (J,) error of the lower and of the upper limit of intervals.
    """

    judges: np.ndarray
    shared: np.ndarray
    annotators: np.ndarray
    scale: Sequence[int]
    failing: Collection[int]
    squares: np.ndarray | None = None
    times: np.ndarray | None = None
    tails: tuple = (TAIL, TAIL)

    @property
    def fails(self) -> np.ndarray:
        """(K,) which scores fail."""
        return np.isin(np.asarray(self.scale), list(self.failing))

    @property
    def per_answer(self) -> float:
        """Mean number of annotators per answer."""
        return 1.0 if self.squares is None else float(self.judges.sum() / self.squares.sum())

    def by_judge(self) -> dict[str, np.ndarray]:
        """The tables that each judge has, by the name of their attribute."""
        names = ("judges", "shared", "squares")
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    def total(self, tables: np.ndarray | None = None) -> np.ndarray:
        """Return (..., J, K, K) the judges' tables, or others, of all questions together."""
        size, tables = len(self.scale), self.judges if tables is None else tables
        found = self.summed(tables.reshape(*tables.shape[:-2], size**2))
        return found.reshape(*found.shape[:-1], size, size)

    def units(self, cells: np.ndarray) -> np.ndarray:
        """Return (..., J) how many equally weighted pairs of scores there are in (K, K) cells."""
        weight = self.total()[..., cells].sum(axis=-1)
        if self.squares is None:
            return weight
        return ratio(weight**2, self.total(self.squares)[..., cells].sum(axis=-1))

    def summed(self, rows: np.ndarray) -> np.ndarray:
        """Return (..., J, F) sums of (..., J, G, F) rows over all questions."""
        if self.times is None:
            return rows.sum(axis=-2)
        return (self.times[..., None, None, :].astype(float) @ rows)[..., 0, :]

    def number(self, which: np.ndarray) -> np.ndarray:
        """Return (..., J) how many questions are among (..., J, G) of them."""
        return (which if self.times is None else which * self.times[..., None, :]).sum(axis=-1)

    def present(self, tables: np.ndarray) -> np.ndarray:
        """Return (..., J, G) which questions have an answer in (..., J, G, K, K) tables."""
        cells = tables.reshape(*tables.shape[:-2], len(self.scale) ** 2)
        found = cells @ np.ones(cells.shape[-1]) > NEGLIGIBLE  # much faster than sums over axes
        return found if self.times is None else found & (self.times[..., None, :] > 0)

    def of(self, questions: np.ndarray) -> Self:
        """Return simulated sheets, each with its own (S, G) questions of these."""
        made = {name: np.moveaxis(one[:, questions], 0, 1) for name, one in self.by_judge().items()}
        return self._replace(**made, annotators=self.annotators[questions])


DIFFERENCE, MINIMUM, CEILING = "difference", "minimum", "ceiling"
KAPPA, ACCURACY = "kappa", "balanced_accuracy"
ANNOTATORS, ASSAY = "annotator_agreement", "assay_sensitivity"
RECALL, PRECISION = "failure_recall", "failure_precision"
# Of the judge, and of the reference judge.
MAJORITY, REFERENCE = "majority_baseline", "reference"
CHANCE = 0.5


class ProcedureTerms(NamedTuple):
    """The terms of a decision, fixed beforehand; a stored decision has the same attributes.

    Attributes:
        figure: The key of the deciding figure.
        margin: Non-inferiority margin, in the figure's own unit.
        minimum: The least figure (the most, of MAE); None or 0 for none, as of the next two.
        failure_recall: The least recall of failing answers.
        failure_precision: The least precision of failing verdicts.
    """

    figure: str
    margin: float
    minimum: float | None = None
    failure_recall: float | None = None
    failure_precision: float | None = None


class ConditionTest(NamedTuple):
    """One condition of every judge.

    Attributes:
        tested: Its figure, more is better, with interval and p-values; each (..., J).
        limit: What the figure is compared with.
        applies: (..., J) for which judges it is a condition.
    """

    tested: Tested
    limit: float
    applies: np.ndarray


class Requirement(NamedTuple):
    """A condition that a decision may have.

    Attributes:
        key: Its name in JSON.
        test: Its test of every judge; None where these terms do not have it.
        role: A `condition` of good judges; a `gate`, one hypothesis for all judges that opens the
            way to the others and speaks against none; a `veto`, whose lack alone is evidence; or a
            `floor`, a veto that also bars a judge whose estimate lies below it.
        of_overlap: It is of the answers that two annotators or more scored.
    """

    key: str
    test: Callable[[Grades, ProcedureTerms], ConditionTest | None]
    role: Literal["condition", "gate", "veto", "floor"] = "condition"
    of_overlap: bool = False


def conditions(grades: Grades, terms: ProcedureTerms) -> dict[str, ConditionTest]:
    """Return all conditions by name; those that a decision does not have are not in it."""
    found = {one.key: one.test(grades, terms) for one in REQUIREMENTS}
    return {name: one for name, one in found.items() if one is not None}


def _difference(grades: Grades, terms: ProcedureTerms) -> ConditionTest:
    """Each judge minus the reference judge."""
    figure, margin = FIGURES[terms.figure], terms.margin
    judges, reference = grades.judges, _sums(grades, figure, grades.judges[..., :1, :, :, :])
    tested = _contrast(grades, figure, judges, reference, -margin)
    # Not for the reference judge, whose difference to itself is 0 without error and would pass.
    applies = np.broadcast_to(np.arange(judges.shape[-4]) > 0, tested.value.shape)
    return ConditionTest(tested, -margin, applies)


def _ceiling(grades: Grades, terms: ProcedureTerms) -> ConditionTest:
    """Each judge minus the annotators among themselves, on the answers that several scored."""
    figure, margin = FIGURES[terms.figure], terms.margin
    between = _sums(grades, figure, grades.annotators[..., None, :, :, :])
    tested = _contrast(grades, figure, grades.shared, between, -margin)
    return ConditionTest(tested, -margin, overlaps(tested.questions))


def overlaps(questions: float | np.ndarray) -> bool | np.ndarray:
    """Return whether annotators share enough effective questions for the human ceiling."""
    return questions > OVERLAP_FLOOR - NEGLIGIBLE


def _minimum(grades: Grades, terms: ProcedureTerms) -> ConditionTest | None:
    figure = FIGURES[terms.figure]
    if not terms.minimum:
        return None
    return one_figure(grades, figure, figure.sign * terms.minimum)


def _kappa(grades: Grades, terms: ProcedureTerms) -> ConditionTest | None:
    """Quadratic kappa above 0, withheld for too few pairs."""
    if not FIGURES[terms.figure].ordinal:
        return None
    found = one_figure(grades, FIGURES[QWK], 0.0)
    # Withheld and not left out: the condition then stays open, so too few pairs cannot pass a
    # judge.
    few = grades.total().sum(axis=(-2, -1)) < PAIR_FLOOR - NEGLIGIBLE
    return found._replace(tested=found.tested.withheld(few))


def _accuracy(grades: Grades, _: ProcedureTerms) -> ConditionTest:
    """Balanced accuracy above a half, where there are enough answers and questions of both."""
    found = one_figure(grades, FIGURES[BALANCED_ACCURACY], CHANCE)
    by_score = grades.total().sum(axis=-1)
    failing = by_score[..., grades.fails].sum(axis=-1)
    passing = by_score[..., ~grades.fails].sum(axis=-1)
    both = np.minimum(failing, passing) > CLASS_FLOOR - NEGLIGIBLE
    return found._replace(applies=both & ~np.isnan(found.tested.low))


def _annotators(grades: Grades, _: ProcedureTerms) -> ConditionTest:
    """Quadratic kappa of the annotators with one another above 0; one test for all judges.

    An annotator who grades at random lowers the human ceiling, and so what is asked of a judge.
    """
    tested = _contrast(grades, FIGURES[QWK], grades.annotators[..., None, :, :, :], None, 0.0)
    shared = grades.total(grades.annotators[..., None, :, :, :]).sum(axis=(-2, -1))
    tested = tested.withheld(shared < PAIR_FLOOR - NEGLIGIBLE)
    tested = tested._replace(high=np.minimum(tested.high, 1.0))
    shape = _shape(grades.judges, grades.times)
    tested = Tested(*(np.broadcast_to(one, shape) for one in tested))
    return ConditionTest(tested, 0.0, overlaps(tested.questions))


def _assay(grades: Grades, terms: ProcedureTerms) -> ConditionTest | None:
    """Annotators among themselves minus the majority-class baseline; one test for all judges.

    Where always giving the commonest grade agrees as often as annotators do, a share of answers
    cannot tell a good judge from that.
    """
    figure = FIGURES[terms.figure]
    if not figure.is_share:
        return None
    tested = above_baseline(grades, figure, grades.annotators[..., None, :, :, :])
    shape = _shape(grades.judges, grades.times)
    tested = Tested(*(np.broadcast_to(one, shape) for one in tested))
    return ConditionTest(tested, 0.0, overlaps(tested.questions) & ~clears_baseline(grades, terms))


def _majority(grades: Grades, terms: ProcedureTerms) -> ConditionTest | None:
    """Each judge minus the majority-class baseline; chance is a condition of other figures."""
    figure = FIGURES[terms.figure]
    if not figure.linear:
        return None
    tested = above_baseline(grades, figure, grades.judges)
    applies = np.broadcast_to(~clears_baseline(grades, terms), tested.value.shape)
    return ConditionTest(tested, 0.0, applies)


def above_baseline(grades: Grades, figure: DecidingFigure, tables: np.ndarray) -> Tested:
    """Test a linear figure of (..., J, G, K, K) tables minus that of the baseline on them."""
    return _contrast(grades, figure, tables, _baseline(grades, figure, tables[..., :1, :, :, :]), 0)


def clears_baseline(grades: Grades, terms: ProcedureTerms) -> np.ndarray:
    """(..., 1) whether a minimum above the baseline's upper limit was named."""
    figure, first = FIGURES[terms.figure], grades.judges[..., :1, :, :, :]
    if not terms.minimum:
        return np.False_
    if not figure.linear:
        chance = figure.baselines(grades.total()[..., :1, :, :].sum(axis=-1), grades.scale)
        return figure.sign * terms.minimum > figure.sign * chance
    found = _contrast(grades, figure, first, None, 0.0, _baseline(grades, figure, first))
    return figure.sign * terms.minimum > found.high


def _baseline(grades: Grades, figure: DecidingFigure, tables: np.ndarray) -> np.ndarray:
    """(..., J, G, F) sums of a judge that always gives the score that annotators give most."""
    by_score, size = tables.sum(axis=-1), len(grades.scale)
    features = figure.features(grades.scale, grades.failing).reshape(size, size, -1)
    chosen = commonest(grades.summed(by_score)).astype(float)
    return by_score @ np.einsum("...j,ajf->...af", chosen, features)


def _failing_share(grades: Grades, terms: ProcedureTerms, name: str) -> ConditionTest | None:
    """Recall of failing answers, or precision of failing verdicts; only its lack is evidence."""
    least = getattr(terms, name)
    if not least:
        return None
    annotator = np.repeat(grades.fails[:, None], len(grades.fails), axis=1)
    of = annotator if name == RECALL else annotator.T
    tested = _share(grades, annotator & annotator.T, of, least)
    return ConditionTest(tested, least, np.ones(tested.value.shape, bool))


def _share(grades: Grades, hit: np.ndarray, of: np.ndarray, limit: float) -> Tested:
    """Test the share that hits of some (K, K) cells, with the size it has on every other screen."""
    cells = grades.judges.reshape(*grades.judges.shape[:-2], hit.size)
    hits, base = np.moveaxis(cells @ np.stack([hit.ravel(), of.ravel()], 1).astype(float), -1, 0)
    return share_test(hits, base, grades.units(of), limit, _times(grades), grades.tails)


def one_figure(grades: Grades, figure: DecidingFigure, limit: float) -> ConditionTest:
    """A figure of every judge against a limit."""
    if figure.is_share:
        hit = figure.features(grades.scale, grades.failing)[:, 0] > 0
        hit = hit.reshape(len(grades.scale), -1)
        tested = _share(grades, hit, np.ones_like(hit), limit)
    else:
        tested = _constant(_contrast(grades, figure, grades.judges, None, limit), grades, limit)
        tested = tested._replace(high=np.minimum(tested.high, figure.best))
    return ConditionTest(tested, limit, np.ones(tested.value.shape, bool))


def _shape(tables: np.ndarray, times: np.ndarray | None) -> tuple[int, ...]:
    """(..., J) of (..., J, G, K, K) tables, on every simulated sheet."""
    shape = tables.shape[:-3]
    if times is None:
        return shape
    return np.broadcast_shapes(shape, (*times.shape[:-1], shape[-1]))


def _times(grades: Grades) -> np.ndarray | float:
    return 1.0 if grades.times is None else grades.times[..., None, :]


def _contrast(
    grades: Grades,
    figure: DecidingFigure,
    tables: np.ndarray,
    other: np.ndarray | None,
    limit: float,
    rows: np.ndarray | None = None,
) -> Tested:
    """Test figures of (..., J, G, K, K) tables, or their differences from (..., J, G, F) sums.

    The figures are of other (..., J, G, F) `rows` where these are given.
    """
    if not tables.any():
        return untested(_shape(tables, grades.times))
    rows = _sums(grades, figure, tables) if rows is None else rows
    value, deleted = _with_deleted(figure, rows, grades)
    if other is None:
        reference = figure.sums_of_perfect(tables, grades.scale, grades.failing)
    else:
        reference = other
        level, less = _with_deleted(figure, other, grades)
        value, deleted = value - level, deleted - less
    differs = (np.abs(rows - reference) > NEGLIGIBLE).any(axis=-1)
    worst = figure.worst(grades.total(tables), grades.scale, grades.failing)
    weight, times = tables.sum(axis=(-2, -1)), _times(grades)
    each = [effective_number(rows[..., one], times) for one in figure.denominators]
    fewest = np.minimum.reduce(each) if each else np.inf
    return jackknife_test(
        value, deleted, weight, differs, worst, limit, times, fewest, grades.tails
    )


def _sums(grades: Grades, figure: DecidingFigure, tables: np.ndarray) -> np.ndarray:
    return figure.sums(tables, grades.scale, grades.failing)


def _with_deleted(
    figure: DecidingFigure, rows: np.ndarray, grades: Grades
) -> tuple[np.ndarray, np.ndarray]:
    """The figure of (..., G, F) sums, and without each question (..., G); more is better."""
    total = grades.summed(rows)
    # Feature by feature, each in one piece of memory: most time of a simulation goes by here.
    first = np.ascontiguousarray(np.moveaxis(rows, -1, 0))
    first = np.expand_dims(first, tuple(range(1, 2 + total.ndim - rows.ndim)))
    deleted = np.moveaxis(total, -1, 0)[..., None] - first
    # As in `leave_out`: subtraction leaves 1e-17 in empty cells, and a ratio of two of these is
    # noise.
    deleted[np.abs(deleted) < NEGLIGIBLE * np.abs(total).max(initial=1.0)] = 0
    return figure.better(total), figure.better(np.moveaxis(deleted, 0, -1))


def _constant(found: Tested, grades: Grades, limit: float) -> Tested:
    """A judge that gives one score throughout is not above chance, however few its questions.

    It is below where annotators depart from that score on so many questions that departing on half
    of these would be noticed.
    """
    by_judge = grades.total().sum(axis=-2) > NEGLIGIBLE
    constant = by_judge.sum(axis=-1) == 1
    if not constant.any():
        return found
    off = grades.judges.sum(axis=-1) * ~by_judge[..., None, :]
    departing = grades.number(off.sum(axis=-1) > 1 - NEGLIGIBLE)
    sure = constant & (found.value <= limit) & ~np.isnan(found.low)
    return found._replace(
        above=np.where(constant, 1.0, found.above),
        below=np.where(sure, 0.5 ** departing.astype(float), found.below),
    )


REQUIREMENTS = (
    Requirement(DIFFERENCE, _difference),
    Requirement(MINIMUM, _minimum),
    Requirement(CEILING, _ceiling, of_overlap=True),
    Requirement(KAPPA, _kappa),
    Requirement(ACCURACY, _accuracy),
    Requirement(ANNOTATORS, _annotators, "gate", of_overlap=True),
    Requirement(ASSAY, _assay, "gate", of_overlap=True),
    Requirement(MAJORITY, _majority, "floor"),
    Requirement(RECALL, partial(_failing_share, name=RECALL), "veto"),
    Requirement(PRECISION, partial(_failing_share, name=PRECISION), "veto"),
)
GATES = tuple(one.key for one in REQUIREMENTS if one.role == "gate")
VETOES = tuple(one.key for one in REQUIREMENTS if one.role == "veto")
OF_OVERLAP = tuple(one.key for one in REQUIREMENTS if one.of_overlap)
NEEDED = tuple(one.key for one in REQUIREMENTS if one.role == "condition")

ONCE = (1.0,)
_MOSTLY = 0.8


class Decided(NamedTuple):
    """The verdicts on all judges, each (..., J).

    Attributes:
        good: Good enough.
        bad: Not good enough; neither is inconclusive.
        p_good: Adjusted p of "not good enough"; at most .05 where all conditions hold.
        conditions: By name, each with its own adjusted p-values.
        unproven: Its estimate lies below the majority-class baseline.
        unreferenced: The reference judge failed, or its estimate lies below that baseline, and no
            minimum above the baseline was named.
    """

    good: np.ndarray
    bad: np.ndarray
    p_good: np.ndarray
    conditions: dict[str, "Adjusted"]
    unproven: np.ndarray
    unreferenced: np.ndarray


class Adjusted(NamedTuple):
    """A condition with p-values adjusted for judges and looks, each (..., J).

    Attributes:
        above: Adjusted p that it does not hold; at most .05 where it passes.
        below: Adjusted p that it holds; at most .05 where it fails.
    """

    condition: ConditionTest
    above: np.ndarray
    below: np.ndarray


def decide(grades: Grades, terms: ProcedureTerms, looks: Sequence[float] = ONCE) -> Decided:
    """Return the verdicts.

    Args:
        grades: The tables of all judges, the reference judge first.
        terms: What was fixed beforehand.
        looks: Shares of the planned questions at the looks that spent error, this one last.
    """
    found = conditions(grades, terms)
    above = {
        name: repeated_p(np.where(one.applies, one.tested.above, 0.0), looks)
        for name, one in found.items()
        if name in (*NEEDED, *GATES)
    }
    gates = {name: above.pop(name) for name in GATES if name in above}
    each = np.max(list(above.values()), axis=0)
    adjusted = holm(each)
    # The factor of the step-down is that of the judge, and is shown with each of its conditions.
    factor = np.where(each > 0, adjusted / np.where(each > 0, each, 1), each.shape[-1])
    # One failed condition is enough for `not`: one family over all conditions and judges.
    names = [name for name in found if name not in GATES]
    p = np.stack(
        [np.where(found[name].applies, found[name].tested.below, 1.0) for name in names], axis=-1
    )
    flat = holm(repeated_p(p, looks).reshape(*p.shape[:-2], -1)).reshape(p.shape)
    below = {name: flat[..., place] for place, name in enumerate(names)}
    # Without assay sensitivity a figure gives no verdict of either kind.
    enough = _is_enough(grades, terms)[..., None] & (gates.get(ASSAY, 0.0) <= ERROR)
    bad = enough & (flat.min(axis=-1) <= ERROR)
    unproven = np.zeros(bad.shape, bool)
    if MAJORITY in found:
        unproven = found[MAJORITY].applies & (found[MAJORITY].tested.value < -NEGLIGIBLE)
    alone = ~clears_baseline(grades, terms) & (bad | unproven)[..., :1]
    blocked = unproven | alone
    # All conditions must hold (intersection-union), so the largest p-value decides without
    # adjustment over conditions.
    p_good = np.max([adjusted, *gates.values()], axis=0)
    good = enough & (p_good <= ERROR) & ~blocked & ~bad
    one = np.ones(each.shape)
    shown = {
        name: Adjusted(
            found[name], np.minimum(above[name] * factor, 1) if name in above else one, below[name]
        )
        for name in names
    }
    shown |= {name: Adjusted(found[name], p, one) for name, p in gates.items()}
    return Decided(good, bad, p_good, shown, unproven, np.broadcast_to(alone, bad.shape))


def test_limits(
    grades: Grades, terms: ProcedureTerms, decided: Decided, looks: Sequence[float]
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return (J,) lower and upper limits of each condition at the level its tests used.

    So a condition passes where the lower one, and fails where the upper one, lies beyond its limit.
    """
    found = {}
    for one in REQUIREMENTS:
        if one.key not in decided.conditions:
            continue
        tested, above, below = decided.conditions[one.key]
        raw = repeated_p(np.stack([tested.tested.above, tested.tested.below]), looks)
        adjusted, family = np.stack([above, below]), len(above) * len(decided.conditions)
        with np.errstate(invalid="ignore", divide="ignore"):
            errors = np.where(raw > 0, ERROR * raw / adjusted, ERROR / family)
        tails = nominal_p(errors, looks)
        # What is not tested in a direction has its 95% limit there.
        tails[0] = tails[0] if one.key in (*NEEDED, *GATES) else TAIL
        tails[1] = TAIL if one.key in GATES else tails[1]
        limits = one.test(grades._replace(tails=tuple(tails)), terms).tested
        found[one.key] = limits.low, limits.high
    return found


def least_likely(decided: Decided, place: int = 1) -> str:
    """Return the condition of the judge at `place` that holds on the fewest sheets.

    `majority_baseline` or `reference` where the judge, or the one it is compared with, shows
    nothing; `enough` where answers of one class are too few for the figure.
    """
    held = {
        name: ((one.above <= ERROR) | ~one.condition.applies)[..., place].mean()
        for name, one in decided.conditions.items()
        if name not in VETOES
    }
    held |= {
        name: (decided.conditions[name].below > ERROR)[..., place].mean()
        for name in VETOES
        if name in decided.conditions
    }
    held[MAJORITY] = 1 - decided.unproven[..., place].mean()
    held[REFERENCE] = 1 - decided.unreferenced[..., 0].mean()
    name = min(held, key=held.get)
    return name if held[name] < _MOSTLY else "enough"


def _is_enough(grades: Grades, terms: ProcedureTerms) -> np.ndarray:
    """Return (...) whether there are as many questions, and answers, as a verdict takes."""
    figure = FIGURES[terms.figure]
    weight = grades.judges[..., 0, :, :, :].sum(axis=(-2, -1))
    questions = effective_number(weight, 1.0 if grades.times is None else grades.times)
    by_score = grades.total()[..., 0, :, :].sum(axis=-1)
    failing = by_score[..., grades.fails].sum(axis=-1)
    answers = by_score.sum(axis=-1)
    of_class = np.minimum(failing, answers - failing)
    enough = questions > figure.questions - NEGLIGIBLE
    enough &= answers > figure.answers - NEGLIGIBLE
    return enough & (of_class > figure.of_each_class - NEGLIGIBLE)
