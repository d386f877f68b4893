"""Charts of a comparison: each variant's distance from annotators, and the scores that it uses."""

from collections.abc import Mapping, Sequence

from concord.messages import joined, said
from concord.reports.cells import percent, written
from concord.reports.charts import Grader, Intervals, Line, Mark, Row, ScoresUsed, Shares, graders
from concord.reports.comparison.paired_variants import scale_name
from concord.reports.comparison.results import (
    ComparedVariant,
    Comparison,
    scores_used,
    variant_name,
)
from concord.stats.comparison.score_spread import Spread
from concord.stats.core.estimate import Estimate

_ANNOTATORS = said("annotators")


def distance(found: Comparison) -> Intervals:
    """Return every variant's distance from annotators, compared with the annotators' own."""
    of, always = _graders(found), _majority_baseline(found)
    rows = [
        _row(found, row.variant, row.scale, row.mae, of[row.variant]) for row in _ordered(found)
    ]
    rows += [_row(found, *one, "constant") for one in always]
    annotators = found.ceiling.mae
    named = [
        *((row.variant, row.mae) for row in found.variants),
        *((a, mae) for a, _, mae in always),
    ]
    parts = [
        said("{name} {number}", name=name, number=written(mae, "share")) for name, mae in named
    ]
    known = annotators.value is not None
    label = (
        said("annotators: {share}%", share=percent(annotators.value))
        if known
        else said("distance between annotators is unknown")
    )
    return Intervals(
        name="distance",
        title=_distance_title(found),
        alt=said(
            "Distance from annotators in percent of the scale: {variants}; between annotators "
            "{annotators}.",
            variants=joined("; ", parts),
            annotators=written(annotators, "share"),
        ),
        axis=said("distance from annotators (0%: the same score)"),
        kind="share",
        reach=(-0.004, 1.08 * _widest([*(mae for _, mae in named), annotators])),
        rows=tuple(rows),
        lines=(Line(annotators, label, "annotators"),),
        interrupted=True,
    )


def scores(found: Comparison) -> Shares | None:
    """Return how often annotators and each variant give each score of their scale.

    A variant without scores, as one whose grades are continuous, is left out; None where all are.
    """
    of, annotators = _graders(found), found.annotator_spread
    scored = [row for row in _ordered(found) if row.spread.share is not None]
    if not scored:
        return None
    told = [(_ANNOTATORS, annotators), *((row.variant, row.spread) for row in scored)]
    parts = [
        said("{variant}, scores used: {scores}", variant=name, scores=scores_used(spread) or "—")
        for name, spread in told
    ]
    return Shares(
        name="scores",
        title=_scores_title(scored),
        alt=said("{sentence}.", sentence=joined("; ", parts)),
        rows=(
            _used(_ANNOTATORS, found.annotator_scale, annotators, "annotators"),
            *(_used(row.variant, row.scale, row.spread, of[row.variant]) for row in scored),
        ),
    )


def _graders(found: Comparison) -> Mapping[str, Grader]:
    return graders((row.variant, row.floor) for row in found.variants)


def _ordered(found: Comparison) -> list[ComparedVariant]:
    """The nearest first, the text-feature baseline last."""
    return sorted(found.variants, key=lambda row: (row.floor, row.mae.value or 0))


def _majority_baseline(found: Comparison) -> list[tuple[str, Sequence[int], Estimate]]:
    """Its name, scale and distance, where there is one."""
    always = found.majority_baseline
    if always.score is None:
        return []
    name = said("majority-class baseline, always {score:g}", score=always.score)
    return [(name, found.annotator_scale, always.mae)]


def _row(found: Comparison, name: str, scale: Sequence[int], mae: Estimate, of: Grader) -> Row:
    on = said("{n:,} {units}", n=found.n, units=said("answers"))
    return Row(_called(name, scale), (Mark(name, mae, on, of),))


def _used(name: str, scale: Sequence[int], spread: Spread, of: Grader) -> ScoresUsed:
    total = sum(spread.counts) or 1
    shares = tuple(count / total for count in spread.counts)
    return ScoresUsed(_called(name, scale), tuple(scale), shares, of)


def _called(name: str, scale: Sequence[int]) -> str:
    return joined(" · ", [name, scale_name(scale)])


def _distance_title(found: Comparison) -> str:
    """Return a short title: the nearest variant."""
    best = found.nearest
    if best is None:
        return said("No variant has a figure yet")
    return said(
        "{name} is {share}% of the scale away",
        name=variant_name(best),
        share=percent(best.mae.value),
    )


def _scores_title(scored: Sequence[ComparedVariant]) -> str:
    """Return a title: the variant with the least varied scores."""
    worst = max(scored, key=lambda row: row.spread.share)
    return said(
        "{variant} gives {score} in {share}% of its scores",
        variant=worst.variant,
        score=worst.spread.commonest,
        share=percent(worst.spread.share),
    )


def _widest(found: Sequence[Estimate]) -> float:
    ends = [end for one in found for end in (one.value, one.high)]
    return max([0.1, *(end for end in ends if end is not None)])
