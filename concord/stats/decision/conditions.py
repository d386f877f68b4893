"""The conditions of good judges, tested for every judge at once.

Each is declared once, in `REQUIREMENTS`; `concord.reports.panel.decision_conditions` has its words.
All are functions of one table of scores per judge and question, on the answers that annotators and
all judges scored. The reference judge comes first, and has no difference to itself.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from concord.stats.core.clustered import effective_number
from concord.stats.core.minimums import (
    CLASS_FLOOR,
    OVERLAP_FLOOR,
    PAIR_FLOOR,
)
from concord.stats.core.tables import NEGLIGIBLE, commonest
from concord.stats.decision.deciding_figure import BALANCED_ACCURACY, FIGURES, QWK, DecidingFigure
from concord.stats.decision.grades import Grades
from concord.stats.decision.one_sided_test import (
    Tested,
    jackknife_test,
    share_test,
    untested,
)

DIFFERENCE, MINIMUM, CEILING = "difference", "minimum", "ceiling"
KAPPA, ACCURACY = "kappa", "balanced_accuracy"
ANNOTATORS, ASSAY = "annotator_agreement", "assay_sensitivity"
RECALL, PRECISION = "failure_recall", "failure_precision"
# Of the judge, and of the reference judge.
MAJORITY, REFERENCE = "majority_baseline", "reference"
CHANCE = 0.5


class ProcedureTerms(NamedTuple):
    """The terms of a decision, fixed beforehand.

    Attributes:
        figure: The key of the deciding figure.
        margin: Non-inferiority margin, in the figure's own unit.
        minimum: The least figure (the most, of MAE); None for none.
        failure_recall: The least recall of failing answers; None for none.
        failure_precision: The least precision of failing verdicts; None for none.
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
    if terms.minimum is None:
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
    if terms.minimum is None:
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


def _recall(grades: Grades, terms: ProcedureTerms) -> ConditionTest | None:
    least = terms.failure_recall
    return None if least is None else failing_share(grades, RECALL, least)


def _precision(grades: Grades, terms: ProcedureTerms) -> ConditionTest | None:
    least = terms.failure_precision
    return None if least is None else failing_share(grades, PRECISION, least)


def failing_share(grades: Grades, name: str, least: float) -> ConditionTest:
    """Recall of failing answers, or precision of failing verdicts; only its lack is evidence."""
    annotator = np.repeat(grades.fails[:, None], len(grades.fails), axis=1)
    of = annotator if name == RECALL else annotator.T
    tested = _share(grades, annotator & annotator.T, of, least)
    return ConditionTest(tested, least, np.ones(tested.value.shape, bool))


def _share(grades: Grades, hit: np.ndarray, of: np.ndarray, limit: float) -> Tested:
    """Test the share that hits of some (K, K) cells, with the size it has on every other screen."""
    cells = grades.judges.reshape(*grades.judges.shape[:-2], hit.size)
    hits, base = np.moveaxis(cells @ np.stack([hit.ravel(), of.ravel()], 1).astype(float), -1, 0)
    return share_test(hits, base, grades.units(of), limit, _times(grades))


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
    return jackknife_test(value, deleted, weight, differs, worst, limit, times, fewest)


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
    Requirement(RECALL, _recall, "veto"),
    Requirement(PRECISION, _precision, "veto"),
)
GATES = tuple(one.key for one in REQUIREMENTS if one.role == "gate")
VETOES = tuple(one.key for one in REQUIREMENTS if one.role == "veto")
OF_OVERLAP = tuple(one.key for one in REQUIREMENTS if one.of_overlap)
NEEDED = tuple(one.key for one in REQUIREMENTS if one.role == "condition")
