"""The plan of a metric run: what metrics a judge has still to compute, and at what cost."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Self

from concord.judges.definition.model import Judge
from concord.judges.metric_runs import job as jobs
from concord.judges.metric_runs.chosen_metrics import Choice
from concord.judges.metric_runs.estimate import MetricEstimate, basis, estimate, missing_inputs
from concord.judges.metric_runs.job import MetricJob
from concord.judges.metric_runs.run import MetricRun
from concord.judges.running.engine import BREAKING, JudgePlan, Options
from concord.judges.running.job import stored_form
from concord.judges.running.progress import Counts
from concord.judges.running.run_loop import Budget
from concord.store import graders, metric_values, runs, sheets
from concord.store.database import Store


def prepare(store: Store, judge: Judge, choice: Choice, options: Options) -> MetricJob:
    """The job of a judge for metrics; `judge` has the overrides applied."""
    sheet = sheets.chosen(store, options.sheet_name)
    more = options.repeats, options.limit, options.retry_unscored
    return jobs.prepare(store, judge, choice, sheet, *more)


class MetricPlan(JudgePlan):
    """Metrics a judge has still to compute."""

    job: MetricJob

    def register(self, store: Store) -> int:
        """Register the judge as a grader; returns its id."""
        return grader_id(store, self.job)

    @contextmanager
    def locked(self, store: Store) -> Iterator[Self]:
        """Hold the lock and yield the plan, read again under it."""
        job = self.job
        asked = {task.content_hash for task in job.pending} if job.judge.model else ()
        with self.held(store, asked) as made:
            yield replace(self, job=jobs.renewed(store, job), grader_id=made)

    def estimate(self, store: Store) -> MetricEstimate:
        """Return the estimated requests, tokens and USD."""
        return estimate(store, self.job)

    def counts(self) -> Counts:
        """The counts of a run that has asked nothing yet."""
        return Counts(total=len(self.job.pending), before=self.job.settled)

    def begin(self, store: Store, expected: MetricEstimate, budget: float | None) -> int:
        """Record the start of a run and the criteria of its metrics; returns its id."""
        job = self.job
        for name, criterion in job.criteria.items():
            metric_values.register(store, name, *criterion)
        scope = {
            "limit": job.limit,
            "repeats": job.repeats,
            "retry_unscored": job.retry_unscored,
            "measures": [metric.name for metric in job.metrics],
        }
        of = self.grader_id, job.sheet.id, None, scope, []
        return runs.start(store, *of, expected.as_json(), budget)

    def run(self, run_id: int, budget: Budget, counts: Counts) -> MetricRun:
        """The run that does it."""
        of = {"id": run_id, "grader_id": self.grader_id}
        return MetricRun(budget, counts, BREAKING, job=self.job, **of)

    def remarks(self, store: Store) -> list[str]:
        """Return the basis of the estimate, missing inputs, and the metrics left out."""
        return [*basis(self.job), *missing_inputs(store, self.job)]

    def summary(self, store: Store, counts: Counts, expected: MetricEstimate) -> str:
        """Return sentences on how far a run got."""
        return " ".join([counts.outcome(), *missing_inputs(store, self.job)])


def grader_id(store: Store, job: MetricJob) -> int:
    """The judge's id as a grader, made now where it is new; its file is kept as it is now.

    Which metrics the file names, and which readings, makes no other judge of it.
    """
    about = {"judge": stored_form(job.judge)}
    made = graders.ensure(store, "metric", job.judge.name, job.fingerprint, definition=about)
    graders.define(store, made, about)
    return made
