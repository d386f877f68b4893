"""What claims can be sorted by: the rubrics of units, and the values of metrics."""

from concord import metrics
from concord.messages import said
from concord.metrics import title
from concord.model import Sheet
from concord.reports.metrics.metric_records import Readings, short
from concord.reports.units import answer_values, evidence_list
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui.caching import kept
from concord.ui.widgets import select


def judged(store: Store, sheet: Sheet) -> list[str]:
    """Return the rubrics of units by which something was judged, in the order of the metrics."""
    judged = rubric_versions.units_graded(store, sheet.id)
    order = [name for one in metrics.available().values() for name in one.rubrics]
    first = ["claims-in-contexts", *order]
    return sorted(judged, key=lambda name: first.index(name) if name in first else len(first))


def pick_metric(found: Readings, rubric: Rubric | None) -> tuple[str, str] | None:
    """Show the picker of the value in the list; return its judge and its metric.

    Those that rest on the rubric come first, and those with a value before those without.
    """
    pairs = list(dict.fromkeys((one.judge, one.metric) for one in found.records))
    if not pairs:
        return None
    name = rubric.name if rubric else ""
    valued = {(one.judge, one.metric) for one in found.records if one.value is not None}
    pairs.sort(key=lambda pair: (not answer_values.rests_on(pair[1], name), pair not in valued))
    names = short(judge for judge, _ in pairs)
    options = {
        f"{metric} {judge}": _titled(metric, names[judge] if len(names) > 1 else "")
        for judge, metric in pairs
    }
    first = next(iter(options))
    chosen = select(said("Metric in the list"), f"sorted.{name or '-'}", options, first, first)
    metric, judge = chosen.split(" ", 1)
    return judge, metric


def _titled(metric: str, judge: str) -> str:
    """A metric, and by whom it was found where that is said."""
    if not judge:
        return title(metric)
    return said("{metric} ({judge})", metric=title(metric), judge=judge)


@kept(said("Finding disagreements between graders…"), 12)
def listed(
    store: Store,
    sheet: Sheet,
    rubric: Rubric | None,
    by: tuple[str, str] | None,
    _found: Readings,
) -> evidence_list.Answers:
    """Return the answers with units of a rubric or with a value, those to begin with first."""
    metric = metrics.available().get(by[1]) if by else None
    is_high = metric is not None and metric.better == "lower"
    return evidence_list.listed(store, sheet, _found, rubric, by, is_high)
