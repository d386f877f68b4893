"""Studies of one factor of a judge: examples in the prompt, and the scale it grades on."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from concord.messages import joined, on_command_line, said
from concord.reports.comparison import compare
from concord.reports.comparison.compare_document import commonest, models_order
from concord.reports.comparison.distance import added_distance
from concord.reports.comparison.paired_variants import (
    first_target,
    scale_name,
    side_by_side,
)
from concord.reports.comparison.results import (
    ComparedVariant,
    Comparison,
    beyond,
    scores_used,
)
from concord.reports.comparison.study import DIRECTION, Request, StudyResult, conditions, counts
from concord.reports.document import Column, Part, as_json, table_of
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.simulated import named
from concord.reports.panel.variants import Variant
from concord.stats.core.estimate import Estimate
from concord.stats.core.pairs import Pairs
from concord.stats.statistics import composite_figures

NO_OTHER = said("no other model has graded on this scale")


class _Row(NamedTuple):
    """A variant, the label of the one it is compared with, and the added distance.

    `further`: None for the variant that the others are compared with.
    """

    row: ComparedVariant
    against: str
    further: Estimate | None


_COMPARED: tuple[Part, ...] = (
    (Column(said("distance from annotators"), "share"), lambda one: one.row.mae),
    (Column(said("difference, points"), "points", in_file="difference"), lambda one: one.further),
    (
        Column(said("nearer or further")),
        lambda one: DIRECTION[beyond(one.further)] if one.further else said("base"),
    ),
)
_USE: tuple[Part, ...] = (
    (Column(said("order of the models")), lambda one: models_order(one.row)),
    (Column(said("scores used")), lambda one: scores_used(one.row.spread)),
    (Column(said("most frequent")), lambda one: commonest(one.row.spread)),
    (Column(said("same when repeated"), "share"), lambda one: one.row.test_retest.exact),
)
_EXAMPLES: tuple[Part, ...] = (
    (Column(said("judge with examples")), lambda one: one.row.variant),
    (Column(said("compared with")), lambda one: one.against),
    *_COMPARED,
    *_USE,
    (Column(said("without a score"), "share"), lambda one: one.row.no_score.estimate.value),
    (Column(said("USD per 1,000 answers"), "usd"), lambda one: one.row.cost.per_1000),
)
_SCALES: tuple[Part, ...] = (
    (Column(said("judge")), lambda one: one.row.variant),
    (Column(said("scale")), lambda one: scale_name(one.row.scale)),
    *_COMPARED,
    (Column(said("CCC"), "number"), lambda one: one.row.ccc),
    *_USE,
)


def pairs_by_examples(chosen: list[Variant]) -> list[tuple[Variant, Variant]]:
    """Return the variants that differ in nothing but examples: (without, with)."""
    zero = {
        _but(v, prompt="zero_shot", examples=None): v for v in chosen if _recipe(v) == "zero_shot"
    }
    few = [
        (v, _but(v, prompt="zero_shot", examples=None)) for v in chosen if _recipe(v) == "few_shot"
    ]
    return [(zero[key], v) for v, key in few if key in zero]


def groups_by_scale(chosen: list[Variant]) -> list[list[Variant]]:
    """Return the judges that differ in nothing but the rubric, each with two scales or more."""
    by: dict[str, list[Variant]] = {}
    for variant in chosen:
        if variant.asked is not None and variant.asked.kind in ("rubric", "decision"):
            by.setdefault(_but(variant, rubric="any"), []).append(variant)
    return [group for group in by.values() if _scales(group) > 1]


def pairs_with_examples(asked: Request) -> list[tuple[Variant, Variant]]:
    """Return every judge without and with examples, or the two that the user named."""
    named_two = asked.named_by_user and len(asked.chosen) == 2
    return pairs_by_examples(asked.chosen) or ([(*asked.chosen,)] if named_two else [])


def examples(asked: Request, pairs: Sequence[tuple[Variant, Variant]]) -> StudyResult | None:
    """Compare judges with examples with the same judge without, all on the same answers."""
    every = list({v.label: v for pair in pairs for v in pair}.values())
    target = first_target(every, asked.annotators)
    found = compare.report(every, asked.annotators, target, None, asked.kind, asked.costs())
    if not found.n:
        return None
    shown = [*pairs, *_cheap_for_dear(pairs, found)]
    side = side_by_side(every, asked.annotators, target, asked.kind)
    place = {variant.label: at for at, variant in enumerate(side.chosen)}
    gains = added_distance(side, [(place[few.label], place[zero.label]) for zero, few in shown])
    rows = [
        _Row(found.of(few.label), zero.label, gain)
        for (zero, few), gain in zip(shown, gains, strict=True)
    ]
    named_two = said("The order in which you named the two decides which one has examples.")
    return StudyResult(
        counts(gains[: len(pairs)]),
        table_of("examples", rows, _EXAMPLES),
        [
            {"zero": found.of(one.against), "few": one.row, "further": one.further}
            for one in rows[: len(pairs)]
        ],
        (
            said("Judges with and without examples."),
            *conditions(found),
            "" if pairs_by_examples(asked.chosen) else named_two,
        ),
        tuple(_examples_missing(found)),
    )


def _cheap_for_dear(
    pairs: Sequence[tuple[Variant, Variant]], found: Comparison
) -> list[tuple[Variant, Variant]]:
    """Pair the cheapest judge with examples with the dearest without; none at one price."""
    price = {row.variant: row.cost.per_1000 for row in found.variants}
    zeros = [zero for zero, _ in pairs if price[zero.label] is not None]
    fews = [few for _, few in pairs if price[few.label] is not None]
    if not zeros or not fews:
        return []
    expensive = max(zeros, key=lambda variant: price[variant.label])
    cheap = min(fews, key=lambda variant: price[variant.label])
    cheaper = price[cheap.label] < price[expensive.label]
    return [(expensive, cheap)] if cheaper and (expensive, cheap) not in pairs else []


def _examples_missing(found: Comparison) -> Iterator[str]:
    if len({row.model for row in found.variants} - {None}) < 2:
        yield said("a second model, for instance a cheaper one with examples.")
    yield from _repeats_missing(found)


def _repeats_missing(found: Comparison) -> Iterator[str]:
    if not all(row.test_retest.repeats > 1 for row in found.variants):
        yield said(
            "repeats, which measure test-retest consistency{on_command_line}.",
            on_command_line=on_command_line("`judge NAME --repeat 3`"),
        )


def judges_with_scales(asked: Request) -> list[list[Variant]]:
    """Return the judges with two scales or more, or what the user named."""
    named_some = asked.named_by_user and _scales(asked.chosen) > 1
    return groups_by_scale(asked.chosen) or ([asked.chosen] if named_some else [])


def scales(asked: Request, groups: Sequence[list[Variant]]) -> StudyResult | None:
    """Compare the judge with the most scales with itself on the scale annotators used."""
    annotators, kind = asked.annotators, asked.kind
    group = max(groups, key=_scales)
    target = first_target(group, annotators)
    base = next((v for v in group if v.rubric.scale == annotators.rubric.scale), group[0])
    ordered = [base, *(v for v in group if v is not base)]
    found = compare.report(ordered, annotators, target, base, kind)
    if not found.n:
        return None
    others = {v.label: _among(v, asked.chosen, annotators, target, kind) for v in group}
    rows = [
        _Row(row, base.label, None if row.variant == base.label else row.further)
        for row in found.variants
    ]
    column = Column(said("CCC with another judge on this scale"), "number")
    judge = named(base.asked.model if base.asked else base.label, base.judge.simulated)
    what = said(
        "Scales of {judge} compared with {own}.", judge=judge, own=scale_name(base.rubric.scale)
    )
    most = said("Of {n} judges with several scales, the one with the most is shown.", n=len(groups))
    return StudyResult(
        counts([one.further for one in rows if one.further]),
        table_of("scales", rows, (*_SCALES, (column, lambda one: others[one.row.variant]))),
        [as_json(row) | {"others": others[row.variant]} for row in found.variants],
        (what, *conditions(found), most if len(groups) > 1 else ""),
        tuple(_scale_missing(found, annotators)),
    )


def _among(
    variant: Variant, chosen: list[Variant], annotators: Panel, target: str, kind: str
) -> Estimate:
    """Return CCC with another model's judge by the same rubric, on answers both scored."""
    mates = [v for v in chosen if v.rubric.name == variant.rubric.name and not v.floor]
    other = next((v for v in mates if _model(v) != _model(variant)), None)
    if other is None:
        return Estimate(None, why_none=NO_OTHER)
    side = side_by_side([variant, other], annotators, target, kind)
    items = np.flatnonzero(side.shared)
    scores = [side.panel.of(COMPOSITE, side.mapped(place).id).score[items] for place in (0, 1)]
    pairs = Pairs(*scores, np.ones(len(items)), items, side.panel.cluster[items])
    return composite_figures(pairs)["ccc"]


def _scale_missing(found: Comparison, annotators: Panel) -> Iterator[str]:
    fine = [scale_name(row.scale) for row in found.variants if row.own.why_none]
    if fine:
        yield said(
            "annotators' grades on {scales}: they graded on {graded} only.",
            scales=joined(", ", fine),
            graded=scale_name(annotators.rubric.scale),
        )
    yield from _repeats_missing(found)


def _recipe(variant: Variant) -> str | None:
    return variant.asked.recipe() if variant.asked else None


def _but(variant: Variant, **same: Any) -> str:
    """Return all that a judge is, but its name and what `same` replaces."""
    replaced = {"name": "judge", "about": ""} | same
    rubric = "" if "rubric" in same else variant.rubric.name
    return f"{rubric} {variant.asked.model_copy(update=replaced).body()}"


def _scales(group: list[Variant]) -> int:
    return len({variant.rubric.scale for variant in group})


def _model(variant: Variant) -> str:
    return variant.asked.model if variant.asked else variant.judge.name
