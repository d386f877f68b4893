"""The job of a metric run: the metric values that a judge has still to compute on a sheet."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from concord.definitions import digest
from concord.judges.definition.model import Judge
from concord.judges.metric_runs import tasks
from concord.judges.metric_runs.chosen_metrics import Choice, ChosenMetric, Criterion
from concord.judges.metric_runs.cost_estimate import MetricEstimate, estimate
from concord.judges.metric_runs.rehearsal import criteria
from concord.judges.metric_runs.run import MetricRun
from concord.judges.metric_runs.tasks import Lack
from concord.judges.prompting.request import body
from concord.judges.running.job import JudgeJob, Options
from concord.messages import Problem, joined
from concord.model import Sheet
from concord.store import graders, metric_values, sheets
from concord.store.database import Store


@dataclass(frozen=True, kw_only=True)
class MetricJob(JudgeJob):
    """Metric values that a judge has left to find; a task is a content and repeat.

    `criteria` is the criterion of each metric by its name. `left_out` says by metric why it is not
    found for any item. Which metrics the judge's file names, and which readings, makes no other
    judge of it: its file is stored as it is now.
    """

    kind = "metric"

    choice: Choice
    metrics: tuple[ChosenMetric, ...]
    criteria: Mapping[str, Criterion]
    lacks: tuple[Lack, ...] = ()
    left_out: Mapping[str, str]

    def renewed(self, store: Store) -> Self:
        """Return the same job, read from the store again."""
        of = self.judge, self.choice, self.sheet, self.repeats, self.limit, self.retry_unscored
        return prepare(store, *of)

    def register(self, store: Store) -> int:
        """Return the judge's id as a grader, made now where it is new."""
        made = super().register(store)
        graders.define(store, made, self.definition())
        return made

    def scope(self) -> dict[str, Any]:
        """Return the scope of a run, as stored with it."""
        return super().scope() | {"metrics": [metric.name for metric in self.metrics]}

    def estimate(self, store: Store) -> MetricEstimate:
        """Return the estimated requests, tokens and USD."""
        return estimate(store, self, self.metrics)

    def begin(
        self, store: Store, expected: Mapping[str, Any], budget: float | None, **more: Any
    ) -> int:
        """Record the start of a run and the criteria of its metrics; returns its id."""
        for name, criterion in self.criteria.items():
            metric_values.register(store, name, *criterion)
        return super().begin(store, expected, budget, **more)

    def run(self, store: Store, **state: Any) -> MetricRun:
        """Return the run that does it."""
        of = {"metrics": self.metrics, "criteria": self.criteria}
        return MetricRun(**state, **of, grader_id=self.register(store))

    def remarks(self, store: Store, called: Callable[[str], str] = str) -> list[str]:
        """Return sentences on missing inputs of items and the metrics left out.

        `called` maps the name of a metric to its displayed name.
        """
        return tasks.missing_inputs(store, self.sheet, self.lacks, self.left_out, called)


def prepared(store: Store, judge: Judge, choice: Choice, options: Options) -> MetricJob:
    """The job of a judge for metrics; `judge` has the overrides applied."""
    sheet = sheets.chosen(store, options.sheet_name)
    more = options.repeats, options.limit, options.retry_unscored
    return prepare(store, judge, choice, sheet, *more)


def prepare(
    store: Store,
    judge: Judge,
    choice: Choice,
    sheet: Sheet,
    repeats: int = 1,
    limit: int | None = None,
    retry_unscored: bool = False,
) -> MetricJob:
    """Find out what a judge of kind `metric`, overrides applied, has still to find on a sheet.

    Each number is found `repeats` times in all, from separate verdicts. `limit` takes only the
    first so many items; `retry_unscored` asks again where an earlier reply gave no number.
    """
    as_of, out = store.changes(), tasks.left_out(judge, choice)
    metrics = tuple(one for one in choice.metrics if one.name not in out)
    if not metrics:
        titles = {one.name: one.title for one in choice.metrics}
        why = joined(" ", tasks.missing_inputs(store, sheet, (), out, titles.__getitem__))
        raise Problem("{judge} has no metric to compute. {why}", judge=judge.name, why=why)
    found = asyncio.run(criteria(metrics))
    job = MetricJob(
        judge=judge,
        choice=choice,
        metrics=metrics,
        criteria=found,
        sheet=sheet,
        fingerprint=fingerprint(judge, choice),
        repeats=repeats,
        limit=limit,
        retry_unscored=retry_unscored,
        left_out=out,
        as_of=as_of,
    )
    versions = {name: one.version for name, one in found.items()}
    return replace(job, **tasks.left(store, job, metrics, versions))


def fingerprint(judge: Judge, choice: Choice) -> str:
    """Return the identity of a judge for metrics: 16 hex digits, '' where it makes no API calls.

    The hash of its settings, endpoints and the prompts common to all metrics. Its metrics and their
    switches are not included: those are criteria of their own.
    """
    if judge.model is None and judge.embedding is None:
        return ""
    messages = [{"role": judge.endpoint.system_role, "content": "(instructions)"}]
    return digest(
        {
            "request": body(judge, messages, {}),
            "prompts": choice.prompts,
            "larger": judge.larger and judge.larger.model,
            "context_tokens": judge.context_tokens if judge.larger else None,
            "headers": judge.extra_headers,
            "endpoint": judge.url() if judge.model else "",
            "embedding": judge.embedding.identity() if judge.embedding else "",
        }
    )
