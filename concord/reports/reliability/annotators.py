"""Annotators: how far the annotators agree who grade, for the screen and `--json`."""

from collections.abc import Sequence
from datetime import tzinfo

from concord.reports.document import as_json
from concord.reports.panel import grading_times
from concord.reports.panel.comparison import ground
from concord.reports.panel.grading_times import Moments
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.provenance import weighting
from concord.reports.panel.reference_standard import EACH
from concord.reports.reliability import annotator_warnings, panel_reliability
from concord.reports.reliability.agreement_over_time import over_time
from concord.reports.reliability.annotator_overlap import overall, pairs, strictness
from concord.reports.reliability.annotator_quality import grader_quality
from concord.reports.reliability.contested_items import split_items
from concord.reports.reliability.second_annotator import second_grader
from concord.store.database import Store


def document(
    store: Store, panel: Panel, where: tzinfo, most: int | None = None, only: Sequence[str] = ()
) -> dict:
    """Everything: `criteria`, one object each, and `quality`, which only a lead should be shown.

    Args:
        store: The open store.
        panel: The panel.
        where: The time zone of days and hours.
        most: How many answers that split annotators are listed for each criterion; None for all.
        only: The criteria; all without.
    """
    known = grading_times.read(store, panel)
    names = [name for name in panel.criteria if name != COMPOSITE and (name in only or not only)]
    return {
        "sheet": panel.sheet.name,
        "synthetic": panel.sheet.synthetic,
        "rubric": panel.rubric.name,
        "zone": str(where),
        "annotators": [
            {"name": p.name, "simulated": p.simulated} for p in panel.annotators.values()
        ],
        "uncounted": panel.uncounted,
        "weighting": weighting(panel),
        "reliability": [
            as_json(row) for row in panel_reliability.rows(panel) if row.criterion in names
        ],
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
