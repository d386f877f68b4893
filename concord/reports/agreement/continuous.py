"""Agreement where grades are continuous: a judge's own numbers, or a mean of several annotators.

The row is that of any judge (`rows`), with figures that rest on equal scores undefined. A mean is a
second reference, with no human ceiling.
"""

from concord.model import Grader
from concord.reports.agreement.results import Continuous
from concord.reports.panel.criterion_comparison import (
    CriterionPanel,
    PairStatistics,
    ground_of_mean,
)
from concord.reports.panel.panel import Panel
from concord.stats import continuous as statistics
from concord.stats.core.estimate import Estimate, Statistics, reason, undefined
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import distinct
from concord.stats.reliability.alt_test import EPSILONS, AltTest
from concord.stats.statistics import BY_KEY, NOTHING, OF_NUMBERS, absent, counts, floor

NO_CEILING = reason("mean_hides_annotators")


def grounds(panel: Panel, names: list[str]) -> list[CriterionPanel]:
    """Return a ground for each mean of annotators and each criterion it has numbers of."""
    return [
        ground_of_mean(panel, name, mean)
        for mean in panel.means
        for name in names
        if panel.is_continuous(name, mean) and panel.numbers(name, mean).scored.any()
    ]


def concerns(on: CriterionPanel, judge: Grader) -> bool:
    """Return True where a side of this comparison is continuous."""
    return on.mean is not None or on.panel.is_continuous(on.name, judge.id)


def judged(on: CriterionPanel, judge: Grader) -> PairStatistics:
    """Return what is said of a judge where a side is continuous."""
    return measured(on, judge, on.pairs(judge, on.panel.numbers(on.name, judge.id)))


def pairs(on: CriterionPanel, judge: Grader) -> Pairs:
    """Return a judge's pairs with the reference, continuous or not."""
    return judged(on, judge).pairs if concerns(on, judge) else on.pairs(judge)


def measured(
    on: CriterionPanel, judge: Grader, pairs: Pairs, why_none: str = NOTHING
) -> PairStatistics:
    """The figures of some of its pairs."""
    found = _figures(on, judge, pairs) if len(pairs.item) else absent(why_none, OF_NUMBERS)
    counted = on.with_figures(pairs, found)
    verdicts = counted.verdicts and counted.verdicts._replace(judge_failing=None)
    return counted._replace(verdicts=verdicts)


def details(on: CriterionPanel, judge: Grader) -> Continuous:
    """Return the range of a judge's numbers, and the mean they are compared with."""
    given = on.panel.open_numbers(on.name, judge.id)
    return Continuous(
        mean=on.mean and on.mean.name,
        low=float(given.min()) if len(given) else None,
        high=float(given.max()) if len(given) else None,
        on_range=on.panel.on_range(on.name, judge.id),
    )


def no_ceiling() -> Statistics:
    """Return every statistic between annotators as undefined, since a mean hides them."""
    return Statistics(absent(NO_CEILING, OF_NUMBERS), counts(None))


def no_alt_test() -> tuple[AltTest, ...]:
    """The alternative annotator tests, which are of scores on the scale, as undefined."""
    return tuple(AltTest(one, None, None, 0, 0, why_none=statistics.CONTINUOUS) for one in EPSILONS)


def _figures(on: CriterionPanel, judge: Grader, pairs: Pairs) -> dict[str, Estimate]:
    """Every statistic of the registry, in its order."""
    given, scale = on.panel.open_numbers(on.name, judge.id), on.panel.rubric.scale
    found = statistics.correlations(pairs)
    if on.panel.on_range(on.name, judge.id):
        found |= statistics.errors(pairs)
    else:
        ends = {"low": given.min(), "high": given.max(), "first": scale[0], "last": scale[-1]}
        found |= dict.fromkeys(statistics.ERRORS, undefined(reason("off_the_range", **ends)))
    for key in OF_NUMBERS:
        lacking = statistics.NEEDS_CUT if BY_KEY[key].of_failing else statistics.CONTINUOUS
        why = floor(key, distinct(pairs.item)) if key in found else lacking
        found[key] = undefined(why) if why else found[key]
    return {key: found[key] for key in OF_NUMBERS}
