"""The conditions of good judges, tested for every judge at once.

Each is declared once, in `REQUIREMENTS`; `concord.reports.panel.decision_conditions` has its words.
All are functions of one table of scores per judge and question, on the answers that annotators and
all judges scored. The reference judge comes first, and has no difference to itself.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from scipy import special

from concord.stats.core.minimums import (
    CLASS_FLOOR,
    DISCORDANT_FLOOR,
    OVERLAP_FLOOR,
    PAIR_FLOOR,
    QUESTION_FLOOR,
)
from concord.stats.core.tables import NEGLIGIBLE, commonest, ratio
from concord.stats.decision.deciding_figure import BALANCED_ACCURACY, FIGURES, QWK, DecidingFigure
from concord.stats.decision.exact_bound import (
    Worst,
    constant_p,
    contaminated,
    is_apart,
    linear_loss,
    too_few_discordant,
)
from concord.stats.decision.grades import Grades
from concord.stats.decision.one_sided_test import (
    Tested,
    jackknife_test,
    padded_test,
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


def overlaps(questions: int | np.ndarray) -> bool | np.ndarray:
    """Return whether annotators share enough questions for the human ceiling."""
    return questions >= OVERLAP_FLOOR


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
    return found._replace(tested=found.tested.withheld()) if grades.pairs < PAIR_FLOOR else found


def _accuracy(grades: Grades, _: ProcedureTerms) -> ConditionTest:
    """Balanced accuracy above a half, where there are enough answers of both classes."""
    found = one_figure(grades, FIGURES[BALANCED_ACCURACY], CHANCE)
    by_score = grades.total().sum(axis=-1)
    failing = by_score[..., grades.fails].sum(axis=-1)
    passing = by_score[..., ~grades.fails].sum(axis=-1)
    both = np.minimum(failing, passing) > CLASS_FLOOR - NEGLIGIBLE
    return found._replace(applies=both)


def _annotators(grades: Grades, _: ProcedureTerms) -> ConditionTest:
    """Quadratic kappa of the annotators with one another above 0; one test for all judges.

    An annotator who grades at random lowers the human ceiling, and so what is asked of a judge.
    """
    tested = _contrast(grades, FIGURES[QWK], grades.annotators[..., None, :, :, :], None, 0.0)
    shared = grades.annotators.sum(axis=(-2, -1))
    shared = grades.summed(shared[..., None, :, None])[..., 0]
    few = shared < PAIR_FLOOR - NEGLIGIBLE
    tested = tested._replace(
        low=np.where(few, np.nan, tested.low),
        high=np.where(few, np.nan, tested.high),
        above=np.where(few, 1.0, tested.above),
    )
    shape = _shape(grades.judges, grades.times)
    tested = Tested(*(np.broadcast_to(one, shape) for one in tested))
    return ConditionTest(tested, 0.0, overlaps(tested.questions))


def _assay(grades: Grades, terms: ProcedureTerms) -> ConditionTest | None:
    """Annotators among themselves minus the majority-class baseline; one test for all judges.

    Where always giving the commonest grade agrees as often as annotators do, a share of answers
    cannot tell a good judge from that.
    """
    figure = FIGURES[terms.figure]
    if figure.stretch != "wilson":
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
    value, deleted = _with_deleted(figure, _baseline(grades, figure, first), grades)
    found = jackknife_test(value, deleted, grades.present(first), 0.0, times=_times(grades))
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
    size = len(grades.scale)
    annotator, judge = np.repeat(grades.fails, size), np.tile(grades.fails, size)
    which = np.stack([annotator if name == RECALL else judge, annotator & judge], axis=1)
    cells = grades.judges.reshape(*grades.judges.shape[:-2], size**2)
    base, both = np.moveaxis(cells @ which.astype(float), -1, 0)
    answers = grades.summed(base[..., None])[..., 0]
    if grades.squares is not None:
        # The size that the recall has on every other screen, or two intervals of it would differ.
        squares = grades.squares[0 if name == RECALL else 1]
        answers = ratio(answers**2, grades.summed(squares[..., None])[..., 0])
    tested = share_test(both, base, answers, least, 1.0, grades.heaviest, _times(grades))
    return ConditionTest(tested, least, np.ones(tested.value.shape, bool))


def one_figure(grades: Grades, figure: DecidingFigure, limit: float) -> ConditionTest:
    """A figure of every judge against a limit."""
    if figure.stretch == "wilson":
        sums = figure.sums(grades.judges, grades.scale, grades.failing)
        hits, base = sums[..., 0], sums[..., 1]
        answers = grades.answers
        if answers is None:
            answers = grades.summed(base[..., None])[..., 0]
        tested = share_test(
            hits, base, answers, limit, grades.per_answer, grades.heaviest, _times(grades)
        )
    else:
        tested = _constant(_contrast(grades, figure, grades.judges, None, limit), grades, limit)
        # The jackknife interval of balanced accuracy, on its own scale, can reach beyond 1.
        tested = tested._replace(high=np.minimum(tested.high, figure.best))
    return ConditionTest(tested, limit, np.ones(tested.value.shape, bool))


def _shape(tables: np.ndarray, times: np.ndarray | None) -> tuple[int, ...]:
    """(..., J) of (..., J, G, K, K) tables, on every simulated sheet."""
    shape = tables.shape[:-3]
    if times is None:
        return shape
    return np.broadcast_shapes(shape, (*times.shape[:-1], shape[-1]))


def _times(grades: Grades) -> np.ndarray | None:
    return None if grades.times is None else grades.times[..., None, :]


def _contrast(
    grades: Grades,
    figure: DecidingFigure,
    tables: np.ndarray,
    other: np.ndarray | None,
    limit: float,
) -> Tested:
    """Test figures of (..., J, G, K, K) tables, or their differences from (..., J, G, F) sums."""
    if not tables.any():
        return untested(_shape(tables, grades.times))
    rows = _sums(grades, figure, tables)
    perfect = figure.sums_of_perfect(tables, grades.scale, grades.failing)
    reference = perfect if other is None else other
    present = grades.present(tables)
    value, deleted = _with_deleted(figure, rows, grades)
    level, own = np.zeros_like(value), value[..., None] - deleted
    if other is not None:
        level, less = _with_deleted(figure, reference, grades)
        value, deleted = value - level, deleted - less
    stretch = figure.stretch if other is None else ""
    times = _times(grades)
    found = jackknife_test(value, deleted, present, limit, stretch, times)
    apart = is_apart(rows, reference)
    differs = present & apart.any(axis=-1)
    few = too_few_discordant(grades.number(differs))
    # The jackknife needs variation between questions; with few differing ones the exact bound
    # applies.
    few = few & (found.questions >= QUESTION_FLOOR) & ~np.isnan(value)
    if not few.any():
        return found
    of = _Apart(
        *(
            np.broadcast_to(one, few.shape + one.shape[-tail:])[few]
            for one, tail in (
                (tables, 3),
                (apart, 2),
                (present, 1),
                (differs, 1),
                (is_apart(rows, perfect).any(axis=-1), 1),
                (np.ones(present.shape[-1:], int) if times is None else times, 1),
            )
        )
    )
    level, value = np.broadcast_to(level, few.shape)[few], value[few]
    lower, upper = _bounds(figure, grades, of, level, value)
    low, (above, below) = lower.low(), lower.p(limit)
    if other is not None and not limit:
        # The bound leaves out gains, so that the first loss would lie below 0: a sign test.
        below = special.bdtrc(lower.worse - 1, np.maximum(lower.worse + upper.worse, 1), 0.5)
    if not stretch:
        usual = _usual_departure(of, own[few])
        padded = _padded(of, value, deleted[few], limit, usual)
        low, above = np.fmax(low, padded[0]), np.minimum(above, padded[1])
    high = np.full(len(value), figure.best) if other is None else -upper.low()
    exact = np.minimum(low, value), np.maximum(high, value), above, below
    for array, these in zip(found[1:5], exact, strict=True):
        array[few] = these
    return found._replace(exact=few)


def _padded(
    of: "_Apart", value: np.ndarray, deleted: np.ndarray, limit: float, usual: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Lower limits and p-values with as many differing questions as the jackknife takes.

    The exact bound takes each question for lost as a whole. With it alone a judge would fare worse
    than one that differs on more questions, for which the jackknife serves.
    """
    questions = (of.times * of.present).sum(axis=-1)
    return padded_test(
        value, deleted, of.differs, of.times, questions, DISCORDANT_FLOOR, limit, usual
    )


def _usual_departure(of: "_Apart", own: np.ndarray) -> np.ndarray:
    """(P,) how much a question moves a figure on which the judge departs from annotators (RMS).

    Judges that differ on no question, or on one, hardly show how bad a difference is. Their errors
    do: on a question that one of them loses to the other, it errs and the other does not.
    """
    there = of.times * of.present * of.departs
    return np.sqrt((there * own**2).sum(axis=-1) / np.maximum(there.sum(axis=-1), 1))


class _Apart(NamedTuple):
    """P judges: (P, G, K, K) tables, (P, G, F) features apart, (P, G) the other four."""

    tables: np.ndarray
    features: np.ndarray
    present: np.ndarray
    differs: np.ndarray
    departs: np.ndarray
    times: np.ndarray


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


def _bounds(
    figure: DecidingFigure, grades: Grades, of: _Apart, level: np.ndarray, value: np.ndarray
) -> tuple[Worst, Worst]:
    """What the judges may lose, and what those they are compared with may."""
    number = (of.times * of.present).sum(axis=-1)
    features = figure.features(grades.scale, grades.failing)
    if figure.linear:
        loss = linear_loss(float(np.ptp(features[:, 0])))
        apart = figure.sign * of.features[..., 0]
        apart = apart * of.present
        return tuple(
            Worst(loss, number, (of.times * (side * apart < 0)).sum(axis=-1)) for side in (1, -1)
        )
    agreed = np.where(of.differs, 0, of.times)[..., None, None] * of.tables
    agreed = agreed.sum(axis=-3)
    # A judge may differ on every question; the agreed part is then empty and its mean is not used.
    weight = np.maximum(agreed.sum(axis=(-2, -1)), NEGLIGIBLE)
    agreed = agreed.reshape(len(agreed), -1) @ features / weight[:, None]
    size, moved = len(grades.scale), (of.times * of.differs).sum(axis=-1)
    ends = features[[size - 1, size * (size - 1)]]  # annotator and judge at opposite ends
    return tuple(
        Worst(contaminated(figure.better, agreed, ends, other), number, moved)
        for other in (level, level + value)
    )


def _constant(found: Tested, grades: Grades, limit: float) -> Tested:
    """A judge that gives one score throughout is not above chance, however few its questions."""
    by_judge = grades.total().sum(axis=-2) > NEGLIGIBLE
    constant = by_judge.sum(axis=-1) == 1
    if not constant.any():
        return found
    off = grades.judges.sum(axis=-1) * ~by_judge[..., None, :]
    departing = grades.number(off.sum(axis=-1) > 1 - NEGLIGIBLE)
    sure = constant & (found.value <= limit) & (found.questions >= QUESTION_FLOOR)
    return found._replace(
        above=np.where(constant, 1.0, found.above),
        below=np.where(sure, constant_p(departing), found.below),
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
