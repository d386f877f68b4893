"""Jobs: what a judge has left to do on a sheet, by a rubric or for metrics.

Read from the store before every run, so repeating a run does only what is missing.
"""

import json
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Self

from concord.judges import few_shot
from concord.judges.definition.model import Judge, Shot
from concord.judges.prompting.prompt import parts
from concord.judges.prompting.request import fingerprint
from concord.model import Sheet
from concord.rubrics.model import Rubric
from concord.sampling import splits
from concord.sampling.leak_guard import origin, rubric_origins
from concord.store import batches, graders, grades, items, runs
from concord.store.database import Store


class Task(NamedTuple):
    """One question to the judge: a content, a part and a repeat, for every item that holds it."""

    content_hash: str
    part: str
    repeat: int
    item_ids: tuple[int, ...]


class Again(NamedTuple):
    """Extra replies to certain contents only, in addition to a run over the sheet.

    `contents` are hashes, `first` is the number of the first extra repeat, `purpose` is stored with
    the run.
    """

    contents: frozenset[str]
    first: int
    purpose: str


@dataclass(frozen=True, kw_only=True)
class Job(ABC):
    """A judge, and what it has left to do on a sheet.

    `pending` must be asked; `cached` has a good reply on disk already and only lacks its grades;
    `settled` counts the tasks that are done, `failed` those of `pending` that failed before,
    `retried` those whose earlier reply gave no score and that are asked again, `closed` the items
    that are never scored and so never asked. `as_of` is the store's count of changes when it was
    prepared.
    """

    kind: ClassVar[str]

    judge: Judge
    sheet: Sheet
    fingerprint: str
    rubric_id: int | None = None
    shots: tuple[Shot, ...] = ()
    repeats: int = 1
    limit: int | None = None
    retry_unscored: bool = False
    pending: list[Any] = field(default_factory=list)
    cached: list[Any] = field(default_factory=list)
    settled: int = 0
    failed: int = 0
    retried: int = 0
    closed: int = 0
    as_of: tuple[int, int] | None = None

    @abstractmethod
    def renewed(self, store: Store) -> Self:
        """Return the same job, read from the store again."""

    def definition(self) -> dict[str, Any]:
        """Return what is stored of the judge as a grader."""
        return {"judge": stored_form(self.judge)}

    def register(self, store: Store) -> int:
        """Return the judge's id as a grader, made now where it is new."""
        of = self.kind, self.judge.name, self.fingerprint
        return graders.ensure(store, *of, definition=self.definition())

    def scope(self) -> dict[str, Any]:
        """Return the scope of a run, as stored with it."""
        return {
            "limit": self.limit,
            "repeats": self.repeats,
            "retry_unscored": self.retry_unscored,
        }

    def begin(
        self,
        store: Store,
        grader_id: int,
        expected: Mapping[str, Any],
        budget: float | None,
        scope: Mapping[str, Any] | None = None,
    ) -> int:
        """Record the start of a run; returns its id. `scope` defaults to that of the job."""
        of = grader_id, self.sheet.id, self.rubric_id, scope or self.scope()
        return runs.start(store, *of, [shot.id for shot in self.shots], expected, budget)


@dataclass(frozen=True, kw_only=True)
class RubricJob(Job):
    """Grades by a rubric that a judge has left to give; a task is a content, part and repeat.

    `scored` are the (item, criterion, repeat) of `pending` and `cached` that have a score already,
    which stays. `again` narrows it to some contents and repeats. `in_batch` counts what an open
    batch asks, which is in none of them.
    """

    kind = "judge"

    rubric: Rubric
    scored: frozenset[tuple[int, str, int]] = frozenset()
    again: Again | None = None
    in_batch: int = 0

    def renewed(self, store: Store) -> Self:
        """Return the same job, read from the store again."""
        of = self.judge, self.rubric_id, self.rubric, self.sheet
        return prepare(store, *of, self.repeats, self.limit, self.retry_unscored, self.again)

    def definition(self) -> dict[str, Any]:
        """Return what is stored of the judge as a grader."""
        return super().definition() | {"rubric": self.rubric.name}

    def scope(self) -> dict[str, Any]:
        """Return the scope of a run, as stored with it."""
        if self.again is None:
            return super().scope()
        more = {"first_repeat": self.again.first, "purpose": self.again.purpose}
        return super().scope() | more


def prepare(
    store: Store,
    judge: Judge,
    rubric_id: int,
    rubric: Rubric,
    sheet: Sheet,
    repeats: int = 1,
    limit: int | None = None,
    retry_unscored: bool = False,
    again: Again | None = None,
) -> RubricJob:
    """Find out what a judge, overrides applied, has still to do on a sheet.

    Each item gets `repeats` separate replies in all. `limit` takes only the first so many items;
    `retry_unscored` asks again where an earlier reply gave no score; `again` takes only its
    contents, and only the repeats from its first.
    """
    as_of = store.changes()
    examples = tuple(few_shot.gather(store, judge, rubric, sheet))
    identity = fingerprint(judge, rubric, examples)
    grader = graders.find(store, "judge", f"{judge.name}@{identity}")
    shut = closed(store, judge, rubric, sheet, examples)
    by_content, number_closed = _by_content(store, sheet, shut, limit, again)
    numbers = range(again.first if again else 1, repeats + 1)
    versions = rubric.versions()
    places = {name: place for place, name in enumerate(versions)}
    asked = {
        part: {criterion.name: places[criterion.name] for criterion in criteria}
        for part, criteria in parts(judge, rubric).items()
    }
    known = (store, sheet.id, grader.id, [*versions.values()]) if grader else None
    left = _left(
        ((n, c, p) for n in numbers for c in by_content.items() for p in asked.items()),
        grades.standing(*known) if known else {},
        runs.good(store, grader.id, sheet.id) if grader else set(),
        batches.in_flight(store, grader.id) if grader else set(),
        retry_unscored,
    )
    return RubricJob(
        judge=judge,
        rubric=rubric,
        rubric_id=rubric_id,
        sheet=sheet,
        shots=examples,
        fingerprint=identity,
        repeats=repeats,
        limit=limit,
        retry_unscored=retry_unscored,
        closed=number_closed,
        again=again,
        as_of=as_of,
        **left,
    )


def _by_content(
    store: Store, sheet: Sheet, shut: set[int], limit: int | None, again: Again | None
) -> tuple[dict[str, list[int]], int]:
    """The items that may be asked about by the hash of their content; how many may not be."""
    found, number_open, number_closed = defaultdict(list), 0, 0
    for item_id, question_id, content_hash in items.hashes(store, sheet.id):
        if question_id in shut:
            number_closed += 1
            continue
        number_open += 1
        within = limit is None or number_open <= limit
        if within and (again is None or content_hash in again.contents):
            found[content_hash].append(item_id)
    return found, number_closed


def stored_form(judge: Judge) -> dict[str, Any]:
    """The judge as it is stored: with the address it is asked at.

    So it stays the same judge when OPENAI_BASE_URL changes.
    """
    as_it_is = judge.model is None or judge.endpoint.azure_endpoint is not None
    return json.loads((judge if as_it_is else judge.with_overrides(base_url=judge.url())).body())


def closed(
    store: Store, judge: Judge, rubric: Rubric, sheet: Sheet, examples: tuple[Shot, ...]
) -> set[int]:
    """The questions that no figure will score, so that asking about them would be waste."""
    plan = judge.example_plan()
    shown = [origin(shot.item) for shot in examples]
    if plan is not None and plan.source == "rubric":
        shown += rubric_origins(rubric)
    return splits.leaked(store, sheet.id, shown)


def states(
    store: Store, sheet: Sheet, rubric: Rubric, judge_id: int
) -> dict[tuple[int, str, int], str]:
    """Status by (item, criterion, repeat) of what the judge has settled or failed on."""
    names = {version: name for name, version in rubric.versions().items()}
    return {
        (row["item_id"], names[row["version"]], row["repeat"]): row["status"]
        for row in grades.statuses(store, sheet.id, judge_id)
        if row["version"] in names
    }


def _left(
    questions: Iterable[tuple[int, tuple[str, list[int]], tuple[str, dict[str, int]]]],
    standing: dict[tuple[int, int], tuple[str | None, ...]],
    good: set[tuple[str, str, int]],
    in_flight: set[tuple[str, str, int]],
    retry_unscored: bool,
) -> dict[str, Any]:
    """Sort every (repeat, content with its items, part with its criteria) by what it needs.

    The result has the fields of `RubricJob` that depend on what is stored.

    A criterion comes with its place in the statuses of an item. What failed before comes last, so
    that a few answers that a server always refuses do not end each run before it has begun.
    """
    pending, failed, cached, scored, settled, before = [], [], [], set(), 0, Counter()
    for repeat, (content_hash, item_ids), (part, criteria) in questions:
        left, met = [], set()
        for item_id in item_ids:
            if known := standing.get((item_id, repeat)):
                found = {name: known[place] for name, place in criteria.items()}
                if _is_settled(found, retry_unscored):
                    settled += 1
                    continue
                scored |= {(item_id, n, repeat) for n, s in found.items() if s == "scored"}
                met |= {*found.values()} - {None, "scored"}
            left.append(item_id)
        if not left:
            continue
        task = Task(content_hash, part, repeat, tuple(left))
        if (content_hash, part, repeat) in good:
            cached.append(task)
        elif (content_hash, part, repeat) in in_flight:
            before["in_batch"] += 1
        else:
            (failed if "failed" in met else pending).append(task)
            before["failed" if "failed" in met else "retried"] += bool(met)
    counts = {name: before[name] for name in ("failed", "retried", "in_batch")}
    found = {"pending": pending + failed, "cached": cached, "settled": settled}
    return {**found, "scored": frozenset(scored), **counts}


def _is_settled(found: dict[str, str | None], retry_unscored: bool) -> bool:
    """True where an item needs no request, from the status of each criterion."""
    if retry_unscored:
        return all(status == "scored" for status in found.values())
    return all(status not in (None, "failed") for status in found.values())
