"""The procedure of a decision: from tested conditions to a verdict on every judge.

`good_enough` is an intersection-union test (Berger 1982): a judge's p-value is the largest over its
conditions, without a correction across them, since all of them must hold. Across judges these are
adjusted by Holm's step-down method. `not` is a union, one failing condition suffices, so all
conditions of all judges are one family of Holm's. That annotators agree above chance, and more than
the majority-class baseline does (assay sensitivity), are the same hypotheses for all judges and
open the way to the others (gatekeepers), so they are tested once, without adjustment for their
number, and speak against no judge. Interim looks enter through repeated p-values.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from concord.stats.core.tables import NEGLIGIBLE, effective_number
from concord.stats.decision.conditions import (
    ASSAY,
    GATES,
    MAJORITY,
    NEEDED,
    REFERENCE,
    REQUIREMENTS,
    TAIL,
    VETOES,
    ConditionTest,
    Grades,
    ProcedureTerms,
    clears_baseline,
    conditions,
)
from concord.stats.decision.deciding_figure import FIGURES
from concord.stats.intervals.group_sequential import ERROR, nominal_p, repeated_p
from concord.stats.intervals.simultaneous import holm

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
