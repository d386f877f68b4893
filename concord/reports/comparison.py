"""Comparison of judge variants (prompts, models, scales, reading rules, juries) on equal answers.

The same answers are those that every variant compared scored and annotators graded; what is left
out is counted. The target is a criterion of the annotators' or the composite. Agreement with
annotators is on [0, 1], so that scales can be compared. Of two variants it is told which answers
became right from one to the other. A study picks the variants of a published study of LLM judges
(Databricks, 2023).
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import unified_diff
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from concord.judges.prompting.request import messages
from concord.judges.prompting.request import settings as request_settings
from concord.messages import Problem, counted, joined, said, span, spoken
from concord.model import Sheet, status_words
from concord.reports.agreement.document import (
    ANNOTATORS,
    MAJORITY,
    AnswerGrades,
    answer_grades,
)
from concord.reports.cells import written
from concord.reports.charts import Intervals, Line, Mark, graders
from concord.reports.decision.cost import Cost, costs
from concord.reports.disagreements import requests_now, stored_requests, why_no_prompt
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.panel import variants
from concord.reports.panel.criterion_comparison import EACH, CriterionPanel, ground
from concord.reports.panel.panel import COMPOSITE, OTHER, Panel
from concord.reports.panel.variants import Variant, mapped_scores, shared_panel
from concord.reports.panel.wording import (
    annotators_sentence,
    counted_annotators,
    named,
    weighting,
)
from concord.reports.reliability.reliability import of_judge
from concord.stats.comparison import paired_tests
from concord.stats.comparison.paired_tests import Discordant, mcnemar, sign_flip
from concord.stats.continuous import CONTINUOUS
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import commonest, distinct, ranked, ratio
from concord.stats.intervals.resampling import Draws, jackknife, leave_out
from concord.stats.intervals.simultaneous import difference, simultaneous
from concord.stats.statistics import BY_KEY, NOTHING
from concord.store import sheets
from concord.store.database import Store

STUDIES = ("agreement", "examples", "scales", "transfer")


def pick(
    store: Store, annotators: Panel, chosen: list[Variant], name: str
) -> tuple[list[Variant], Variant]:
    """Return the variants of a study, and the one to compare the others with.

    Raises:
        Problem: There is no such study, or nothing that it compares.
    """
    rubric = annotators.rubric
    if name == "agreement":
        picked = [one for one in chosen if one.rubric.name == rubric.name and not one.floor]
    elif name == "examples":
        picked = _with_examples(chosen)
    elif name == "scales":
        picked = _on_scales(chosen)
    elif name == "transfer":
        picked = _on_other_sheets(store, annotators, chosen)
    else:
        known = joined(", ", STUDIES)
        raise Problem("There is no study “{name}”. Available: {known}.", name=name, known=known)
    if not picked:
        raise Problem("No judges fit the study “{name}”. Run one under Judges.", name=name)
    base = next((one for one in picked if one.rubric.scale == rubric.scale), picked[0])
    return picked, base


def _with_examples(chosen: list[Variant]) -> list[Variant]:
    """Judges that differ from another in nothing but the examples in the prompt; without first."""
    same = {one.label: _but(one, prompt="zero_shot", examples=None) for one in chosen if one.asked}
    zero, few = (
        [one for one in chosen if one.asked and one.asked.recipe() == recipe]
        for recipe in ("zero_shot", "few_shot")
    )
    both = {same[one.label] for one in zero} & {same[one.label] for one in few}
    return [one for one in (*zero, *few) if same[one.label] in both]


def _on_scales(chosen: list[Variant]) -> list[Variant]:
    """The judge with the most scales."""
    groups: dict[str, list[Variant]] = {}
    for one in chosen:
        if one.asked is not None and one.asked.recipe() != "holistic":
            groups.setdefault(_but(one, rubric="any"), []).append(one)
    scales = lambda group: len({one.rubric.scale for one in group})  # noqa: E731
    most = max(groups.values(), key=scales, default=[])
    return most if scales(most) > 1 else []


def _on_other_sheets(store: Store, annotators: Panel, chosen: list[Variant]) -> list[Variant]:
    """The judges that graded another sheet, too, that annotators graded by the same rubric."""
    there = set()
    for sheet in sheets.all_sheets(store):
        other = variants.read(store, sheet) if sheet.id != annotators.sheet.id else None
        if other and annotators.rubric.name in other.graded:
            there |= {(one.judge.id, one.rubric.name) for one in other.every}
    return [v for v in chosen if not v.floor and (v.judge.id, v.rubric.name) in there]


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

    No `judges` are all variants, `study` picks among them, `against` is the variant the others are
    compared with, of two judges the first, `target` a criterion of the annotators' or `composite`,
    and `rubric` the annotators' by name. From the base to the other of two judges it is `changed`
    what changed (`with_changes`).
    """
    every = variants.read(store, sheet)
    panel = every.annotators(rubric, annotators)
    chosen = every.named(judges) if judges else list(every.every)
    base = None
    if study is not None:
        chosen, base = pick(store, panel, chosen, study)
    elif len(judges) == 2 and against is None:
        base = chosen[0]
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
    compared = report(chosen, panel, target, base, reference, priced, study)
    if len(judges) == 2 and len(chosen) == 2 and base is chosen[0]:
        compared = with_changes(compared, (chosen[0], chosen[1]), panel, every.every)
    return compared


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
    study: str | None = None,
    draws: Draws | None = None,
) -> dict[str, Any]:
    """Compare variants on the answers that all of them scored and annotators graded.

    `target` is a criterion or `composite`, by default `first_target`; `base`, by default the first
    variant that is not the baseline. `kind` is `each` annotator or their `consensus`; `costs` are
    by grader id, `study` picked the variants, and `draws` are of the simultaneous limits.

    Of a variant `mae`, `bias` and `ccc` are on [0, 1], `further` is how much further from
    annotators it is than the base (limits are simultaneous), `own` are figures on the annotators'
    scale, `skill` is 1 - distance / distance of the majority-class baseline, and `paired` its test
    against the base. `headline` is the nearest variant, and why it is `withheld`.
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
    for place, variant in enumerate(able):
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
                "skill": _skill(pairs[place], always),
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
        "ceiling": {"n": ceiling.n} | {name: ceiling.figures[name] for name in MAPPED},
        "majority_baseline": baseline,
        "variants": rows,
        "headline": _nearest(rows, baseline["score"]),
        "not_compared": {v.label: v.why_not(target, annotators) for v in chosen if v not in able},
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


def _nearest(rows: Sequence[Mapping], score: float | None) -> dict[str, Any]:
    """Return the nearest variant, and why it makes no headline.

    It is not nearer than the baseline beyond the error, or the CI of another variant's CCC or
    recall of failing answers lies above its own.
    """
    real = [row for row in rows if not row["floor"]]
    if not real or score is None:
        return {"variant": None, "withheld": []}
    best = min(real, key=lambda row: row["mae"].value)
    over, withheld = best["skill"], []
    if over.value is None or over.value <= 0 or (over.low is not None and over.low <= 0):
        code = "baseline_unsure" if over.value is not None and over.value > 0 else "baseline"
        withheld.append({"code": code, "against": f"always {score:g}"})
    for row in real:
        for code in ("ccc", "failure_recall"):
            mine, other = ((one | one["own"])[code] for one in (best, row))
            if mine.high is not None and other.low is not None and other.low > mine.high:
                withheld.append({"code": code, "against": row["variant"]})
    return {"variant": best["variant"], "withheld": withheld}


def _annotators_own(side: Side, pairs: Pairs) -> np.ndarray:
    """Return (n,) the annotators' mapped scores on their own scale again."""
    scale = side.annotators.rubric.scale
    return np.rint(pairs.annotator * (scale[-1] - scale[0]) + scale[0])


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
    if "changed" in compared:
        return changed_document(compared)
    rows = compared["variants"]
    heads = Column("reason"), Column("answers", "count", "left out")
    left_out = tuple((status_words(why), n) for why, n in compared["left_out"].items())
    excluded = Table("excluded", heads, left_out, "Excluded answers")
    return Document(
        _headline(compared),
        tuple(filter(None, _facts(compared))),
        (*_tables(compared), excluded) if rows else (),
        tuple(filter(None, (row["note"] for row in rows))),
        charts=(distance(compared),) if compared["n"] else (),
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
    lines = (
        Line(Estimate(always["mae"].value), f"always {always['score']:g}", "constant"),
        Line(annotators, "annotators", "annotators"),
    )
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
        lines=lines,
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
    best, withheld = compared["headline"].values()
    for one in withheld:
        yield said(_WITHHELD[one["code"]], name=best, against=one["against"])
    if compared["n"]:
        sizes = counted(compared["n"], "answer"), counted(compared["questions"], "question")
        yield f"{', '.join(sizes)}; scores mapped to 0-1."
    if len({row["scale"] for row in compared["variants"]}) > 1:
        yield "On a coarser scale the distance cannot be as small: read CCC too."
    for variant, why in compared["not_compared"].items():
        yield said("{variant} is not compared: {why}.", variant=variant, why=why)
    simulated = [annotator["simulated"] for annotator in compared["annotators"]]
    yield annotators_sentence(sum(simulated), len(simulated))


# Key in the results, head, and kind; a key of two parts lies in the figures of its own scale.
FIGURES = {
    "figures": (
        ("mae", "distance from annotators", "share"),
        ("further", "minus the base, points", "points"),
        *((key, BY_KEY[key].title, BY_KEY[key].kind) for key in ("exact", "qwk", "failure_recall")),
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
        ("graded", "answers scored", "count"),
        ("per_1000", "USD per 1,000", "usd"),
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
            "paired_exact": test["difference"] if test and test["metric"] == "exact" else None,
            "p": test and test["test"].p_value,
            "same": row["test_retest"] and row["test_retest"].exact,
            "per_1000": row["cost"].per_1000,
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


WRONG, RIGHT, NEITHER = "became wrong", "became right", "neither"
# So many versions of a judge tuned on the same questions, and the gain on these is no proof.
TUNED = 5
Pair = tuple[Variant, Variant]


def with_changes(
    compared: dict[str, Any], pair: Pair, annotators: Panel, every: Iterable[Variant]
) -> dict[str, Any]:
    """Return a comparison of two with what `changed` from the first, its base, to the second.

    A row of `answers_changed` has the item's `id`, `question` and `answer_model`, the scores
    `first` and `second` on the variants' own scales and `annotator`, the annotators' mean on
    theirs; `difference` is the second minus the first on [0, 1], and `change` what became of the
    answer: right is the annotators' score itself. A different score of another scale need be no
    different opinion, so that a change is half a step of the coarser scale or more. `versions` are
    those of the second judge among `every` variant of the sheet. Nothing is added where one of the
    two does not grade the target.
    """
    target = compared["target"]
    if any(variant.why_not(target, annotators) for variant in pair):
        return compared
    marks = [variant.marks(target, annotators) for variant in pair]
    scales = [variant.rubric.scale for variant in pair]
    mapped = [mapped_scores(m.score, scale) for m, scale in zip(marks, scales, strict=True)]
    both = marks[0].scored & marks[1].scored & annotators.open
    # The largest step of the coarser scale, mapped.
    step = max(np.diff(scale).max() / (scale[-1] - scale[0]) for scale in scales)
    hit = np.flatnonzero(both & (np.abs(mapped[1] - mapped[0]) >= step / 2 - SAME))
    mean = ground(annotators, target, compared["reference"]).annotators.means()
    before, after = (np.abs(one - mapped_scores(mean, annotators.rubric.scale)) for one in mapped)
    became = {WRONG: (before < SAME) & (after >= SAME), RIGHT: (after < SAME) & (before >= SAME)}
    rows = annotators.items[["id", "question", "answer_model"]].assign(
        first=marks[0].score,
        second=marks[1].score,
        annotator=mean,
        difference=mapped[1] - mapped[0],
        change=np.select(list(became.values()), list(became), NEITHER),
    )
    rows = rows.iloc[hit]
    # Rounded, so that rounding errors of mapped scores do not decide between equal differences.
    largest = -rows["difference"].abs().round(9)
    order = np.lexsort([rows["id"], largest, rows["change"].map((WRONG, RIGHT, NEITHER).index)])
    rows = rows.iloc[order].astype(object)
    lineage = [one.asked and one.asked.first_version() for one in every]
    own = pair[1].asked and pair[1].asked.first_version()
    tried = lineage.count(own) if own else 1
    second = next(row for row in compared["variants"] if row["variant"] != compared["base"])
    changed = {
        "from": compared["base"],
        "to": second["variant"],
        "metric": second["paired"]["metric"],
        "difference": second["paired"]["difference"],
        "scored_by_both": int(both.sum()),
        "flips": len(rows),
        "changes": rows["change"].value_counts().to_dict(),
        "versions": tried,
        "is_honest": tried <= TUNED,
        "answers_changed": rows.where(rows.notna(), None).to_dict("records"),
    }
    return compared | {"changed": changed}


def changed_document(compared: Mapping) -> Document:
    """Return whether the second agrees more with annotators, and how many answers changed."""
    changed = compared["changed"]
    if not compared["n"]:
        return Document("The two have scored no answer in common that annotators graded")
    apart, count = changed["difference"], changed["changes"]
    names = {
        row["variant"]: named(row["variant"], row["simulated"]) for row in compared["variants"]
    }
    about = {
        "one": names[changed["from"]],
        "other": names[changed["to"]],
        "apart": written(apart, "points"),
        "metric": "exact" if changed["metric"] == EXACT else "nearer",
        "right": count.get(RIGHT, 0),
        "wrong": count.get(WRONG, 0),
    }
    facts = (
        "{apart} points of {metric} agreement: {right:,} answers became right, {wrong:,} wrong; "
        "{flips:,} of {scored_by_both:,} changed.",
    )
    if not changed["is_honest"]:
        headline = "{versions} versions were tuned on these questions: no gain is proof"
        facts = (*facts, "Prove it on fresh or held-out questions.")
    elif (apart.low or 0) > 0 or (apart.high or 0) < 0:
        how = "more" if apart.value > 0 else "less"
        headline = "{other} agrees " + how + " with annotators than {one}"
    else:
        headline = "Cannot tell yet whether {other} is better than {one}"
    told = [text.format(**changed | about) for text in (headline, *facts)]
    return Document(told[0], tuple(told[1:]), tuple(_tables(compared)))


def table(compared: Mapping, pair: Pair) -> Table:
    """Return a row for each answer that changed between two, the largest change first."""
    first, second = (scale_name(one.rubric.scale) for one in pair)
    parts = (
        ("change", "change"),
        (Column(f"from ({first})", "precise"), "first"),
        (Column(f"to ({second})", "precise"), "second"),
        (Column("annotators", "precise"), "annotator"),
        (Column("question", "count"), lambda row: row["question"] + 1),
        ("answer by", "answer_model"),
    )
    return table_of("flips", compared["changed"]["answers_changed"], parts)


def answer_of_both(store: Store, pair: Pair, annotators: Panel, item_id: int) -> AnswerGrades:
    """Return an answer with what the two variants and the annotators said of it."""
    said_by = [
        grade._replace(grader=variant.label)
        for variant in pair
        for one in answer_grades(store, variant.panel, variant.judge.id, [item_id])
        for grade in one.judge
    ]
    (found,) = answer_grades(store, annotators, pair[0].judge.id, [item_id])
    return found._replace(judge=said_by)


def sent(store: Store, variant: Variant, item_id: int) -> str:
    """Return the requests about an answer: the messages under their roles, then the settings.

    As stored where the judge was asked, else as a run would send them now; a Problem where there
    are none.
    """
    if why := why_no_prompt(variant.judge):
        raise Problem("{judge}: {why}.", judge=variant.label, why=why)
    bodies = stored_requests(store, item_id, variant.judge.id) or requests_now(
        store, variant.asked, variant.rubric, variant.panel.sheet, item_id
    )
    texts, settings = [], {"calls per answer": len(bodies)}
    for part, body in bodies.items():
        about = f": {part}" if part and len(bodies) > 1 else ""
        texts += [f"[{m['role']}{about}]\n{m['content']}" for m in messages(body)]
        settings |= request_settings(body)
    return "\n\n".join([*texts, json.dumps(settings, indent=2, sort_keys=True, ensure_ascii=False)])


def request_diff(first: str, second: str) -> str:
    """The second request against the first as a unified diff; '' where equal."""
    sides = (first.splitlines(), second.splitlines())
    return "\n".join(unified_diff(*sides, "From", "To", n=2, lineterm=""))
