"""The job of a metric run: metric values still to compute, and inputs that items lack.

Read from the store before every run, so repeating a run does only what is missing.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from concord.definitions import digest
from concord.judges.definition import endpoint
from concord.judges.definition.model import Judge
from concord.judges.metric_runs.chosen_metrics import Choice, Chosen, Criterion
from concord.judges.metric_runs.rehearsal import criteria
from concord.judges.prompting.request import body
from concord.judges.running.job import Job
from concord.messages import Problem, joined, said
from concord.model import Sheet
from concord.sampling import splits
from concord.store import graders, metric_values
from concord.store import items as store_items
from concord.store.database import Store
from concord.store.items import Stored
from concord.store.metric_values import Standing

AT_ONCE = 500  # items are read so many at a time


class Task(NamedTuple):
    """One content and repeat: the metrics to be found of each item that holds it."""

    content_hash: str
    repeat: int
    todo: tuple[tuple[int, tuple[str, ...]], ...]


class Lack(NamedTuple):
    """An input some items lack, in words, and the metrics that need it."""

    what: str
    metrics: tuple[str, ...]
    item_ids: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class MetricJob(Job):
    """Metric values that a judge has left to find; a task is a content and repeat.

    `criteria` is the criterion of each metric by its name. `left_out` says by metric why it is not
    found for any item. Which metrics the judge's file names, and which readings, makes no other
    judge of it: its file is stored as it is now.
    """

    kind = "metric"

    choice: Choice
    metrics: tuple[Chosen, ...]
    criteria: Mapping[str, Criterion]
    lacks: tuple[Lack, ...]
    left_out: Mapping[str, str]

    @property
    def grader(self) -> str:
        """The label of the judge as a grader."""
        return f"{self.judge.name}@{self.fingerprint}" if self.fingerprint else self.judge.name

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
        return super().scope() | {"measures": [metric.name for metric in self.metrics]}


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
    as_of, left_out = store.changes(), _left_out(judge, choice)
    metrics = tuple(one for one in choice.metrics if one.name not in left_out)
    if not metrics:
        why = joined(
            "; ",
            [said("{name}: {reason}", name=one, reason=why) for one, why in left_out.items()],
        )
        raise Problem(
            "{judge} has no metric to compute. {why}",
            judge=judge.name,
            why=why or said("Name one in `metrics`."),
        )
    found = asyncio.run(criteria(metrics))
    identity = fingerprint(judge, choice)
    grader = graders.find(store, "metric", f"{judge.name}@{identity}" if identity else judge.name)
    rows = store_items.item_index(store, sheet.id)
    shut = splits.leaked(store, sheet.id)
    open_ids = [row["id"] for row in rows if row["question_id"] not in shut]
    left = _Left(
        metrics,
        {name: one.version for name, one in found.items()},
        metric_values.standing(store, sheet.id, grader.id) if grader else {},
        retry_unscored,
    )
    left.sort(_stored(store, open_ids[:limit]), range(1, repeats + 1))
    return MetricJob(
        judge=judge,
        choice=choice,
        metrics=metrics,
        criteria=found,
        sheet=sheet,
        fingerprint=identity,
        repeats=repeats,
        limit=limit,
        retry_unscored=retry_unscored,
        pending=left.pending,
        settled=left.settled,
        failed=left.failed,
        retried=left.retried,
        closed=len(rows) - len(open_ids),
        lacks=left.lacks(),
        left_out=left_out,
        as_of=as_of,
    )


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


class _Left:
    """Sorts every metric of every item and repeat by what it needs."""

    def __init__(
        self,
        metrics: Sequence[Chosen],
        versions: Mapping[str, str],
        standing: Mapping[tuple[int, str, int], Standing],
        retry_unscored: bool,
    ):
        self._metrics, self._versions = metrics, versions
        self._standing, self._retry = standing, retry_unscored
        self._lacking: dict[str, tuple[list[str], dict[int, None]]] = {}
        self.pending: list[Task] = []
        self.settled = self.failed = self.retried = 0

    def sort(self, items: Iterable[Stored], repeats: Iterable[int]) -> None:
        """Fill `pending`, the first repeat of all contents first and what failed before last."""
        failed: list[Task] = []
        by_content: dict[str, list[tuple[int, set[str]]]] = defaultdict(list)
        for stored in items:
            by_content[stored.content_hash].append((stored.id, self._lack(stored)))
        for repeat in repeats:
            for content_hash, held in by_content.items():
                todo = [(id_, self._todo(id_, lacking, repeat)) for id_, lacking in held]
                task = Task(content_hash, repeat, tuple((i, names) for i, names in todo if names))
                if task.todo:
                    (failed if self._failed_before(task) else self.pending).append(task)
                else:
                    self.settled += 1
        self.pending += failed

    def lacks(self) -> tuple[Lack, ...]:
        """Return missing inputs of items, in order of occurrence."""
        return tuple(
            Lack(what, tuple(names), tuple(ids)) for what, (names, ids) in self._lacking.items()
        )

    def _lack(self, stored: Stored) -> set[str]:
        """The metrics for which an item lacks something; that is noted."""
        lacking = set()
        for metric in self._metrics:
            for what in metric.lacks(stored.item):
                lacking.add(metric.name)
                names, ids = self._lacking.setdefault(what, ([], {}))
                ids[stored.id] = None
                if metric.name not in names:
                    names.append(metric.name)
        return lacking

    def _todo(self, item_id: int, lacking: set[str], repeat: int) -> tuple[str, ...]:
        return tuple(
            name
            for name, version in self._versions.items()
            if not self._is_settled(self._standing.get((item_id, version, repeat)), name in lacking)
        )

    def _is_settled(self, found: Standing | None, lacks: bool) -> bool:
        if found is None or found.status == "failed" or found.is_stale:
            return False
        if found.status == "missing_input" and lacks:
            return True
        return found.status == "scored" or not self._retry

    def _failed_before(self, task: Task) -> bool:
        """Count and return if a task was tried before; an edited list reopens one with a value."""
        places = [
            (i, self._versions[name], task.repeat) for i, names in task.todo for name in names
        ]
        met = {self._standing[place].status for place in places if place in self._standing}
        self.failed += "failed" in met
        self.retried += "failed" not in met and bool(met - {"scored"})
        return "failed" in met


def _left_out(judge: Judge, choice: Choice) -> dict[str, str]:
    """Return why metrics cannot be computed by this judge, by name."""
    reasons = {}
    for metric in choice.metrics:
        if metric.asks and judge.model is None:
            reasons[metric.name] = said("it requires a model, but the judge names none")
        elif metric.embeds and judge.embedding is None:
            reasons[metric.name] = endpoint.NO_EMBEDDING
    return reasons


def _stored(store: Store, item_ids: Sequence[int]) -> Iterable[Stored]:
    for start in range(0, len(item_ids), AT_ONCE):
        yield from store_items.items(store, list(item_ids[start : start + AT_ONCE]))
