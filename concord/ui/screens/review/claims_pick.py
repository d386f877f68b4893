"""The filters of the claims: the rubric of units, and the judge and metric that sort them."""

from typing import NamedTuple

from concord import metrics
from concord.messages import said
from concord.metrics import title
from concord.model import Sheet
from concord.reports.metrics.metric_records import Readings, short
from concord.reports.units import answer_values, evidence_list
from concord.rubrics.model import Rubric
from concord.store import items
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui.caching import kept
from concord.ui.widgets import select

NONE = "-"


class Picked(NamedTuple):
    """The rubric of units (None: there are none), judge and metric that sort, and the list."""

    rubric: Rubric | None
    by: tuple[str, str] | None
    listed: evidence_list.Answers


def pick(store: Store, sheet: Sheet, found: Readings) -> Picked | None:
    """The pickers; None where there is neither a verdict on a unit nor a number."""
    rubrics = {name: rubric_versions.named(store, name)[1] for name in _judged(store, sheet)}
    if not rubrics and not found.records:
        return None
    rubric = None
    if rubrics:
        titles = {name: one.title or name for name, one in rubrics.items()}
        rubric = rubrics[select(said("Units"), "units", titles, next(iter(titles)))]
    by = _pick_metric(found, rubric)
    return Picked(rubric, by, _listed(store, sheet, rubric, by, found))


def _judged(store: Store, sheet: Sheet) -> list[str]:
    """The rubrics of units by which something was judged, in the order of the metrics."""
    judged = rubric_versions.units_graded(store, sheet.id)
    order = [name for one in metrics.available().values() for name in one.rubrics]
    first = ["claims-in-contexts", *order]
    return sorted(judged, key=lambda name: first.index(name) if name in first else len(first))


def _pick_metric(found: Readings, rubric: Rubric | None) -> tuple[str, str] | None:
    """Judge and metric of the value that the list shows.

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
    chosen = select(
        said("Metric in the list"), f"sorted.{name or NONE}", options, next(iter(options))
    )
    metric, judge = chosen.split(" ", 1)
    return judge, metric


def _titled(metric: str, judge: str) -> str:
    """A metric, and by whom it was found where that is said."""
    if not judge:
        return title(metric)
    return said("{metric} ({judge})", metric=title(metric), judge=judge)


@kept(said("Finding disagreements between graders…"), 12)
def _listed(
    store: Store,
    sheet: Sheet,
    rubric: Rubric | None,
    by: tuple[str, str] | None,
    _found: Readings,
) -> evidence_list.Answers:
    metric = metrics.available().get(by[1]) if by else None
    is_high = metric is not None and metric.better == "lower"
    return evidence_list.listed(store, sheet, _found, rubric, by, is_high)


@kept(said("Searching…"), 12)
def matching(store: Store, sheet: Sheet, words: str) -> set[int]:
    """Return the answers whose text, question or id holds some words."""
    return items.matching(store, sheet.id, words)
