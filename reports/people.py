"""People: how far the people agree who grade, for the screen and `--json`."""

from collections.abc import Sequence
from datetime import tzinfo

from data.store import Store
from reports import among_people, annotator_warnings, moments
from reports.agreement import weighting
from reports.grader_quality import grader_quality
from reports.ground import ground
from reports.moments import Moments
from reports.panel import COMPOSITE, Panel
from reports.people_overlap import overall, pairs, strictness
from reports.people_time import over_time
from reports.reference import EACH
from reports.second_grader import second_grader
from reports.split_items import split_items


def document(
    store: Store, panel: Panel, where: tzinfo, most: int | None = None, only: Sequence[str] = ()
) -> dict:
    """Everything: `criteria`, one object each, and `quality`, which only a lead should be shown.

    Args:
        store: The open store.
        panel: The panel.
        where: The time zone of days and hours.
        most: How many answers that split people are listed for each criterion; None for all.
        only: The criteria; all without.
    """
    known = moments.read(store, panel)
    names = [name for name in panel.criteria if name != COMPOSITE and (name in only or not only)]
    return {
        "sheet": panel.sheet.name,
        "synthetic": panel.sheet.synthetic,
        "rubric": panel.rubric.name,
        "zone": str(where),
        "people": [{"name": p.name, "simulated": p.simulated} for p in panel.people.values()],
        "uncounted": panel.uncounted,
        "weighting": weighting(panel),
        "reliability": [row for row in among_people.rows(panel) if row["criterion"] in names],
        "criteria": [criterion(store, panel, name, known, where, most) for name in names],
        "quality": grader_quality(store, panel, known, where, names),
    }


def criterion(
    store: Store, panel: Panel, name: str, known: Moments, where: tzinfo, most: int | None = None
) -> dict:
    """One criterion: `overall`, `annotator_warnings`, `pairs`, and so on to `second_grader`."""
    on = ground(panel, name, EACH)
    return {
        "criterion": name,
        "overall": overall(on),
        "annotator_warnings": annotator_warnings.warnings(panel, [name]),
        "pairs": pairs(on),
        "strictness": strictness(on),
        "over_time": over_time(on, known, where),
        "split": split_items(store, on, most),
        "second_grader": second_grader(on),
    }
