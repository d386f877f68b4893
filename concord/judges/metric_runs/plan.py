"""The plan of a metric run: what metrics a judge has still to compute, and at what cost."""

from concord.judges.definition.model import Judge
from concord.judges.metric_runs import job as jobs
from concord.judges.metric_runs.chosen_metrics import Choice
from concord.judges.metric_runs.estimate import MetricEstimate, basis, estimate, missing_inputs
from concord.judges.metric_runs.job import MetricJob
from concord.judges.metric_runs.run import MetricRun
from concord.judges.running.engine import BREAKING, JudgePlan, Options
from concord.judges.running.progress import Counts
from concord.judges.running.run_loop import Budget
from concord.store import metric_values, sheets
from concord.store.database import Store


def prepare(store: Store, judge: Judge, choice: Choice, options: Options) -> MetricJob:
    """The job of a judge for metrics; `judge` has the overrides applied."""
    sheet = sheets.chosen(store, options.sheet_name)
    more = options.repeats, options.limit, options.retry_unscored
    return jobs.prepare(store, judge, choice, sheet, *more)


class MetricPlan(JudgePlan):
    """Metrics a judge has still to compute."""

    job: MetricJob

    def estimate(self, store: Store) -> MetricEstimate:
        """Return the estimated requests, tokens and USD."""
        return estimate(store, self.job)

    def begin(self, store: Store, expected: MetricEstimate, budget: float | None) -> int:
        """Record the start of a run and the criteria of its metrics; returns its id."""
        for name, criterion in self.job.criteria.items():
            metric_values.register(store, name, *criterion)
        return super().begin(store, expected, budget)

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
