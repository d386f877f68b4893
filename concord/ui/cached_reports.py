"""Reports on screen: the panel of a sheet and rubric, cached by the state of the store."""

from concord.model import Sheet
from concord.reports.agreement import agreement
from concord.reports.metrics import metric_records
from concord.reports.metrics.metric_records import Readings
from concord.reports.panel.panel import COMPOSITE, Panel, read
from concord.reports.reliability import annotator_alerts
from concord.reports.reliability.annotator_alerts import Alert
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.store.sheets import state_key
from concord.ui.caching import Keyed, kept


@kept("Reading the metrics…", 4, shared=True)
def readings(store: Store, sheet: Sheet) -> Readings:
    """Return every number on a sheet; not to be changed."""
    return metric_records.read(store, sheet)


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
    return read(store, sheet, rubric, only=only)


@kept()
def _best(report: Report) -> agreement.Headline | None:
    heaviest = report.rubric.heaviest().name
    return agreement.best(report.on(heaviest)) or agreement.best(report.panel)


@kept("Comparing annotators…")
def open_alerts(report: Report) -> tuple[Alert, ...]:
    """Return the open alerts on annotators of a sheet."""
    return annotator_alerts.open_alerts(report.store, report.panel)
