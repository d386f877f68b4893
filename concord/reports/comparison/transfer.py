"""Transfer: the distance of a judge from annotators on another sheet, compared with this one."""

from collections.abc import Sequence
from typing import NamedTuple

from concord.messages import said
from concord.reports.comparison import compare as comparison
from concord.reports.comparison.compare_document import models_order
from concord.reports.comparison.results import ComparedVariant, beyond
from concord.reports.comparison.study import DIRECTION, Request, StudyResult, counts
from concord.reports.document import Column, Part, table_of
from concord.reports.panel.variants import Variant, Variants
from concord.reports.ranking import ranking
from concord.reports.ranking.order import ANNOTATORS
from concord.stats.comparison.contrast import difference
from concord.stats.comparison.model_order import swaps
from concord.stats.core.estimate import Estimate

SAME, OTHER, UNKNOWN = "same", "other", "unknown"
_ORDERS = {
    SAME: said("Annotators rank the answering models in the same order on both sheets."),
    OTHER: said("Annotators rank the answering models in another order there."),
    UNKNOWN: said("The sheets share no two answering models whose order could be compared."),
}


def annotators_order(here: Variants, there: Variants, rubric: str) -> str:
    """Tell if annotators rank the answering models of both sheets in the same order."""
    means = [_means(one, rubric) for one in (here, there)]
    both = [model for model in means[0] if model in means[1]]
    if len(both) < 2:
        return UNKNOWN
    one, other = ([mean[model] for model in both] for mean in means)
    return OTHER if swaps(one, other) else SAME


class _Transferred(NamedTuple):
    """A judge on two sheets, and how much further from annotators it is there."""

    here: ComparedVariant
    there: ComparedVariant
    further: Estimate


_PARTS: tuple[Part, ...] = (
    (Column(said("judge")), lambda one: one.here.variant),
    (Column(said("examples")), lambda one: one.here.examples),
    (Column(said("distance here"), "share"), lambda one: one.here.mae),
    (Column(said("distance there"), "share"), lambda one: one.there.mae),
    (Column(said("difference, points"), "points", in_file="difference"), lambda one: one.further),
    (Column(said("nearer or further")), lambda one: DIRECTION[beyond(one.further)]),
    (Column(said("order of the models there")), lambda one: models_order(one.there)),
)


def on_two_sheets(asked: Request) -> list[tuple[Variants, _Transferred]]:
    """Return every judge of this sheet on each other sheet that was graded by the rubric."""
    rubric = asked.annotators.rubric.name
    mine = {v.judge.id: v for v in asked.chosen if not v.floor}
    return [
        (there, one)
        for there in asked.others()
        for one in _on_both(asked.here, there, mine, rubric)
    ]


def compare(asked: Request, found: Sequence[tuple[Variants, _Transferred]]) -> StudyResult:
    """Compare judges with themselves on the other sheet that has most of them."""
    here, rubric = asked.here, asked.annotators.rubric.name
    there = max((other for other, _ in found), key=lambda o: sum(one is o for one, _ in found))
    rows = [one for other, one in found if other is there]
    order = annotators_order(here, there, rubric)
    others = len({other.sheet.name for other, _ in found})
    what = said(
        "Judges on {there} compared with {here}.", there=there.sheet.name, here=here.sheet.name
    )
    return StudyResult(
        counts([one.further for one in rows]),
        table_of("transfer", rows, _PARTS),
        [
            {
                "variant": one.here.variant,
                "here": {"sheet": here.sheet.name, "mae": one.here.mae},
                "there": {"sheet": there.sheet.name, "mae": one.there.mae},
                "further": one.further,
                "annotators_order": order,
            }
            for one in rows
        ],
        (
            what,
            _ORDERS[order],
            said(
                "The questions differ between sheets, so comparisons are unpaired. Each 95% CI is "
                "pointwise."
            ),
            said(
                "Of {n} other sheets, {there} has the most judges in common with this one.",
                n=others,
                there=there.sheet.name,
            )
            if others > 1
            else "",
            said("Simulated judges are among them.") if any(o.here.simulated for o in rows) else "",
        ),
    )


def _on_both(
    here: Variants, there: Variants, mine: dict[int, Variant], rubric: str
) -> list[_Transferred]:
    """Return the judges of both sheets, each on all answers it shares with annotators."""
    if rubric not in there.graded:
        return []
    found = []
    for other in there.every:
        one = mine.get(other.judge.id)
        if one is None or one.rubric.name != other.rubric.name:
            continue
        rows = [
            comparison.report([variant], on.annotators(rubric), None).variants
            for on, variant in ((here, one), (there, other))
        ]
        if all(row and row[0].mae.value is not None for row in rows):
            near, far = rows[0][0], rows[1][0]
            found.append(_Transferred(near, far, difference(far.mae, near.mae)))
    return found


def _means(here: Variants, rubric: str) -> dict[str, float]:
    mine = (
        row for row in ranking.report(here.annotators(rubric)).models if row.grader == ANNOTATORS
    )
    return {row.answer_model: row.estimate.value for row in mine if row.estimate.value is not None}
