"""Reports on screen: the panel of a sheet and rubric, cached by the state of the store."""

from concord.messages import said
from concord.model import Sheet
from concord.reports.agreement import headline
from concord.reports.panel.panel import Panel
from concord.reports.panel.panel_reading import read
from concord.reports.reliability.annotator_warnings import AnnotatorWarning, warnings
from concord.rubrics.model import Rubric
from concord.store.caching.version_key import state
from concord.store.database import Store
from concord.ui.caching import Keyed, kept


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
        found = _best(self)
        return found.judge if found else None

    def judge_id(self, label: str) -> int:
        """The id of a judge by label."""
        return next(i for i, name in self.panel.labels.items() if name == label)


@kept(said("Reading the grades…"), 6, shared=True)
def _panel(store: Store, sheet: Sheet, rubric: Rubric) -> Panel:
    return read(store, sheet, rubric)


@kept()
def _best(report: Report) -> headline.Headline | None:
    return headline.best(report.panel)


@kept(said("Comparing annotators…"))
def annotator_warnings(report: Report, criterion: str) -> list[AnnotatorWarning]:
    """Return the warnings about annotators on a criterion."""
    return warnings(report.panel, [criterion])
