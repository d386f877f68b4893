"""Majority-class baseline: a judge that always gives the most frequent grade."""

from concord.reports.agreement.results import AboveBaseline, MajorityBaseline
from concord.reports.decision.verdict import estimate_of
from concord.reports.panel.criterion_comparison import CriterionPanel, PairStatistics
from concord.stats.continuous import CONTINUOUS
from concord.stats.core.estimate import Why, reason, undefined
from concord.stats.core.pairs import Pairs
from concord.stats.decision.conditions import above_baseline
from concord.stats.decision.deciding_figure import EXACT, FIGURES
from concord.stats.decision.grades import Grades
from concord.stats.intervals.group_sequential import ERROR
from concord.stats.majority_baseline import KEYS, every_statistic

NO_CONSTANT = reason("composite_is_no_grade")
NO_SCORE = reason("mean_is_no_grade")
NO_PAIRS = reason("nothing_to_compare")


def majority_baseline(
    on: CriterionPanel, judged: PairStatistics, continuous: bool
) -> MajorityBaseline:
    """Return the baseline on a judge's answers, and who agrees more than it; why it is undefined.

    The annotators are compared with it on the answers of the judge that two or more of them graded;
    a judge of `continuous` grades is not.
    """
    if judged.used is None or judged.used.sum() <= 0:
        why = NO_PAIRS if judged.used is not None else NO_SCORE if on.criterion else NO_CONSTANT
        none = AboveBaseline("none", undefined(why))
        return MajorityBaseline(why, dict.fromkeys(KEYS), none, none)
    between = on.overlapping(judged.on).pairs
    return MajorityBaseline(
        None,
        every_statistic(judged.used, on.panel.rubric.scale, on.panel.rubric.failing(on.criterion)),
        _tested(on, judged.pairs, CONTINUOUS if continuous else None),
        _tested(on, between, on.no_ceiling(between)),
    )


def _tested(on: CriterionPanel, pairs: Pairs, why_none: Why | None = None) -> AboveBaseline:
    """Test exact agreement of some pairs minus that of the baseline, as a decision does."""
    if why_none:
        return AboveBaseline("none", undefined(why_none))
    scale, rubric = on.panel.rubric.scale, on.panel.rubric
    tables = pairs.tables(scale)
    grades = Grades(tables[None], tables[None], tables, scale, rubric.failing(on.criterion))
    tested = above_baseline(grades, FIGURES[EXACT], grades.judges)
    state = "clear" if tested.above[0] <= ERROR else "fails" if tested.below[0] <= ERROR else "open"
    return AboveBaseline(state, estimate_of(tested, 0))
