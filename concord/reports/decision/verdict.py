"""Verdict on each judge: good enough, not, or inconclusive.

Non-inferiority to a reference judge that failed, or agreement below the majority-class baseline,
shows nothing (assay sensitivity, ICH E10): without a fixed minimum, neither is good enough.

Pure: a panel and terms in, verdicts out, so that it can be replayed over other panels and terms.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from concord.messages import said
from concord.reports.decision.results import (
    CANNOT_TELL,
    GOOD_ENOUGH,
    NOT,
    Condition,
    Judged,
    Terms,
    Verdicts,
)
from concord.reports.panel.candidates import Field, grades_of, pairs_of
from concord.reports.panel.criterion_comparison import TOO_LITTLE_OVERLAP
from concord.reports.panel.decision_conditions import BY_KEY
from concord.stats.baselines import constant
from concord.stats.core.estimate import (
    TOO_FEW,
    Estimate,
    Reason,
    Why,
    reason,
    undefined,
    under,
    without_interval,
)
from concord.stats.core.minimums import OVERLAP_FLOOR, PAIR_FLOOR, QUESTION_FLOOR
from concord.stats.core.tables import NEGLIGIBLE, effective_number
from concord.stats.decision.conditions import (
    ANNOTATORS,
    ASSAY,
    DIFFERENCE,
    GATES,
    KAPPA,
    MAJORITY,
    MINIMUM,
    NEEDED,
    OF_OVERLAP,
    REFERENCE,
    VETOES,
    Grades,
    Tested,
    one_figure,
    overlaps,
)
from concord.stats.decision.deciding_figure import FIGURES, QWK, DecidingFigure
from concord.stats.decision.procedure import ONCE, Decided, decide
from concord.stats.intervals.group_sequential import ERROR
from concord.stats.intervals.resampling import NO_SPREAD, SCORES_EQUAL

TOO_FEW_SHARED = reason("annotators_share_too_few")


def verdicts(found: Field, terms: Terms, looks: Sequence[float] | None = ONCE) -> Verdicts:
    """The verdict on every judge of a field.

    Args:
        found: The judges and the answers.
        terms: What was fixed beforehand.
        looks: Shares of the planned questions at the looks that spent error, this one last; None
            where no error is left, and then there is no verdict.
    """
    pairs = {judge.id: pairs_of(found, judge) for judge in found.judges}
    first = pairs[found.reference.id]
    grades, overlap = grades_of(found, pairs)
    decided = decide(grades, terms.tested(), looks or ONCE)
    figure, scale = FIGURES[terms.figure], grades.scale
    used = grades.judges[0].sum(axis=(0, 2))
    reached = figure.sums(grades.annotators.sum(axis=0), scale, grades.failing)
    few = found.on.no_ceiling(found.on.overlapping(found.common).pairs)
    stopped = reason("error_spent") if looks is None else too_few(found, figure)
    every = [
        _judged(found, place, grades, decided, terms, stopped) for place in range(len(found.judges))
    ]
    return Verdicts(
        judges=every,
        answers=int(found.common.sum()),
        questions=len(np.unique(found.on.panel.question[found.common])),
        clusters=grades.judges.shape[1],
        overlap=overlap,
        grades=grades,
        ceiling=None if few else float(figure.value(reached)),
        constant=constant(used, scale),
        baseline=_number(figure.baselines(used, scale)) if len(first.item) else None,
        figure=terms.figure,
        uncompared=_uncompared(found),
    )


def _number(value: np.ndarray) -> float | None:
    return None if np.isnan(value) else float(value)


def _judged(
    found: Field,
    place: int,
    grades: Grades,
    decided: Decided,
    terms: Terms,
    stopped: Reason | None,
) -> Judged:
    judge, figure = found.judges[place], FIGURES[terms.figure]
    value = _of_judge(grades, figure, place)
    exact = _of_judge(grades, FIGURES["exact"], place)
    kappa = _kappa(grades, place)
    conditions = _conditions(decided, place, terms, value, kappa, found.on.no_overlap)
    if conditions[ANNOTATORS].state != "none":
        conditions[ANNOTATORS] = _between_annotators(found, conditions[ANNOTATORS])
    if place:
        conditions[REFERENCE] = _reference(decided, figure, grades)
    vetoes = tuple(
        name for name in VETOES if name in conditions and conditions[name].state == "fails"
    )
    verdict, why = _verdict(decided, place, conditions)
    if stopped:
        verdict, why, vetoes = CANNOT_TELL, (stopped,), ()
        conditions = {name: _untested(one) for name, one in conditions.items()}
    return Judged(
        judge,
        verdict,
        why,
        conditions,
        exact,
        value,
        kappa,
        None if stopped else float(decided.p_good[place]),
        vetoes,
    )


def _kappa(grades: Grades, place: int) -> Estimate:
    if grades.total()[place].sum() < PAIR_FLOOR - NEGLIGIBLE:
        return undefined(reason("too_few_pairs", n=PAIR_FLOOR))
    return _of_judge(grades, FIGURES[QWK], place)


def _of_judge(grades: Grades, figure: DecidingFigure, place: int) -> Estimate:
    """A judge's figure with its 95% CI."""
    tested = one_figure(grades, figure, 0.0).tested
    return estimate_of(tested, place, figure.sign, figure.is_share)


def estimate_of(tested: Tested, place: int, sign: int = 1, share: bool = False) -> Estimate:
    """One judge's figure with its 95% CI, or why either is undefined."""
    value, low, high = (sign * float(one[place]) for one in tested[:3])
    if np.isnan(value):
        return undefined(SCORES_EQUAL)
    if np.isnan(low):
        few = tested.questions[place] < QUESTION_FLOOR - NEGLIGIBLE
        return without_interval(value, TOO_FEW if few else NO_SPREAD)
    method = said("Wilson at effective n" if share else "question jackknife")
    method = said("{method}, {n} clusters", method=method, n=int(tested.questions[place]))
    return Estimate(value, *sorted((low, high)), method)


def _conditions(
    decided: Decided,
    place: int,
    terms: Terms,
    value: Estimate,
    kappa: Estimate,
    no_overlap: Reason,
) -> dict[str, Condition]:
    found, tested = {}, (*NEEDED, *GATES)
    for name, words in BY_KEY.items():
        if name == MINIMUM and terms.minimum is None:
            found[name] = Condition(value, None, "none")
        if name not in decided.conditions or (name == DIFFERENCE and place == 0):
            continue
        one = decided.conditions[name]
        estimate = estimate_of(one.condition.tested, place, share=name in VETOES)
        if name == KAPPA:
            estimate = kappa
        if name == MINIMUM:
            estimate = value
        applies = bool(one.condition.applies[place])
        if words.left_out and not applies:
            continue
        questions = one.condition.tested.questions[place]
        if name in OF_OVERLAP and not overlaps(questions):
            few = questions == 0
            why = no_overlap if few else TOO_LITTLE_OVERLAP
            # Kappa of so few answers is withheld, as everywhere.
            withheld = few or name in GATES
            estimate = undefined(why) if withheld else estimate._replace(why_none=why)
        above, below = float(one.above[place]), float(one.below[place])
        state = "clear" if above <= ERROR else "fails" if below <= ERROR else "open"
        if name == MAJORITY and state == "open" and not decided.unproven[place]:
            state = "clear"
        if name in VETOES and state == "open":
            reached = estimate.low is not None and estimate.low >= one.condition.limit
            state = "clear" if reached else "no_veto"
        limit = terms.minimum if name == MINIMUM else one.condition.limit
        found[name] = (
            Condition(estimate, limit, state, above if name in tested else None, below)
            if applies
            else Condition(estimate, None, "none")
        )
    return found


def _between_annotators(found: Field, one: Condition) -> Condition:
    """Return the condition with the names of two annotators, as neither can be singled out."""
    names, answers = _overlapping(found)
    if answers < PAIR_FLOOR:
        one = replace(one, estimate=undefined(TOO_FEW_SHARED))
    if one.state != "open" or len(names) != 2:
        return one
    why = reason("two_annotators_at_chance", one=names[0], other=names[1])
    return replace(one, why_open=why)


def _overlapping(found: Field) -> tuple[list[str], int]:
    """The annotators who scored an answer that another one scored too, and how many these are."""
    counted, shared = _shared(found)
    annotators = found.on.panel.annotators
    names = [annotators[i].name for i, one in counted.items() if (one & shared).any()]
    return names, int(shared.sum())


def _uncompared(found: Field) -> tuple[str, ...]:
    """The annotators who share too few questions with any other, where the others share enough."""
    counted, shared = _shared(found)
    panel = found.on.panel
    few = [
        i
        for i, one in counted.items()
        if one.any() and len(np.unique(panel.cluster[one & shared])) < OVERLAP_FLOOR
    ]
    alone = len(few) == sum(one.any() for one in counted.values())
    return () if alone else tuple(panel.annotators[i].name for i in few)


def _shared(found: Field) -> tuple[dict[int, np.ndarray], np.ndarray]:
    """The compared answers that each annotator scored, and those that two or more did."""
    panel, name = found.on.panel, found.on.name
    counted = {i: panel.counted(name, i) & found.common for i in panel.annotators}
    return counted, sum(one.astype(int) for one in counted.values()) > 1


def _reference(decided: Decided, figure: DecidingFigure, grades: Grades) -> Condition:
    """Return whether non-inferiority to the reference judge shows anything."""
    above = _number(figure.baselines(grades.judges[0].sum(axis=(0, 2)), grades.scale))
    failed = decided.bad[0] or decided.unproven[0]
    state = "open" if decided.unreferenced[0] else "none" if failed else "clear"
    why = _REFERENCE_FAILED if decided.bad[0] else _REFERENCE_BELOW
    return Condition(_of_judge(grades, figure, 0), above, state, why_open=why)


def _untested(one: Condition) -> Condition:
    """The condition of a look that gives no verdict: its p-values do not hold their level."""
    return one if one.state == "none" else replace(one, state="untested", p=None, p_not=None)


def too_few(found: Field, figure: DecidingFigure) -> Reason | None:
    """Return why the grades are too few for a verdict on a figure; None where they suffice."""
    pairs = pairs_of(found, found.reference)
    questions = effective_number(np.bincount(pairs.cluster, pairs.weight))
    if questions < figure.questions - NEGLIGIBLE:
        return under(figure.questions, reason("no_verdict"))
    fails = np.isin(pairs.annotator, list(found.on.panel.rubric.failing(found.on.criterion)))
    answers, failing = pairs.weight.sum(), pairs.weight[fails].sum()
    if answers < figure.answers - NEGLIGIBLE:
        return reason("too_few_answers_for_verdict", n=figure.answers)
    if min(failing, answers - failing) < figure.of_each_class - NEGLIGIBLE:
        return reason("too_few_of_each_class_for_verdict", n=figure.of_each_class)
    return None


def _verdict(
    decided: Decided,
    place: int,
    conditions: Mapping[str, Condition],
) -> tuple[str, tuple[Why, ...]]:
    why = tuple(BY_KEY[name].fails for name, one in conditions.items() if one.state == "fails")
    if decided.bad[place] and why:
        return NOT, why
    if decided.good[place]:
        return GOOD_ENOUGH, ()
    undecided = [(name, one) for name, one in conditions.items() if one.state == "open"]
    # Without a reference standard or assay sensitivity no other condition matters. Of the others
    # the one that is furthest from being met comes first.
    undecided.sort(key=lambda pair: (_FIRST.get(pair[0], len(_FIRST)), -(pair[1].p or 0)))
    why = [
        one.estimate.why_none if one.estimate.value is None else one.why_open or BY_KEY[name].open
        for name, one in undecided
    ]
    return CANNOT_TELL, tuple(dict.fromkeys(why))


_FIRST = {ANNOTATORS: 0, ASSAY: 1, REFERENCE: 2, MAJORITY: 3}
_REFERENCE_FAILED = reason("reference_failed")
_REFERENCE_BELOW = reason("reference_below_majority_baseline")
