"""The majority-class baseline of a row, and a warning where annotators agree no better."""

from concord.messages import said
from concord.reports.agreement.results import MajorityBaseline
from concord.reports.cells import percent
from concord.reports.panel import unit_words
from concord.reports.panel.criterion_comparison import CriterionPanel, PairStatistics
from concord.stats.core.estimate import reason
from concord.stats.core.minimums import PAIR_FLOOR
from concord.stats.majority_baseline import KEYS, every_statistic

NO_CONSTANT = reason("composite_is_no_grade")
NO_SCORE = reason("mean_is_no_grade")
NO_PAIRS = reason("nothing_to_compare")
_OF_ANSWERS = said(
    "This sheet cannot calibrate {criterion}: on the {n} {units} that the judge and two or more "
    "annotators graded, always answering {score} matches an annotator on {constant}%, and "
    "annotators match one another on {ceiling}%. Add weaker answers."
)
_OF_UNITS = said(
    "This sheet cannot calibrate {criterion}: on the {n} {units} that the judge and two or more "
    "annotators graded, always answering {score} matches an annotator on {constant}%, and "
    "annotators match one another on {ceiling}%. Add answers whose {units} differ more."
)


def majority_baseline(on: CriterionPanel, measured: PairStatistics) -> MajorityBaseline:
    """Return how often the most frequent grade agrees; why not where it cannot be computed."""
    if measured.used is None:
        return _undefined(NO_CONSTANT if on.criterion is None else NO_SCORE)
    if measured.used.sum() <= 0:
        return _undefined(NO_PAIRS)
    scale, failing = on.panel.rubric.scale, on.panel.rubric.failing(on.criterion)
    return MajorityBaseline(None, every_statistic(measured.used, scale, failing))


def _undefined(why: str) -> MajorityBaseline:
    return MajorityBaseline(why, dict.fromkeys(KEYS))


def warning(on: CriterionPanel, judged: PairStatistics) -> str | None:
    """Warn where a constant grade agrees with annotators as often as they with one another.

    Only where enough answers were graded by two annotators for the ceiling to have an interval.
    """
    annotators = on.ceiling(judged.on)
    level, ceiling = majority_baseline(on, annotators), annotators.figures["exact"]
    if annotators.n < PAIR_FLOOR or ceiling.low is None or level.exact is None:
        return None
    if level.exact < ceiling.value:
        return None
    units = unit_words.of_rubric(on.panel.rubric)
    plural = unit_words.plural(units)
    return said(
        _OF_UNITS if units else _OF_ANSWERS,
        criterion=on.panel.rubric.headings()[on.name] if units else on.name,
        n=annotators.n,
        units=plural,
        score=unit_words.score(units, level.values["score"]),
        constant=percent(level.exact),
        ceiling=percent(ceiling.value),
    )
