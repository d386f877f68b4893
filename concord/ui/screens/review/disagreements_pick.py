"""The filters of the work list and who works on it, kept in the URL."""

from functools import partial

import pandas as pd

from concord.definitions import digest
from concord.grading.adjudication import disagreement_causes
from concord.messages import said
from concord.model import Grader
from concord.reports.disagreements import disagreements
from concord.reports.disagreements.disagreement_list import LIST, Scope
from concord.reports.disagreements.disagreements import Wanted
from concord.store.database import Store
from concord.ui import frame
from concord.ui.cached_reports import Report
from concord.ui.caching import kept, once
from concord.ui.components.disagreements_pane import Filtered
from concord.ui.looker import pick_person
from concord.ui.work_list import filters


def pick(store: Store, found: Report) -> tuple[Wanted, Grader | None]:
    """The filters and who works, in one row; the best judge and the heaviest criterion at first."""
    scope = Scope(found.panel, partial(_error_cells, found), found.best)
    with frame.filters():
        wanted = Wanted(**filters(LIST, scope))
        why = said("Tags are stored with your name.")
        return wanted, pick_person(store, why)


def listed(store: Store, found: Report, wanted: Wanted) -> Filtered:
    """Return all rows that pass the filters, with the tags as of when the filters were set."""
    key = (found.sheet.id, found.rubric.body(), *map(str, found.panel.annotators), *wanted)
    token = digest([str(part) for part in key])
    newest = partial(disagreement_causes.newest, store)
    until = once("disagreements.until", (token,), newest)
    rows = disagreement_table(found, wanted._replace(cause=None))
    return Filtered(found.panel, wanted, rows, token, until)


@kept(said("Looking for disagreements…"), 12, shared=True)
def disagreement_table(report: Report, wanted: Wanted) -> pd.DataFrame:
    """Return the disagreements that pass the filters, worst first; cached, do not modify."""
    return disagreements.every(report.panel, wanted)


@kept()
def _error_cells(
    report: Report, judge: int | None, criterion: str | None
) -> list[tuple[int, int, int]]:
    return disagreements.cells(report.panel, judge, criterion)
