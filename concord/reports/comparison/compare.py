"""Comparison of judge variants (prompts, models, scales, reading rules, juries) on equal answers.

The same answers are those that every variant compared scored and annotators graded; what is left
out is counted. The target is a criterion of the annotators' or the composite. Agreement with
annotators is on [0, 1], so that scales can be compared. A preset repeats a comparison of a
published study of LLM judges (Databricks, 2023): it picks variants and a base.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from concord.messages import Problem, counted, joined, said, span, spoken
from concord.model import Sheet, status_words
from concord.reports import ranking
from concord.reports.agreement.document import ANNOTATORS, MAJORITY
from concord.reports.cells import plain_share, written
from concord.reports.charts import Intervals, Line, Mark, graders
from concord.reports.decision.cost import Cost, costs
from concord.reports.document import Column, Document, Table
from concord.reports.panel import variants, wording
from concord.reports.panel.criterion_comparison import EACH, CriterionPanel, ground
from concord.reports.panel.panel import COMPOSITE, OTHER, STATUS_NAMES, Panel
from concord.reports.panel.variants import Variant, mapped_scores, shared_panel
from concord.reports.panel.wording import (
    annotators_sentence,
    counted_annotators,
    named,
    weighting,
)
from concord.reports.ranking import is_comparable
from concord.reports.reliability.reliability import of_judge
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
from concord.stats.statistics import BY_KEY, NOTHING, floor
from concord.store import sheets
from concord.store.database import Store

QUESTIONS = {
    "agreement": "Do judges give the scores that annotators give?",
    "examples": "Does a judge do better when the prompt shows examples of each score?",
    "scales": "Which scale should judges grade on?",
    "transfer": "Does a judge that was calibrated on one sheet do as well on another?",
}
# What no judge on the sheet has done.
_LACKING = {
    "agreement": "given scores of this rubric",
    "examples": "graded both without and with examples, all else the same",
    "scales": "graded on two scales, all else the same",
    "transfer": "graded another sheet, too, that annotators graded by this rubric",
}


def pick(
    store: Store, annotators: Panel, chosen: list[Variant], name: str
) -> tuple[list[Variant], Variant | None, dict[str, str]]:
    """Return the variants of a preset, the one to compare the others with, and what it asks.

    Raises:
        Problem: There is no such preset, or nothing that it compares.
    """
    if name not in QUESTIONS:
        known = joined(", ", QUESTIONS)
        raise Problem("There is no study “{name}”. Available: {known}.", name=name, known=known)
    rubric, note, base = annotators.rubric, "", None
    if name == "agreement":
        picked = [one for one in chosen if one.rubric.name == rubric.name and not one.floor]
    elif name == "examples":
        picked = _with_examples(chosen)
        base = next(iter(picked), None)
    elif name == "scales":
        picked = _on_scales(chosen)
        base = next((one for one in picked if one.rubric.scale == rubric.scale), None)
    else:
        picked, note = _on_other_sheets(store, annotators, chosen)
    if not picked:
        raise Problem("No judge has {what}. Run one under Judges.", what=_LACKING[name])
    return picked, base, {"name": name, "question": QUESTIONS[name], "note": note}


def _with_examples(chosen: list[Variant]) -> list[Variant]:
    """Judges that differ from another in nothing but the examples in the prompt; without first."""
    same = {one.label: _but(one, prompt="zero_shot", examples=None) for one in chosen if one.asked}
    sides = [
        [one for one in chosen if one.asked and one.asked.recipe() == recipe]
        for recipe in ("zero_shot", "few_shot")
    ]
    both = set.intersection(*({same[one.label] for one in side} for side in sides))
    return [one for side in sides for one in side if same[one.label] in both]


def _on_scales(chosen: list[Variant]) -> list[Variant]:
    """The judge with the most scales."""
    groups: dict[str, list[Variant]] = {}
    for one in chosen:
        if one.asked is not None and one.asked.recipe() != "holistic":
            groups.setdefault(_but(one, rubric="any"), []).append(one)
    scales = lambda group: len({one.rubric.scale for one in group})  # noqa: E731
    most = max(groups.values(), key=scales, default=[])
    return most if scales(most) > 1 else []


def _on_other_sheets(
    store: Store, annotators: Panel, chosen: list[Variant]
) -> tuple[list[Variant], str]:
    """The judges that graded another sheet, too, that annotators graded by the same rubric."""
    there = {}
    for sheet in sheets.all_sheets(store):
        other = variants.read(store, sheet) if sheet.id != annotators.sheet.id else None
        if other and annotators.rubric.name in other.graded:
            there[sheet.name] = {(one.judge.id, one.rubric.name) for one in other.every}
    every = set().union(*there.values())
    picked = [v for v in chosen if not v.floor and (v.judge.id, v.rubric.name) in every]
    ids = {(one.judge.id, one.rubric.name) for one in picked}
    names = joined(", ", [name for name, own in there.items() if own & ids])
    return picked, said("Compare the distances with those on {names}.", names=names)


def _but(variant: Variant, **same: Any) -> str:
    """Return all that a judge is, but its name and what `same` replaces."""
    rubric = "" if "rubric" in same else variant.rubric.name
    replaced = {"name": "judge", "about": ""} | same
    return f"{rubric} {variant.asked.model_copy(update=replaced).body()}"


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
        chosen, base, preset = pick(store, panel, chosen, study)
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
    has, _ = ground(panel, COMPOSITE, kind).left_out
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
                "cost": (costs or {}).get(judge.id, Cost()),
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
        "left_out": {why: n for why, n in on.left_out[1].items() if why != OTHER},
        "holding_back": _holding_back(side),
        "ceiling": {"n": ceiling.n} | {name: ceiling.figures[name] for name in MAPPED},
        "majority_baseline": baseline,
        "variants": rows,
        "headline": _nearest(side, rows, baseline["score"]),
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


def _nearest(side: Side, rows: Sequence[Mapping], score: float | None) -> dict[str, Any]:
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
        "variants": joined(", ", judges) or "none",
        "base": base.label if base else "none",
        "reference": side.on.kind,
        "annotators' rubric": side.annotators.rubric.name,
        "versions": wording.versions(side.annotators, side.target),
        **wording.synthetic(side.annotators),
        "limits": "question jackknife; differences simultaneous, question max-t at 0.05",
        "seed": f"{draws.seed}, {draws.resamples} resamples",
    }
    return wording.in_one_line(entries)


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


_WITHHELD = {
    "baseline": "{name} is no nearer than {against}.",
    "baseline_unsure": "{name} is not clearly nearer than {against}.",
    "ccc": "{name} is nearest, but {against} has a higher CCC.",
    "failure_recall": "{name} is nearest, but {against} has a higher recall of failing answers.",
}


def document(compared: Mapping) -> Document:
    """Return the finding and the figures of every variant."""
    rows = compared["variants"]
    heads = Column("reason"), Column("answers", "count", "left out")
    left_out = tuple((status_words(why), n) for why, n in compared["left_out"].items())
    notes = [row["note"] for row in rows]
    if compared["study"]:
        notes.append(compared["study"]["note"])
    return Document(
        _headline(compared),
        tuple(filter(None, _facts(compared))),
        (*_tables(compared), Table("excluded", heads, left_out, "Excluded answers"))
        if rows
        else (),
        tuple(filter(None, notes)),
        compared["signature"] if rows else "",
        (distance(compared),) if compared["n"] else (),
    )


def distance(compared: Mapping) -> Intervals:
    """Return every variant's distance from annotators, with the two lines it is read against."""
    variants, answers = compared["variants"], counted(compared["n"], "answer")
    colours = graders((row["variant"], row["floor"]) for row in variants)
    rows = tuple(
        (
            joined(" · ", [named(row["variant"], row["simulated"]), scale_name(row["scale"])]),
            (Mark(row["variant"], row["mae"], answers, colours[row["variant"]]),),
        )
        for row in sorted(variants, key=lambda row: (row["floor"], row["mae"].value))
    )
    always, annotators = compared["majority_baseline"], compared["ceiling"]["mae"]
    share = "unknown" if annotators.value is None else written(Estimate(annotators.value), "share")
    level = Estimate(always["mae"].value)
    label = f"always {always['score']:g}: {written(level, 'share')}"
    lines = [
        Line(level, label, "constant"),
        Line(annotators, f"annotators: {share}", "annotators"),
    ]
    known = [row["mae"] for row in variants] + [line.found for line in lines]
    ends = [end for one in known for end in (one.value, one.high) if end is not None]
    return Intervals(
        name="distance",
        title="",
        alt="Distance from annotators",
        axis="distance from annotators (0%: the same score)",
        kind="share",
        reach=(-0.004, 1.08 * max([0.1, *ends])),
        rows=rows,
        lines=tuple(lines),
    )


def _headline(compared: Mapping) -> str:
    rows, on = {row["variant"]: row for row in compared["variants"]}, compared["target"]
    real = [row for row in rows.values() if not row["floor"]]
    if not rows and compared["not_compared"]:
        return said("No judge can be compared on {on}", on=target_name(on))
    if not real:
        return "No judge has graded this sheet yet"
    best, base = rows.get(compared["headline"]["variant"]), rows[compared["base"]]
    if best is None:
        return "The variants share no answer that annotators graded"
    if compared["headline"]["withheld"]:
        finding = "No clear best variant on {on}"
    elif len(real) == 1:
        finding = "{name} is the only variant on {on}"
    elif best is base and all((row["further"].low or 0) > 0 for row in real if row is not base):
        finding = "{name} is nearest to annotators on {on}"
    elif best is not base and (best["further"].high or 0) < 0:
        finding = "{name} is nearer to annotators on {on} than {base}"
    else:
        finding = "Cannot tell yet which variant is nearest to annotators on {on}"
    names = (named(row["variant"], row["simulated"]) for row in (best, base))
    return said(finding, on=target_name(on), **dict(zip(("name", "base"), names, strict=True)))


def _facts(compared: Mapping) -> Iterator[str]:
    if compared["study"]:
        yield compared["study"]["question"]
    best, withheld = compared["headline"].values()
    for one in withheld:
        yield said(_WITHHELD[one["code"]], name=best, against=one["against"])
    if compared["n"]:
        sizes = counted(compared["n"], "answer"), counted(compared["questions"], "question")
        yield f"{', '.join(sizes)}; scores mapped to 0-1."
    if len({row["scale"] for row in compared["variants"]}) > 1:
        yield "On a coarser scale the distance cannot be as small: read CCC too."
    if compared["holding_back"]:
        without = compared["holding_back"][0]
        yield "Without {variant}, {without:,} answers are shared.".format(**without)
    for variant, why in compared["not_compared"].items():
        yield said("{variant} is not compared: {why}.", variant=variant, why=why)
    simulated = [annotator["simulated"] for annotator in compared["annotators"]]
    yield annotators_sentence(sum(simulated), len(simulated))


def _models_order(row: Mapping) -> str | None:
    """Return how its order of the answering models compares with that of the annotators."""
    order = row["order"]
    if not is_comparable(order):
        return None
    if not order["swaps"]:
        return f"{order['one_sided']:,} tied" if order["one_sided"] else "same"
    sure = sum(swap["certain"] for swap in order["swaps"])
    return f"{len(order['swaps']):,} reversed, {sure:,} certain"


def _unscored(row: Mapping) -> str:
    """Return the share of answers without a score, and how many for which reason."""
    counts = (f"{n} {status_words(status)}" for status, n in row["no_score"]["why"].items())
    why = joined(", ", counts)
    return plain_share(row["no_score"]["value"]) + (f" ({why})" if why else "")


# Key in the results, head, and kind; a key of two parts lies in the figures of its own scale.
FIGURES = {
    "figures": (
        ("mae", "distance from annotators", "share"),
        ("further", "minus the base, points", "points"),
        *((key, BY_KEY[key].title, BY_KEY[key].kind) for key in ("exact", "qwk", "failure_recall")),
        ("models_order", "models' order", "text"),
    ),
    "more": (
        *((key, key, "text") for key in ("model", "prompt", "examples", "scale", "calls")),
        ("temperature", "temperature", "precise"),
        ("skill", "skill over the baseline", "number"),
        ("bias", "bias, points", "points"),
        *((key, BY_KEY[key].title, BY_KEY[key].kind) for key in ("ccc", "within_one")),
        ("paired_exact", "exact minus the base, points", "points"),
        ("p", "p (sign flips by cluster)", "p"),
        ("same", "same score when repeated", "share"),
        ("unscored", "without a score", "text"),
        ("per_1000", "USD per 1,000", "usd"),
        ("seconds", "seconds per answer", "number"),
    ),
}


def _tables(compared: Mapping) -> Iterator[Table]:
    """Yield the figures of every variant, of the annotators and of the majority-class baseline."""
    lines: dict[str, Mapping] = {}
    for row in compared["variants"]:
        head, test = named(row["variant"], row["simulated"]), row["paired"]
        head = f"{head} (base)" if row["variant"] == compared["base"] else head
        lines[head] = {
            **row,
            **row["own"],
            "model": "text features" if row["floor"] else row["model"],
            "scale": scale_name(row["scale"]),
            "models_order": _models_order(row),
            "paired_exact": test["difference"] if test and test["metric"] == "exact" else None,
            "p": test and test["test"].p_value,
            "same": row["test_retest"] and row["test_retest"].exact,
            "unscored": _unscored(row),
            "per_1000": row["cost"].per_1000,
            "seconds": row["cost"].seconds,
        }
    ceiling, always = compared["ceiling"], compared["majority_baseline"]
    if ceiling["n"]:
        lines[ANNOTATORS] = {"mae": ceiling["mae"], "ccc": ceiling["ccc"]}
    if always["score"] is not None:
        lines[MAJORITY] = {**always, **(always["own"] or {})}
    for name, figures in FIGURES.items():
        columns = (Column("figure"), *(Column(head, kind) for _, head, kind in figures))
        rows = ((head, *(line.get(key) for key, *_ in figures)) for head, line in lines.items())
        title = "Further figures" if name == "more" else ""
        yield Table(name, columns, tuple(rows), title, across=True)
