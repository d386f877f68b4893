"""The filters of the disagreements, kept in the URL, and the rows that pass them."""

from functools import partial

import pandas as pd

from concord.definitions import digest
from concord.grading.adjudication import disagreement_causes
from concord.messages import said
from concord.reports.disagreements import disagreements
from concord.reports.disagreements.disagreement_list import LIST, Scope
from concord.reports.disagreements.disagreements import DisagreementFilter, Filtered
from concord.store.database import Store
from concord.ui import frame
from concord.ui.cached_reports import Report
from concord.ui.caching import kept, once
from concord.ui.work_list import filters


def pick_filters(found: Report) -> DisagreementFilter:
    """Show the filters; the best judge and the heaviest criterion at first."""
    scope = Scope(found.panel, partial(_error_cells, found), found.best)
    with frame.filters():
        return DisagreementFilter(**filters(LIST, scope))


def listed(store: Store, found: Report, wanted: DisagreementFilter) -> Filtered:
    """Return all rows that pass the filters, with the tags as of when the filters were set."""
    key = (found.sheet.id, found.rubric.body(), *map(str, found.panel.annotators), *wanted)
    token = digest([str(part) for part in key])
    newest = partial(disagreement_causes.newest, store)
    until = once("disagreements.until", (token,), newest)
    rows = disagreement_table(found, wanted._replace(cause=None))
    return Filtered(found.panel, wanted, rows, token, until)


@kept(said("Looking for disagreements…"), 12, shared=True)
def disagreement_table(report: Report, wanted: DisagreementFilter) -> pd.DataFrame:
    """Return the disagreements that pass the filters, worst first; cached, do not modify."""
    return disagreements.every(report.panel, wanted)


@kept()
def _error_cells(
    report: Report, judge: int | None, criterion: str | None
) -> list[tuple[int, int, int]]:
    return disagreements.cells(report.panel, judge, criterion)
