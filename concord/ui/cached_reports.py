"""Reports on screen: the panel of a sheet and rubric, cached by the state of the store.

What takes longest on a large sheet is also kept for other processes (`lasting`).
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from concord.model import Grader, Sheet
from concord.reports.agreement import agreement
from concord.reports.metrics import metric_records
from concord.reports.metrics.metric_records import Readings
from concord.reports.panel.panel import COMPOSITE, Marks, Panel, read
from concord.reports.reliability import annotator_alerts
from concord.reports.reliability.annotator_alerts import Alert
from concord.rubrics.model import Rubric
from concord.stats.core.estimate import Estimate
from concord.stats.core.inclusion_weights import DrawnSet
from concord.stats.reliability.annotator_alerts import Part
from concord.store import kept_results
from concord.store.database import Store
from concord.store.graders import AnnotatorState
from concord.store.kept_results import Shapes, extent, state_key
from concord.ui.caching import Keyed, kept


@kept("Reading the metrics…", 4, shared=True)
def readings(store: Store, sheet: Sheet) -> Readings:
    """Return every number on a sheet; not to be changed."""
    return metric_records.read(store, sheet)


Found = TypeVar("Found")
_SHAPES = (Panel, Marks, Grader, DrawnSet, AnnotatorState)
# Answers of a sheet from which on results are kept for other processes; smaller ones are computed
# well within a second.
LARGE = 10_000


class Report(Keyed):
    """A sheet's grades under a rubric.

    With `by_criterion` the grades of a criterion are read when they are asked for, which takes less
    time where only one is looked at.

    Attributes:
        people: A panel to ask who graded and who counts: the one that was read last, which may have
            the grades of one criterion.
    """

    def __init__(
        self,
        store: Store,
        sheet: Sheet,
        rubric: Rubric,
        by_criterion: bool = False,
    ):
        self.store = store
        self.sheet = sheet
        self.rubric = rubric
        self.key = (state_key(store, sheet), rubric.body())
        self._at = (self.key[0], extent(store, sheet))
        self._panels: dict[str | None, Panel] = {}
        # At once, so that it is of the state in the key.
        alone = by_criterion and len(rubric.criteria) > 1
        self.people = self._read(rubric.heaviest().name if alone else None)

    @property
    def panel(self) -> Panel:
        """The grades of every criterion."""
        return self._read(None) if self.people.only else self.people

    def on(self, criterion: str) -> Panel:
        """The grades of a criterion; those of all for the composite."""
        alone = self.people.only and criterion != COMPOSITE
        return self._read(criterion) if alone else self.panel

    def lasting(self, key: tuple, shapes: Shapes, compute: Callable[[], Found]) -> Found:
        """Return what `lasting` does, of this report; `key` tells which computation."""
        of_it = (*key, *self.key[1:])
        return lasting(self.store, self.sheet, self._at, of_it, shapes, compute)

    def best(self) -> str | None:
        """The label of the judge closest to annotators on the heaviest criterion with grades."""
        found = self.headline()
        return found.judge if found else None

    def headline(self) -> agreement.Headline | None:
        """That judge's exact agreement; None where it is undefined."""
        return _best(self)

    def judge_id(self, label: str) -> int:
        """The id of a judge by label."""
        return next(i for i, name in self.people.labels.items() if name == label)

    def _read(self, only: str | None) -> Panel:
        if only not in self._panels:
            self._panels[only] = _panel(self.store, self.sheet, self.rubric, only)
            # Somebody may have graded for the first time since the one before was read.
            self.people = self._panels[only]
        return self._panels[only]


@kept("Reading the grades…", 12, shared=True)
def _panel(store: Store, sheet: Sheet, rubric: Rubric, only: str | None) -> Panel:
    def computed() -> Panel:
        return replace(read(store, sheet, rubric, only=only), sheet=None, rubric=None)

    at = state_key(store, sheet), extent(store, sheet)
    found = lasting(store, sheet, at, ("panel", rubric.body(), only), _SHAPES, computed)
    return replace(found, sheet=sheet, rubric=rubric)


def lasting(
    store: Store,
    sheet: Sheet,
    at: tuple[str, str],
    key: tuple,
    shapes: Shapes,
    compute: Callable[[], Found],
) -> Found:
    """Return what a computation gave, in this process or an earlier one.

    Args:
        store: The open store.
        sheet: The one sheet it depends on.
        at: State key and extent of the sheet when the computation was asked for.
        key: Which computation, and what else it depends on.
        shapes: What the result is made of (`kept_results.recall`); it is never None.
        compute: The computation.
    """
    if sheet.items < LARGE:
        return compute()
    found = kept_results.recall(store, (*at, *key), shapes)
    if found is None:
        found = compute()
        kept_results.keep(store, (*at, *key), found, shapes)
        # Where somebody wrote meanwhile, it may be of either state. Asked after it was kept: who
        # deletes something now deletes it too.
        if (state_key(store, sheet), extent(store, sheet)) != at:
            kept_results.discard(store, (*at, *key))
    return found


@kept()
def _best(report: Report) -> agreement.Headline | None:
    heaviest = report.rubric.heaviest().name
    # None alone would not be kept.
    return report.lasting(
        ("headline",),
        (agreement.Headline, Estimate),
        lambda: (agreement.best(report.on(heaviest)) or agreement.best(report.panel),),
    )[0]


@kept("Comparing annotators…")
def open_alerts(report: Report) -> tuple[Alert, ...]:
    """Return the open alerts on annotators of a sheet."""
    return report.lasting(
        ("open_alerts",),
        (Alert, Part),
        lambda: annotator_alerts.open_alerts(report.store, report.panel),
    )
