"""Tasks of a metric run: the values still to compute, and inputs that items lack.

Read from the store before every run, so repeating a run does only what is missing.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from concord.judges.definition import endpoint
from concord.judges.definition.model import Judge
from concord.judges.metric_runs.chosen_metrics import Choice, ChosenMetric
from concord.judges.running.job import JudgeJob
from concord.messages import counted, joined, said
from concord.model import Sheet
from concord.sampling import splits
from concord.store import items as store_items
from concord.store import metric_values
from concord.store.database import Store
from concord.store.items import Stored
from concord.store.metric_values import MetricValueState

AT_ONCE = 500  # items are read so many at a time
NAMED = 5  # items that lack something are named, so many of them


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

    def sentence(self, names: Mapping[int, str], called: Callable[[str], str]) -> str:
        """The lack in words; `names` are those of the items, `called` that of a metric."""
        every = [names[id_] for id_ in self.item_ids]
        rest = len(every) - NAMED
        listed = joined(", ", every[:NAMED])
        if rest > 0:
            listed = said("{names}, and {n:,} more", names=listed, n=rest)
        return said(
            "{answers} has {what} (for {metrics}): {names}."
            if len(every) == 1
            else "{answers} have {what} (for {metrics}): {names}.",
            answers=counted(len(every), "answer"),
            what=self.what,
            metrics=joined(", ", map(called, self.metrics)),
            names=listed,
        )


def left(
    store: Store, job: JudgeJob, metrics: Sequence[ChosenMetric], versions: Mapping[str, str]
) -> dict[str, Any]:
    """Return the fields of a job of the judge that depend on what is stored.

    `versions` are those of the metrics as criteria, by name.
    """
    known = job.grader(store)
    rows = store_items.item_index(store, job.sheet.id)
    shut = splits.leaked(store, job.sheet.id)
    open_ids = [row["id"] for row in rows if row["question_id"] not in shut]
    standing = metric_values.states(store, job.sheet.id, known.id) if known else {}
    found = _Left(metrics, versions, standing, job.retry_unscored)
    found.sort(_stored(store, open_ids[: job.limit]), range(1, job.repeats + 1))
    return {
        "pending": found.pending,
        "settled": found.settled,
        "failed": found.failed,
        "retried": found.retried,
        "closed": len(rows) - len(open_ids),
        "lacks": found.lacks(),
    }


def left_out(judge: Judge, choice: Choice) -> dict[str, str]:
    """Return why metrics cannot be computed by this judge, by name."""
    reasons = {}
    for metric in choice.metrics:
        if metric.asks and judge.model is None:
            reasons[metric.name] = said("it requires a model, but the judge names none")
        elif metric.embeds and judge.embedding is None:
            reasons[metric.name] = endpoint.NO_EMBEDDING
    return reasons


def missing_inputs(
    store: Store,
    sheet: Sheet,
    lacks: Sequence[Lack],
    out: Mapping[str, str],
    called: Callable[[str], str],
) -> list[str]:
    """Return sentences on missing inputs of items and the metrics left `out`.

    `called` maps the name of a metric to its displayed name.
    """
    names = store_items.answer_names(store, sheet.id) if lacks else {}
    reasons: dict[str, list[str]] = {}
    for name, why in out.items():
        reasons.setdefault(why, []).append(called(name))
    return [lack.sentence(names, called) for lack in lacks] + [
        said("Skipped: {metrics}; {why}.", metrics=joined(", ", names), why=why)
        for why, names in reasons.items()
    ]


class _Left:
    """Sorts every metric of every item and repeat by what it needs."""

    def __init__(
        self,
        metrics: Sequence[ChosenMetric],
        versions: Mapping[str, str],
        standing: Mapping[tuple[int, str, int], MetricValueState],
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

    def _is_settled(self, found: MetricValueState | None, lacks: bool) -> bool:
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


def _stored(store: Store, item_ids: Sequence[int]) -> Iterable[Stored]:
    for start in range(0, len(item_ids), AT_ONCE):
        yield from store_items.items(store, list(item_ids[start : start + AT_ONCE]))
