"""Comparison of judge variants (prompts, models, scales, reading rules, juries) on equal answers.

The same answers are those that every variant compared scored and annotators graded; what is left
out is counted. The target is a criterion of the annotators' or the composite. Agreement with
annotators is on [0, 1], so that scales can be compared.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from concord.messages import Problem, joined, span, spoken
from concord.model import Sheet
from concord.reports.comparison import presets
from concord.reports.decision.cost import Cost, costs
from concord.reports.panel import provenance, variants
from concord.reports.panel.criterion_comparison import EACH, CriterionPanel, ground
from concord.reports.panel.panel import COMPOSITE, OTHER, STATUS_NAMES, Panel
from concord.reports.panel.provenance import counted_annotators, weighting
from concord.reports.panel.variants import Variant, mapped_scores, shared_panel
from concord.reports.ranking import ranking
from concord.reports.reliability.test_retest import of_judge
from concord.rubrics.model import Rubric
from concord.stats.comparison import paired_tests
from concord.stats.comparison.paired_tests import Discordant, mcnemar, sign_flip
from concord.stats.continuous import CONTINUOUS, lin_ccc, question_moments
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import commonest, distinct, ranked, ratio
from concord.stats.intervals.resampling import Draws, jackknife, leave_out
from concord.stats.intervals.simultaneous import difference, simultaneous
from concord.stats.intervals.wilson import proportion
from concord.stats.statistics import NOTHING, floor
from concord.store.database import Store

# Figures on [0, 1], so that scales can be compared.
MAPPED = ("mae", "bias", "ccc")
OWN_FIGURES = ("exact", "within_one", "qwk", "failure_recall")
EXACT, DISTANCE = "exact", "distance"
LEVEL = 0.05
# Mapped scores are real numbers: closer than SAME counts as the same score.
SAME = 1e-9
IS_BASE = "it is the variant the others are compared with"
NOT_SHARED = "not scored by every variant compared"
NO_OWN_SCALE = "exact figures are of one criterion, on the annotators' own scale"
NOT_ASKED = "it graded no answer"
NO_BASELINE = "the majority-class baseline has distance 0, so nothing can be nearer"
UNPRICED = Cost(why_none="no price is known")


def compare(
    store: Store,
    sheet: Sheet,
    judges: Sequence[str] = (),
    against: str | None = None,
    target: str | None = None,
    reference: str = EACH,
    rubric: str | None = None,
    annotators: Sequence[str] = (),
    study: str | None = None,
) -> dict[str, Any]:
    """Compare judges of a sheet; a Problem where something that is named does not exist.

    No `judges` are all variants, `study` is a preset that picks among them, `against` the variant
    the others are compared with, `target` a criterion of the annotators' or `composite`, and
    `rubric` the annotators' by name.
    """
    every = variants.read(store, sheet)
    panel = every.annotators(rubric, annotators)
    chosen = every.named(judges) if judges else list(every.every)
    base, preset = None, None
    if study is not None:
        chosen, base, preset = presets.pick(store, panel, chosen, study)
    if against:
        base = every.named([against])[0]
    if base is not None and base not in chosen:
        chosen = [base, *chosen]
    if target is not None and target not in (known := targets(chosen, panel)):
        raise Problem(
            "“{target}” cannot be compared here. These judges and annotators share: {known}.",
            target=target,
            known=joined(", ", known) or "none",
        )
    priced = costs(store, sheet, [variant.judge for variant in chosen])
    return report(chosen, panel, target, base, reference, priced, study=preset)


class Side(NamedTuple):
    """Variants side by side on one criterion (or the composite).

    Attributes:
        chosen: The variants compared, those that grade the target.
        annotators: The annotators' panel, on the annotators' own scale.
        on: The ground of the target mapped to [0, 1], under the name of the composite, since
            mapped scores are real numbers; open are only the shared answers.
        has: (N,) the answers that annotators graded.
        scored: (V, N) the answers each variant scored.
        shared: (N,) the answers in every figure.
        pairs: Each variant's mapped scores paired with the annotators', all of the same answers.
    """

    chosen: tuple[Variant, ...]
    annotators: Panel
    target: str
    on: CriterionPanel
    has: np.ndarray
    scored: np.ndarray
    shared: np.ndarray
    pairs: list[Pairs]


def side_by_side(
    chosen: Sequence[Variant], annotators: Panel, target: str, kind: str = EACH
) -> Side:
    """Lay variants side by side; those that do not grade the target are left out."""
    able = tuple(v for v in chosen if v.why_not(target, annotators) is None)
    panel = shared_panel(able, annotators)
    if target != COMPOSITE:
        panel = panel.weighing({target: Fraction(1)})
    has, _ = ground(panel, COMPOSITE, kind).left_out()
    scored = np.array([panel.of(COMPOSITE, judge).scored for judge in panel.judges], bool)
    scored = scored.reshape(len(able), len(has))
    shared = has & scored.all(axis=0) & bool(able)
    items = panel.items.copy()
    items.loc[has & ~shared, "closed"] = NOT_SHARED
    on = ground(replace(panel, items=items), COMPOSITE, kind)
    pairs = [on.pairs(judge) for judge in panel.judges.values()]
    return Side(able, annotators, target, on, has, scored, shared, pairs)


def report(
    chosen: Sequence[Variant],
    annotators: Panel,
    target: str | None = None,
    base: Variant | None = None,
    kind: str = EACH,
    costs: Mapping[int, Cost] | None = None,
    draws: Draws | None = None,
    study: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Compare variants on the answers that all of them scored and annotators graded.

    `target` is a criterion or `composite`, by default `first_target`; `base`, by default the first
    variant that is not the baseline. `kind` is `each` annotator or their `consensus`; `costs` are
    by grader id, and `draws` resample questions for the order of the answering models. `study` is
    the preset that picked the variants.

    Of a variant `mae`, `bias` and `ccc` are on [0, 1], `further` is how much further from
    annotators it is than the base (limits are simultaneous), `own` are figures on the annotators'
    scale, `skill` is 1 - distance / distance of the majority-class baseline, and `paired` its test
    against the base. `headline` is the nearest variant, and why it is `withheld`; `holding_back`
    are the variants without which more answers would be shared.
    """
    target, draws = target or first_target(chosen, annotators), draws or Draws()
    side = side_by_side(chosen, annotators, target, kind)
    able, on, shared, pairs = side.chosen, side.on, side.shared, side.pairs
    if base not in able:
        base = next(iter([v for v in able if not v.floor] or able), None)
    at = able.index(base) if able else 0
    sums = [_by_question(one, far(one), far(pairs[at]), 1.0).T for one in pairs]
    apart = [difference(*one) for place, one in enumerate(sums) if place != at]
    further = list(simultaneous(apart, LEVEL, draws).estimates) if apart else []
    further.insert(at, undefined(IS_BASE))
    own, ceiling = ground(annotators, target, kind), on.ceiling(shared)
    baseline, always = _baseline(side, own)
    rows = []
    for place, order in enumerate(ranking.orders(on.panel, draws)):
        variant = able[place]
        judge, asked = variant.judge, variant.asked
        rows.append(
            {
                "variant": variant.label,
                "judge": judge.name,
                "fingerprint": judge.fingerprint,
                "model": asked and asked.model,
                "prompt": variant.prompt,
                "examples": variant.examples,
                "rubric": variant.rubric.name,
                "scale": variant.rubric.scale,
                "temperature": asked and asked.temperature,
                "calls": asked and asked.calls,
                "simulated": judge.simulated,
                "floor": variant.floor,
                "graded": int(side.scored[place].sum()),
                **_mapped(on, pairs[place]),
                "own": _on_own_scale(side, own, variant),
                "test_retest": None
                if target == COMPOSITE or variant.is_continuous(target)
                else of_judge(variant.panel, judge.id, target),
                "no_score": _no_score(side, variant),
                "skill": _skill(pairs[place], always),
                "order": order,
                "further": further[place],
                "paired": None if variant is base else paired(side, place, at),
                "cost": (costs or {}).get(judge.id, UNPRICED),
                "note": variant.panel.range_note(target, judge.id),
            }
        )
    return {
        "sheet": annotators.sheet.name,
        "annotator_rubric": annotators.rubric.name,
        "target": target,
        "reference": kind,
        "base": base and base.label,
        "n": int(shared.sum()),
        "questions": ranked(annotators.question[shared])[0],
        "clusters": ranked(annotators.cluster[shared])[0],
        "annotators": counted_annotators(on.annotators_on(shared)),
        "uncounted": annotators.uncounted,
        "weighting": weighting(annotators),
        "left_out": {why: n for why, n in on.left_out()[1].items() if why != OTHER},
        "holding_back": _holding_back(side),
        "ceiling": {"n": ceiling.n} | {name: ceiling.figures[name] for name in MAPPED},
        "majority_baseline": baseline,
        "variants": rows,
        "headline": _headline(side, rows, baseline["score"]),
        "not_compared": {v.label: v.why_not(target, annotators) for v in chosen if v not in able},
        "signature": _signature(side, base, draws),
        "study": study,
    }


def _baseline(side: Side, own: CriterionPanel) -> tuple[dict[str, Any], Pairs | None]:
    """Return the figures of the majority-class baseline, and its pairs on [0, 1]."""
    if not side.shared.any():
        return {"score": None, **dict.fromkeys(MAPPED, undefined(NOTHING)), "own": None}, None
    score, pairs = _majority(side), side.pairs[0]
    given, scale = np.full(len(pairs.item), score), side.annotators.rubric.scale
    always = pairs._replace(judge=mapped_scores(given, scale))
    figures = {"score": int(score) if score == int(score) else score, **_mapped(side.on, always)}
    if figures["ccc"].value is not None:
        figures["ccc"] = figures["ccc"]._replace(value=0.0)  # exact for a constant
    if side.target == COMPOSITE:
        return figures | {"own": None}, always
    annotated = _annotators_own(side, always).astype(int)
    whole = always._replace(judge=given.astype(int), annotator=annotated)
    return figures | {"own": _own_figures(own, whole)}, always


def _mapped(on: CriterionPanel, pairs: Pairs) -> dict[str, Estimate]:
    figures = on.measured(pairs).figures
    return {name: figures[name] for name in MAPPED}


def _holding_back(side: Side) -> list[dict[str, Any]]:
    """Return the variants without which more answers would be shared, largest gain first."""
    gains = []
    for place, variant in enumerate(side.chosen if len(side.chosen) > 1 else ()):
        without = int((side.has & np.delete(side.scored, place, axis=0).all(axis=0)).sum())
        if without > side.shared.sum():
            gains.append({"variant": variant.label, "without": without})
    return sorted(gains, key=lambda one: -one["without"])


def _on_own_scale(side: Side, own: CriterionPanel, variant: Variant) -> dict[str, Any]:
    """Exact, within one, QWK and failure recall of a criterion on the annotators' scale."""
    same = variant.rubric.name == side.annotators.rubric.name
    why = CONTINUOUS if variant.is_continuous(side.target) else NO_OWN_SCALE
    if why is CONTINUOUS or not same or side.target == COMPOSITE:
        return {"n": 0, **dict.fromkeys(OWN_FIGURES, undefined(why)), "failing": None}
    pairs = own.pairs(variant.judge)
    return _own_figures(own, pairs.where(side.shared[pairs.item]))


def _own_figures(own: CriterionPanel, pairs: Pairs) -> dict[str, Any]:
    measured = own.measured(pairs)
    figures = {name: measured.figures[name] for name in OWN_FIGURES}
    return {"n": measured.n, **figures, "failing": measured.failing}


def _no_score(side: Side, variant: Variant) -> dict[str, Any]:
    """The share of the answers it was asked about that have no score, and why, by status."""
    marks = variant.marks(side.target, side.annotators)
    asked = marks.status >= 0
    why = Counter(STATUS_NAMES[code] for code in marks.status[marks.status > 0])
    share = undefined(NOT_ASKED)
    if asked.any():
        _, group = ranked(side.annotators.cluster[asked])
        hits = np.bincount(group, weights=~marks.scored[asked])
        share = proportion(hits, np.bincount(group).astype(float))
    return share._asdict() | {"asked": int(asked.sum()), "why": dict(why)}


def paired(side: Side, place: int, base: int) -> dict[str, Any]:
    """Return the paired test of one variant and another on the same answers.

    `metric` is `exact`, the share of exact agreement, where both judges score on the annotators'
    scale; else `distance`, how much nearer to annotators, as a share of the scale. `difference` is
    the first minus the second: Tango's interval where `mcnemar` is given, as every question has one
    answer, else the question jackknife's. `test` flips the signs of question sums.
    """
    both, pairs = [side.chosen[place], side.chosen[base]], side.pairs[place]
    scales = {side.annotators.rubric.scale, *(variant.rubric.scale for variant in both)}
    numbers = side.target == COMPOSITE or any(one.is_continuous(side.target) for one in both)
    exact = len(scales) == 1 and not numbers
    apart = [far(pairs), far(side.pairs[base])]
    value = (apart[0] < SAME) * 1.0 - (apart[1] < SAME) if exact else apart[1] - apart[0]
    sums = _by_question(pairs, value, 1.0)
    share = lambda rows: ratio(rows[..., 0], rows[..., 1])  # noqa: E731
    found = {
        "metric": EXACT if exact else DISTANCE,
        "difference": jackknife(leave_out(sums, 1), share, bounds=(-1, 1), why_none=NOTHING),
        "test": sign_flip(sums[:, 0]),
        "mcnemar": None,
    }
    n, (total, weight) = len(sums), sums.T
    alone = n and distinct(pairs.item) == n and np.ptp(weight) <= SAME
    if exact and alone and np.isin(total / weight, (-1, 0, 1)).all():
        counts = Discordant(int((total > 0).sum()), int((total < 0).sum()), n)
        found |= {"difference": paired_tests.difference(counts), "mcnemar": mcnemar(counts)}
    return found


def far(pairs: Pairs) -> np.ndarray:
    """Return (n,) the distance of the judge's score from the annotator's in each pair."""
    return np.abs(pairs.judge - pairs.annotator)


def _by_question(pairs: Pairs, *columns: np.ndarray | float) -> np.ndarray:
    """Return (G, C) the weighted sum of each column per question."""
    questions, group = ranked(pairs.cluster)
    sums = [np.bincount(group, pairs.weight * one, questions) for one in columns]
    return np.stack(sums, axis=1)


def _majority(side: Side) -> float:
    """The score that annotators give most on the shared answers, on their own scale.

    Answers weigh alike. Of composites it is what those of the criteria make.
    """
    panel, score = side.annotators, 0.0
    weights = panel.weights if side.target == COMPOSITE else {side.target: 1}
    for name, share in weights.items():
        given = ground(panel, name, side.on.kind).annotators
        on = side.shared[given.item]
        item = given.item[on]
        values, place = np.unique(given.score[on], return_inverse=True)
        weight = np.bincount(place, panel.weight[item] / np.bincount(item)[item])
        score += float(share) * float(values[commonest(weight)][0])
    return round(score, 9)


def _skill(pairs: Pairs, always: Pairs | None) -> Estimate:
    """1 - distance / distance of the baseline: 1 is no distance, 0 that of the baseline."""
    if always is None:
        return undefined(NOTHING)
    return jackknife(
        leave_out(_by_question(pairs, far(pairs), far(always), 1.0), 2),
        lambda rows: 1 - ratio(rows[..., 0], rows[..., 1]),
        bounds=(-np.inf, 1),
        why_none=NO_BASELINE,
    )


def ccc_difference(side: Side, place: int, other: int) -> Estimate | None:
    """CCC of one variant minus that of another on the same answers; None on too few of these."""
    both = [side.pairs[place], side.pairs[other]]
    if floor("ccc", distinct(both[0].item)):
        return None
    moments = np.stack([question_moments(pairs) for pairs in both], axis=1)
    return jackknife(
        leave_out(moments, (0, 0)),
        lambda m: lin_ccc(m[..., 0, :]) - lin_ccc(m[..., 1, :]),
        bounds=(-2, 2),
    )


def recall_difference(side: Side, place: int, other: int) -> Estimate | None:
    """Recall of failing answers of one variant minus another's; each fails by its own rubric.

    None of composites and continuous numbers, which fail no answer, and where annotators fail none.
    """
    pairs, target = side.pairs[place], side.target
    chosen = [side.chosen[place], side.chosen[other]]
    if target == COMPOSITE or any(variant.is_continuous(target) for variant in chosen):
        return None

    def fails(rubric: Rubric, scores: np.ndarray) -> np.ndarray:
        return np.isin(scores, list(rubric.failing(rubric.criterion(target))))

    failed = fails(side.annotators.rubric, _annotators_own(side, pairs))
    given = [v.panel.of(target, v.judge.id).score[pairs.item] for v in chosen]
    both = [fails(v.rubric, s) & failed for v, s in zip(chosen, given, strict=True)]
    sums = _by_question(pairs, *both, failed)
    if not failed.any():
        return None
    return jackknife(
        leave_out(sums[sums[:, 2] > 0], 2),
        lambda rows: ratio(rows[..., 0] - rows[..., 1], rows[..., 2]),
        bounds=(-1, 1),
    )


def _headline(side: Side, rows: Sequence[Mapping], score: float | None) -> dict[str, Any]:
    """Return the nearest variant, and why it makes no headline.

    It is not nearer than the baseline beyond the error, or another variant has a higher CCC, or a
    higher recall of failing answers, with a 95% CI of the difference that excludes 0.
    """
    real = [place for place, row in enumerate(rows) if not row["floor"]]
    if not real or score is None:
        return {"variant": None, "withheld": []}
    best = min(real, key=lambda place: rows[place]["mae"].value)
    over, withheld = rows[best]["skill"], []
    if over.value is None or over.value <= 0 or (over.low is not None and over.low <= 0):
        code = "baseline_unsure" if over.value is not None and over.value > 0 else "baseline"
        withheld.append({"code": code, "against": f"always {score:g}", "difference": over})
    for place in real:
        for code, apart in (("ccc", ccc_difference), ("failure_recall", recall_difference)):
            one = apart(side, best, place)
            if one and one.high is not None and one.high < 0:
                against = rows[place]["variant"]
                withheld.append({"code": code, "against": against, "difference": one})
    return {"variant": rows[best]["variant"], "withheld": withheld}


def _annotators_own(side: Side, pairs: Pairs) -> np.ndarray:
    """Return (n,) the annotators' mapped scores on their own scale again."""
    scale = side.annotators.rubric.scale
    return np.rint(pairs.annotator * (scale[-1] - scale[0]) + scale[0])


def _signature(side: Side, base: Variant | None, draws: Draws) -> str:
    """One line that says how the comparison was made, so that it can be made again."""
    judges = [f"{v.judge.label()} by {v.rubric.name}" for v in side.chosen]
    entries = {
        "variants": joined(", ", judges) or provenance.NOTHING,
        "base": base.label if base else provenance.NOTHING,
        provenance.REFERENCE: side.on.kind,
        "annotators' rubric": side.annotators.rubric.name,
        provenance.VERSIONS: provenance.versions(side.annotators, side.target),
        **provenance.synthetic(side.annotators),
        "limits": f"question jackknife; differences simultaneous, question max-t at {LEVEL:g}",
        provenance.SEED: joined(", ", [str(draws.seed), provenance.resamples(draws.resamples)]),
    }
    return provenance.in_one_line(entries)


def target_name(target: str) -> str:
    """Return a criterion, or the composite, as a sentence names it."""
    return "the composite" if target == COMPOSITE else spoken(target)


def scale_name(scale: Sequence[int]) -> str:
    """Return a scale by its ends, as `0-3`."""
    return span(scale[0], scale[-1])


def targets(chosen: Sequence[Variant], annotators: Panel) -> list[str]:
    """Return the comparison targets: shared criteria with the annotators, and the composite."""
    names = [name for name in annotators.weights if any(name in v.criteria for v in chosen)]
    whole = [v for v in chosen if v.marks(COMPOSITE, annotators) is not None]
    several = len(annotators.weights) > 1 or any(not set(v.criteria) & set(names) for v in whole)
    return [*names, COMPOSITE] if whole and several else names


def first_target(chosen: Sequence[Variant], annotators: Panel) -> str:
    """The heaviest criterion where all grade it, else what most of them grade."""
    order = [annotators.rubric.heaviest().name, COMPOSITE, *annotators.weights]
    return max(order, key=lambda t: sum(v.why_not(t, annotators) is None for v in chosen))
