"""Two judges: the paired test of their agreement with annotators, whole questions at a time."""

from concord.messages import said
from concord.reports.cells import written
from concord.reports.comparison.paired_differences import (
    DISTANCE,
    EXACT,
    Differences,
    by_item,
    discordant,
    mean_difference,
    nearness,
)
from concord.reports.comparison.paired_variants import side_by_side, target_name
from concord.reports.comparison.results import PairedTest
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.reference_standard import EACH
from concord.reports.panel.variants import Variant
from concord.stats.comparison.mcnemar import mcnemar
from concord.stats.comparison.sign_flip import question_sums, sign_flip
from concord.stats.core.tables import ranked
from concord.stats.intervals import tango

METRICS = {
    EXACT: said("Exact agreement with annotators"),
    DISTANCE: said("Nearness to annotators, % of the scale"),
}
_LEVEL = 0.05


def tested(
    first: Variant, second: Variant, annotators: Panel, target: str, kind: str = EACH
) -> PairedTest:
    """Return the paired test of two judges on a criterion of the annotators' or `composite`."""
    apart = _differences(first, second, annotators, target, kind)
    alone = discordant(apart)
    difference = tango.difference(alone) if alone else mean_difference(apart)
    test = sign_flip(question_sums(apart.value, apart.cluster, apart.weight))
    about = {"one": first.label, "other": second.label}
    if difference.value is None:
        why = difference.why_none
        sentence = said("{one} and {other} cannot be compared: {why}", **about, why=why)
    else:
        sentence = said(
            "{figure} on {target}, {one} minus {other}: {points} points ({verdict})",
            figure=METRICS[apart.metric],
            target=target_name(target),
            points=written(difference, "points"),
            verdict=said("significant" if test.p_value < _LEVEL else "not significant"),
            **about,
        )
    return PairedTest(
        first=first.label,
        second=second.label,
        target=target,
        metric=apart.metric,
        n=len(apart.item),
        questions=ranked(annotators.question[apart.item])[0],
        clusters=ranked(apart.cluster)[0],
        difference=difference,
        test=test,
        mcnemar=mcnemar(alone) if alone else None,
        sentence=sentence,
    )


def _differences(
    first: Variant, second: Variant, annotators: Panel, target: str, kind: str
) -> Differences:
    """Return the differences of two judges on the answers that both scored."""
    side = side_by_side([first, second], annotators, target, kind)
    scales = {first.rubric.scale, second.rubric.scale, annotators.rubric.scale}
    numbers = target == COMPOSITE or any(one.is_continuous(target) for one in (first, second))
    metric = EXACT if len(scales) == 1 and not numbers else DISTANCE
    mine, theirs = (nearness(side.pairs(place), metric) for place in (0, 1))
    pairs = side.pairs(0)
    item, weight, value = by_item(pairs, mine - theirs)
    return Differences(item, side.panel.cluster[item], weight, value, metric)
