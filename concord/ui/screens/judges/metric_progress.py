"""Progress of a metric judge: values so far, cost of the rest, and missing inputs."""

from functools import partial

import streamlit as st

from concord.importing.fields import ITEM_FIELDS
from concord.judges.metric_runs.cost_estimate import MetricEstimate
from concord.judges.metric_runs.job import MetricJob
from concord.messages import quoted, said
from concord.metrics import title
from concord.metrics.framework.metric import NEEDS
from concord.model import Grader
from concord.reports.metrics import metric_records, metrics
from concord.reports.workflow.runs import State
from concord.store.database import Store
from concord.ui import run_progress
from concord.ui.caching import once
from concord.ui.language import plain
from concord.ui.render import show_table


def expected_of(store: Store, job: MetricJob, found: State) -> MetricEstimate:
    """The estimate; rehearsing takes a second or two, so it is kept while nothing changes."""
    versions = tuple(one.version for one in job.criteria.values())
    left = len(job.pending), job.settled, job.failed, job.retried, job.repeats
    wanted = job.sheet.id, job.fingerprint, versions, left, found.run_id, found.counts.calls
    compute = partial(job.estimate, store)
    return once("judge.metrics.expected", wanted, compute, said("Planning the requests…"))


def say_expected(store: Store, job: MetricJob, expected: MetricEstimate) -> None:
    """The estimate in words, what answers lack, and what is left out."""
    run_progress.expected(expected, closed=job.closed)
    lacking = job.remarks(store, title)
    if lacking and job.pending:
        st.warning("\n".join(f"- {plain(line)}" for line in [*lacking, *_columns(job)]))


def _columns(job: MetricJob) -> list[str]:
    """Return the columns of a file that supply the missing inputs."""
    lacked = {lack.what for lack in job.lacks}
    needed = [need for need, words in NEEDS.items() if words in lacked and need in ITEM_FIELDS]
    if not needed:
        return []
    names = quoted(needed)
    return [
        said("Import them in the columns {names}.", names=names)
        if len(needed) > 1
        else said("Import it in the column {names}.", names=names)
    ]


def numbers(store: Store, job: MetricJob, grader: Grader | None) -> None:
    """Show the values found so far: number of answers, and the mean."""
    values = metrics.rows(metric_records.read(store, job.sheet)) if grader else []
    mine = [row for row in values if row.judge == job.label]
    if mine:
        shown = sorted(mine, key=lambda row: not row.n)  # those without any value last
        show_table(metrics.table(shown, title), job.judge.name, height="content")
