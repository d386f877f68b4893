"""Verdict on each judge: good enough, not, or inconclusive.

Non-inferiority to a reference judge that failed, or agreement below the majority-class baseline,
shows nothing (assay sensitivity, ICH E10): without a fixed minimum, neither is good enough.

Pure: a panel and terms in, verdicts out, so that it can be replayed over other panels and terms.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from concord.reports.decision.results import CANNOT_TELL, GOOD_ENOUGH, NOT, Row
from concord.reports.panel.candidates import Field, grades_of, pairs_of
from concord.reports.panel.criterion_comparison import TOO_LITTLE_OVERLAP
from concord.reports.panel.decision_conditions import BY_KEY
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
from concord.stats.core.minimums import PAIR_FLOOR, QUESTION_FLOOR
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
    ProcedureTerms,
    Tested,
    one_figure,
    overlaps,
)
from concord.stats.decision.deciding_figure import FIGURES, DecidingFigure
from concord.stats.decision.procedure import ONCE, Decided, decide, test_limits
from concord.stats.intervals.group_sequential import ERROR
from concord.stats.intervals.resampling import NO_SPREAD, SCORES_EQUAL

# Without a reference standard or assay sensitivity no other condition matters.
_FIRST = (ANNOTATORS, ASSAY, REFERENCE, MAJORITY)
# What a condition is where its look gives no verdict.
UNTESTED = {"state": "untested", "p": None, "p_not": None, "interval": (None, None)}


class Verdicts(NamedTuple):
    """All judges of a comparison under the terms.

    Attributes:
        rows: By grader id, the reference judge first; without prices and forecasts.
        grades: The tables of all judges by question.
        facts: What a look says of all of them, by its keys.
    """

    rows: dict[int, Row]
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
    used, answers = grades.judges[0].sum(axis=(0, 2)), int(found.common.sum())
    few = found.on.no_ceiling(found.on.overlapping(found.common).pairs)
    reached = figure.sums(grades.annotators.sum(axis=0), scale, grades.failing)
    facts = {
        "answers": answers,
        "questions": len(np.unique(found.on.panel.question[found.common])),
        "clusters": grades.judges.shape[1],
        "overlap": overlap,
        "ceiling": None if few else float(figure.value(reached)),
        "baseline": _number(figure.baselines(used, scale)) if answers else None,
    }
    tested = one_figure(grades, figure, 0.0).tested
    stopped = reason("error_spent") if looks is None else too_few(found, figure)
    rows: dict[int, Row] = {}
    for place, judge in enumerate(found.judges):
        value = estimate_of(tested, place, figure.sign, figure.is_share)
        made, opens = _conditions(found, place, grades, decided, limits, terms, value)
        if place:
            failed = decided.bad[0] or decided.unproven[0]
            state = "open" if decided.unreferenced[0] else "none" if failed else "clear"
            of_reference = {"estimate": rows[found.reference.id].value, "above": facts["baseline"]}
            made[REFERENCE] = Row(UNTESTED | of_reference, state=state)
            opens[REFERENCE] = reason(
                "reference_failed" if decided.bad[0] else "reference_below_majority_baseline"
            )
        verdict, why, by = _verdict(decided, place, made, opens)
        if stopped:
            verdict, why, by = CANNOT_TELL, (stopped,), None
            for one in made.values():
                one.update(UNTESTED if one.state != "none" else {})
        rows[judge.id] = Row(
            judge=found.on.panel.labels[judge.id],
            fingerprint=judge.fingerprint,
            simulated=judge.simulated,
            is_reference=place == 0,
            verdict=verdict,
            why=why,
            decided_by=by,
            conditions=made,
            value=value,
            difference=made[DIFFERENCE].estimate
            if place
            else with_interval(0.0, 0.0, 0.0, "to itself"),
            p=None if stopped else float(decided.p_good[place]),
            confirmed=True,
            n=answers,
        )
    return Verdicts(rows, grades, facts)


def _number(value: np.ndarray) -> float | None:
    return None if np.isnan(value) else float(value)


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
    limits: Mapping[str, tuple[np.ndarray, np.ndarray]],
    terms: ProcedureTerms,
    value: Estimate,
) -> tuple[dict[str, Row], dict[str, Reason | str]]:
    """Return the conditions of a judge, whose deciding figure is `value`, and why each is open."""
    sign, made, opens = FIGURES[terms.figure].sign, {}, {}
    for name, words in BY_KEY.items():
        if name not in decided.conditions or (name == DIFFERENCE and place == 0):
            continue
        condition, *tests = decided.conditions[name]
        above, below = (float(one[place]) for one in tests)
        applies, questions = condition.applies[place], condition.tested.questions[place]
        if words.left_out and not applies:
            continue
        estimate = estimate_of(condition.tested, place, share=name in VETOES)
        if name == MINIMUM:
            estimate = value
        if name == KAPPA and grades.total()[place].sum() < PAIR_FLOOR - NEGLIGIBLE:
            estimate = undefined(reason("too_few_pairs", n=PAIR_FLOOR))
        if name in OF_OVERLAP and not overlaps(questions):
            why = found.on.no_overlap if questions == 0 else TOO_LITTLE_OVERLAP
            # Kappa of so few answers is withheld, as everywhere.
            withheld = questions == 0 or name in GATES
            estimate = undefined(why) if withheld else estimate._replace(why_none=why)
        opens[name] = words.open
        if not applies:
            made[name] = Row(UNTESTED, estimate=estimate, above=None, state="none")
            continue
        state = "clear" if above <= ERROR else "fails" if below <= ERROR else "open"
        if name == MAJORITY and state == "open" and not decided.unproven[place]:
            state = "clear"
        if name in VETOES and state == "open":
            reached = estimate.low is not None and estimate.low >= condition.limit
            state = "clear" if reached else "no_veto"
        if name == ANNOTATORS:
            panel, criterion = found.on.panel, found.on.name
            counted = {i: panel.counted(criterion, i) & found.common for i in panel.annotators}
            shared = sum(one.astype(int) for one in counted.values()) > 1
            people = [
                panel.annotators[i].name for i, one in counted.items() if (one & shared).any()
            ]
            if int(shared.sum()) < PAIR_FLOOR:
                estimate = undefined(reason("annotators_share_too_few"))
            if len(people) == 2:  # neither can be singled out, so both are named
                one, other = people
                opens[name] = reason("two_annotators_at_chance", one=one, other=other)
        limit = terms.minimum if name == MINIMUM else condition.limit
        turned = sign if name == MINIMUM else 1
        ends = [_number(turned * one[place]) for one in limits.get(name, ())]
        made[name] = Row(
            estimate=estimate,
            above=limit,
            state=state,
            p=above if name in (*NEEDED, *GATES) else None,
            p_not=below,
            interval=(None, None) if None in ends or not ends else tuple(sorted(ends)),
        )
    return made, opens


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
    decided: Decided, place: int, conditions: Mapping[str, Row], opens: Mapping[str, Reason | str]
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
    undecided = sorted(in_state("open"), key=lambda name: -(conditions[name].p or 0))
    undecided.sort(key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST))
    estimates = {name: conditions[name].estimate for name in undecided}
    why = [one.why_none if one.value is None else opens[name] for name, one in estimates.items()]
    return CANNOT_TELL, tuple(dict.fromkeys(why)), next(iter(undecided), None)
