"""Verdict on each judge: good enough, not, or inconclusive.

Non-inferiority to a reference judge that failed, or agreement below the majority-class baseline,
shows nothing (assay sensitivity, ICH E10): without a fixed minimum, neither is good enough.

Pure: a panel and terms in, verdicts out, so that it can be replayed over other panels and terms.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from concord.reports.decision.results import (
    CANNOT_TELL,
    GOOD_ENOUGH,
    NOT,
    Condition,
    JudgeFound,
)
from concord.reports.panel.candidates import Field, grades_of, pairs_of
from concord.reports.panel.criterion_comparison import TOO_LITTLE_OVERLAP
from concord.reports.panel.decision_conditions import BY_KEY
from concord.stats.baselines import constant
from concord.stats.core.estimate import (
    TOO_FEW,
    Estimate,
    Reason,
    reason,
    undefined,
    under,
    with_interval,
    without_interval,
)
from concord.stats.core.minimums import OVERLAP_FLOOR, PAIR_FLOOR, QUESTION_FLOOR
from concord.stats.core.tables import NEGLIGIBLE, effective_number
from concord.stats.decision.conditions import (
    ANNOTATORS,
    ASSAY,
    CEILING,
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
    ProcedureTerms,
    Tested,
    one_figure,
    overlaps,
)
from concord.stats.decision.deciding_figure import EXACT, FIGURES, QWK, DecidingFigure
from concord.stats.decision.procedure import ONCE, Decided, decide, test_limits
from concord.stats.intervals.group_sequential import ERROR
from concord.stats.intervals.resampling import NO_SPREAD, SCORES_EQUAL

# Without a reference standard or assay sensitivity no other condition matters.
_FIRST = (ANNOTATORS, ASSAY, REFERENCE, MAJORITY)


class Verdicts(NamedTuple):
    """All judges of a comparison under the terms.

    Attributes:
        rows: By grader id, the reference judge first; without prices and forecasts.
        grades: The tables of all judges by question.
        facts: What a look says of all of them, by the fields of `Choice`.
    """

    rows: dict[int, JudgeFound]
    grades: Grades
    facts: dict[str, Any]


def verdicts(
    found: Field,
    terms: ProcedureTerms,
    looks: Sequence[float] | None = ONCE,
    intervals: bool = True,
) -> Verdicts:
    """The verdict on every judge of a field.

    Args:
        found: The judges and the answers.
        terms: What was fixed beforehand.
        looks: Shares of the planned questions at the looks that spent error, this one last; None
            where no error is left, and then there is no verdict.
        intervals: Compute the `interval` of conditions.
    """
    grades, overlap = grades_of(found, {one.id: pairs_of(found, one) for one in found.judges})
    decided = decide(grades, terms, looks or ONCE)
    limits = test_limits(grades, terms, decided, looks or ONCE) if intervals else {}
    figure, scale = FIGURES[terms.figure], grades.scale
    used = grades.judges[0].sum(axis=(0, 2))
    reached = figure.sums(grades.annotators.sum(axis=0), scale, grades.failing)
    few = found.on.no_ceiling(found.on.overlapping(found.common).pairs)
    answers = int(found.common.sum())
    counted, shared = _shared(found)
    cluster = found.on.panel.cluster
    alone = [
        i
        for i, one in counted.items()
        if one.any() and len(np.unique(cluster[one & shared])) < OVERLAP_FLOOR
    ]
    every_alone = len(alone) == sum(one.any() for one in counted.values())
    names = found.on.panel.annotators
    facts = {
        "answers": answers,
        "questions": len(np.unique(found.on.panel.question[found.common])),
        "clusters": grades.judges.shape[1],
        "overlap": overlap,
        "ceiling": None if few else float(figure.value(reached)),
        "majority_baseline": constant(used, scale),
        "baseline": _number(figure.baselines(used, scale)) if answers else None,
        "uncompared": () if every_alone else tuple(names[i].name for i in alone),
    }
    stopped = reason("error_spent") if looks is None else too_few(found, figure)
    rows = {}
    for place, judge in enumerate(found.judges):
        conditions, opens = _conditions(found, place, grades, decided, limits, terms)
        verdict, why, by = _verdict(decided, place, conditions, opens)
        vetoes = [name for name in VETOES if name in conditions]
        if stopped:
            verdict, why, by = CANNOT_TELL, (stopped,), None
        rows[judge.id] = JudgeFound(
            judge=found.on.panel.labels[judge.id],
            fingerprint=judge.fingerprint,
            simulated=judge.simulated,
            is_reference=place == 0,
            verdict=verdict,
            why=why,
            decided_by=by,
            conditions={
                name: Condition(one.estimate, one.above, "untested")
                if stopped and one.state != "none"
                else one
                for name, one in conditions.items()
            },
            exact=_of_judge(grades, FIGURES[EXACT], place),
            value=_of_judge(grades, figure, place),
            qwk=_kappa(grades, place),
            difference=conditions[DIFFERENCE].estimate
            if place
            else with_interval(0.0, 0.0, 0.0, "to itself"),
            judge_minus_ceiling=conditions[CEILING].estimate,
            p=None if stopped else float(decided.p_good[place]),
            vetoes=()
            if stopped
            else tuple(name for name in vetoes if conditions[name].state == "fails"),
            n=answers,
        )
    return Verdicts(rows, grades, facts)


def _number(value: np.ndarray) -> float | None:
    return None if np.isnan(value) else float(value)


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
    method = "Wilson at effective n" if share else "question jackknife"
    method = f"{method}, {int(tested.questions[place])} clusters"
    return Estimate(value, *sorted((low, high)), method)


def _conditions(
    found: Field,
    place: int,
    grades: Grades,
    decided: Decided,
    limits: dict[str, tuple[np.ndarray, np.ndarray]],
    terms: ProcedureTerms,
) -> tuple[dict[str, Condition], dict[str, Reason | str]]:
    """Return the conditions of a judge, and why each that is open is."""
    figure = FIGURES[terms.figure]
    made: dict[str, Condition] = {}
    opens: dict[str, Reason | str] = {}
    for name, words in BY_KEY.items():
        if name == MINIMUM and terms.minimum is None:
            made[name] = Condition(_of_judge(grades, figure, place), None, "none")
        if name not in decided.conditions or (name == DIFFERENCE and place == 0):
            continue
        condition, above, below = decided.conditions[name]
        above, below = float(above[place]), float(below[place])
        sign = figure.sign if name == MINIMUM else 1
        if name == KAPPA:
            estimate = _kappa(grades, place)
        elif name == MINIMUM:
            estimate = _of_judge(grades, figure, place)
        else:
            estimate = estimate_of(condition.tested, place, share=name in VETOES)
        applies = bool(condition.applies[place])
        if words.left_out and not applies:
            continue
        questions = condition.tested.questions[place]
        if name in OF_OVERLAP and not overlaps(questions):
            why = found.on.no_overlap if questions == 0 else TOO_LITTLE_OVERLAP
            # Kappa of so few answers is withheld, as everywhere.
            withheld = questions == 0 or name in GATES
            estimate = undefined(why) if withheld else estimate._replace(why_none=why)
        state = "clear" if above <= ERROR else "fails" if below <= ERROR else "open"
        if name == MAJORITY and state == "open" and not decided.unproven[place]:
            state = "clear"
        if name in VETOES and state == "open":
            reached = estimate.low is not None and estimate.low >= condition.limit
            state = "clear" if reached else "no_veto"
        opens[name] = words.open
        if name == ANNOTATORS and applies:
            # Neither of two annotators can be singled out, so both are named.
            counted, shared = _shared(found)
            people = [i for i, one in counted.items() if (one & shared).any()]
            one, *others = (found.on.panel.annotators[i].name for i in people)
            if int(shared.sum()) < PAIR_FLOOR:
                estimate = undefined(reason("annotators_share_too_few"))
            if len(others) == 1:
                opens[name] = reason("two_annotators_at_chance", one=one, other=others[0])
        ends = [_number(sign * one[place]) for one in limits.get(name, ())]
        made[name] = (
            Condition(
                estimate,
                terms.minimum if name == MINIMUM else condition.limit,
                state,
                above if name in (*NEEDED, *GATES) else None,
                below,
                (None, None) if None in ends or not ends else tuple(sorted(ends)),
            )
            if applies
            else Condition(estimate, None, "none")
        )
    if place:
        baseline = _number(figure.baselines(grades.judges[0].sum(axis=(0, 2)), grades.scale))
        failed = decided.bad[0] or decided.unproven[0]
        state = "open" if decided.unreferenced[0] else "none" if failed else "clear"
        made[REFERENCE] = Condition(_of_judge(grades, figure, 0), baseline, state)
        opens[REFERENCE] = reason(
            "reference_failed" if decided.bad[0] else "reference_below_majority_baseline"
        )
    return made, opens


def _shared(found: Field) -> tuple[dict[int, np.ndarray], np.ndarray]:
    """The compared answers that each annotator scored, and those that two or more did."""
    panel, name = found.on.panel, found.on.name
    counted = {i: panel.counted(name, i) & found.common for i in panel.annotators}
    return counted, sum(one.astype(int) for one in counted.values()) > 1


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
    decided: Decided, place: int, conditions: dict[str, Condition], opens: dict[str, Reason | str]
) -> tuple[str, tuple[Reason | str, ...], str | None]:
    """Return the verdict, the reasons, and the condition that decided."""

    def in_state(state: str) -> list[str]:
        return [name for name, one in conditions.items() if one.state == state]

    if decided.bad[place] and (failed := in_state("fails")):
        by = min(failed, key=lambda name: conditions[name].p_not)
        return NOT, tuple(BY_KEY[name].fails for name in failed), by
    if decided.good[place]:
        met = [name for name in in_state("clear") if conditions[name].p is not None]
        return GOOD_ENOUGH, (), max(met, key=lambda name: conditions[name].p, default=None)
    # Of the others the one that is furthest from being met comes first.
    undecided = sorted(
        in_state("open"),
        key=lambda name: (
            _FIRST.index(name) if name in _FIRST else len(_FIRST),
            -(conditions[name].p or 0),
        ),
    )
    why = [
        one.why_none if one.value is None else opens[name]
        for name in undecided
        if (one := conditions[name].estimate)
    ]
    return CANNOT_TELL, tuple(dict.fromkeys(why)), next(iter(undecided), None)
