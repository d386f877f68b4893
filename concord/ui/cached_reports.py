"""Reports on screen: the panel of a sheet and rubric, cached by the state of the store.

What takes longest on a large sheet is also kept for other processes (`lasting`).
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from concord.messages import said
from concord.model import Grader, Sheet
from concord.reports.agreement import headline
from concord.reports.panel.panel import Marks, Panel
from concord.reports.panel.panel_reading import read
from concord.reports.reliability.annotator_warnings import AnnotatorWarning, warnings
from concord.rubrics.model import Rubric
from concord.stats.core.estimate import Estimate
from concord.stats.core.inclusion_weights import DrawnSet
from concord.store.caching import kept_results
from concord.store.caching.kept_results import Shapes
from concord.store.caching.version_key import extent, state
from concord.store.database import Store
from concord.ui.caching import Keyed, kept

Found = TypeVar("Found")
_SHAPES = (Panel, Marks, Grader, DrawnSet)
# Answers of a sheet from which on results are kept for other processes; smaller ones are computed
# well within a second.
LARGE = 10_000


class Report(Keyed):
    """A sheet's grades under a rubric, for some choice of annotators."""

    def __init__(
        self, store: Store, sheet: Sheet, rubric: Rubric, annotators: tuple[str, ...] | None = None
    ):
        self.store = store
        self.sheet = sheet
        self.rubric = rubric
        self.key = (state(store, sheet), rubric.body(), annotators)
        everyone: Panel = _panel(store, sheet, rubric)
        self.panel = everyone if annotators is None else everyone.choosing(annotators)

    def best(self) -> str | None:
        """The label of the judge closest to annotators on the heaviest criterion with grades."""
        found = self.headline()
        return found.judge if found else None

    def headline(self) -> headline.Headline | None:
        """That judge's exact agreement; None where it is undefined."""
        return _best(self)

    def judge_id(self, label: str) -> int:
        """The id of a judge by label."""
        return next(i for i, name in self.panel.labels.items() if name == label)


@kept(said("Reading the grades…"), 6, shared=True)
def _panel(store: Store, sheet: Sheet, rubric: Rubric) -> Panel:
    def computed() -> Panel:
        return replace(read(store, sheet, rubric), sheet=None, rubric=None)

    known = state(store, sheet)
    found = lasting(store, sheet, known, ("panel", rubric.body()), _SHAPES, computed)
    return replace(found, sheet=sheet, rubric=rubric)


def lasting(
    store: Store, sheet: Sheet, known: str, key: tuple, shapes: Shapes, compute: Callable[[], Found]
) -> Found:
    """Return what a computation gave, in this process or an earlier one.

    Args:
        store: The open store.
        sheet: The one sheet it depends on.
        known: The state key of the sheet when the computation was asked for.
        key: Which computation, and what else it depends on.
        shapes: What the result is made of (`kept_results.recall`); it is never None.
        compute: The computation.
    """
    if sheet.items < LARGE:
        return compute()
    at = (known, extent(store, sheet))
    found = kept_results.recall(store, (*at, *key), shapes)
    if found is None:
        found = compute()
        kept_results.keep(store, (*at, *key), found, shapes)
        # Where somebody wrote meanwhile, it may be of either state. Asked after it was kept: who
        # deletes something now deletes it too.
        if (state(store, sheet), extent(store, sheet)) != at:
            kept_results.discard(store, (*at, *key))
    return found


@kept()
def _best(report: Report) -> headline.Headline | None:
    known, *chosen = report.key

    def computed() -> tuple[headline.Headline | None]:  # None alone would not be kept
        return (headline.best(report.panel),)

    key, shapes = ("headline", *chosen), (headline.Headline, Estimate)
    return lasting(report.store, report.sheet, known, key, shapes, computed)[0]


@kept(said("Comparing annotators…"))
def annotator_warnings(report: Report, criterion: str) -> list[AnnotatorWarning]:
    """Return the warnings about annotators on a criterion."""
    return warnings(report.panel, [criterion])
