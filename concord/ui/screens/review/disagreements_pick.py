"""The filters that only disagreements have, kept in the URL, and the rows that pass all."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from concord.definitions import digest
from concord.grading.adjudication import disagreement_causes
from concord.messages import said
from concord.reports.disagreements import disagreements
from concord.reports.disagreements.disagreement_list import LIST, Scope
from concord.reports.disagreements.disagreements import DisagreementFilter, Filtered
from concord.store.database import Store
from concord.ui.cached_reports import Report
from concord.ui.caching import kept, once
from concord.ui.work_list import filters


def pick_filters(report: Report, shared: Mapping[str, Any]) -> DisagreementFilter:
    """Show the filters that are not among the shared ones; return all of them."""
    scope = Scope(report.panel, partial(_error_cells, report))
    return DisagreementFilter(**filters(LIST, scope, shared))


def listed(
    store: Store, report: Report, wanted: DisagreementFilter, found: set[int] | None
) -> Filtered:
    """Return the rows that pass the filters, with the tags as of when these were set.

    `found` are the answers that hold the words searched for; None for all.
    """
    among = None if found is None else sorted(found)
    annotators = map(str, report.panel.annotators)
    key = (report.sheet.id, report.rubric.body(), *annotators, *wanted, among)
    token = digest([str(part) for part in key])
    newest = partial(disagreement_causes.newest, store)
    until = once("disagreements.until", (token,), newest)
    rows = disagreement_table(report, wanted._replace(cause=None))
    if among is not None:
        rows = rows[report.panel.items["id"].isin(among).to_numpy()[rows["item"]]]
    return Filtered(report.panel, wanted, rows, token, until)


@kept(said("Looking for disagreements…"), 12, shared=True)
def disagreement_table(report: Report, wanted: DisagreementFilter) -> pd.DataFrame:
    """Return the disagreements that pass the filters, worst first; cached, do not modify."""
    return disagreements.every(report.panel, wanted)


@kept()
def _error_cells(
    report: Report, judge: int | None, criterion: str | None
) -> list[tuple[int, int, int]]:
    return disagreements.cells(report.panel, judge, criterion)
