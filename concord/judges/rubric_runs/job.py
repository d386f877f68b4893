"""The job of a rubric run: the grades that a judge has still to give on a sheet."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import Any, Self

from concord.judges import few_shot
from concord.judges.definition.model import Judge
from concord.judges.definition.prices import Price
from concord.judges.prompting.request import fingerprint, requests_digest
from concord.judges.rubric_runs import tasks
from concord.judges.rubric_runs.completion import Exchange
from concord.judges.rubric_runs.cost_estimate import estimate
from concord.judges.rubric_runs.run import RubricRun
from concord.judges.rubric_runs.tasks import Again
from concord.judges.running.cost_estimate import Estimate
from concord.judges.running.job import JudgeJob
from concord.model import Sheet
from concord.rubrics.model import Rubric
from concord.store import graders
from concord.store.database import Store
from concord.store.rubrics import rubric_versions


@dataclass(frozen=True, kw_only=True)
class RubricJob(JudgeJob):
    """Grades by a rubric that a judge has left to give; a task is a content, part and repeat.

    `scored` are the (item, criterion, repeat) of `pending` and `cached` that have a score already,
    which stays. `again` narrows it to some contents and repeats. `in_batch` counts what an open
    batch asks, which is in none of them. Stored replies of the judges with the ids `same`, with one
    of the statuses `reusable`, are those that `cached` takes.
    """

    kind = "judge"

    rubric: Rubric
    scored: frozenset[tuple[int, str, int]] = frozenset()
    again: Again | None = None
    in_batch: int = 0
    same: Sequence[int] = ()
    reusable: Sequence[str] = ()

    @cached_property
    def requests(self) -> str:
        """The identity of its requests, which judges with another reading rule share."""
        return requests_digest(self.judge, self.rubric, self.shots)

    def alike(self, store: Store) -> list[int]:
        """Return the ids of the judges that send the same requests, whatever rule reads them.

        Their replies are taken as its own, so that nothing is paid twice.
        """
        if not self.judge.is_read():
            return super().alike(store)
        return graders.with_requests(store, self.requests)

    def without_annotators(self, store: Store) -> str | None:
        """Return that annotators graded the sheet under other rubrics alone; None otherwise."""
        return rubric_versions.without_annotators(store, self.sheet, self.rubric.name)

    def renewed(self, store: Store) -> Self:
        """Return the same job, read from the store again."""
        of = self.judge, self.rubric_id, self.rubric, self.sheet
        how = self.repeats, self.limit, self.retry_unscored, self.again
        return prepare(store, *of, *how)

    def definition(self) -> dict[str, Any]:
        """Return what is stored of the judge as a grader."""
        found = super().definition() | {"rubric": self.rubric.name}
        if self.judge.reading_rule() is None:
            return found
        # By it the replies to the same requests are found, whatever rule reads them.
        return found | {"requests": self.requests}

    def scope(self) -> dict[str, Any]:
        """Return the scope of a run, as stored with it."""
        if self.again is None:
            return super().scope()
        return super().scope() | {
            "first_repeat": self.again.first,
            "purpose": self.again.purpose,
            "contents": sorted(self.again.contents),
        }

    def estimate(self, store: Store, prices: Sequence[Price] | None = None) -> Estimate:
        """Return the estimated calls, tokens and USD; `prices` are those of prices.toml."""
        return estimate(store, self, self.rubric, self.in_batch, prices)

    def exchange(self, store: Store, run_id: int, batch_of: date | None = None) -> Exchange:
        """Return what the requests of a run share; `batch_of` is the day a batch was submitted."""
        return Exchange(
            self.judge, self.shots, self.rubric, self.scored, self.register(store), run_id, batch_of
        )

    def run(self, store: Store, **state: Any) -> RubricRun:
        """Return the run that does it."""
        return RubricRun(**state, exchange=self.exchange(store, state["id"]))


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
    shots = tuple(few_shot.gather(store, judge, rubric, sheet))
    job = RubricJob(
        judge=judge,
        rubric=rubric,
        rubric_id=rubric_id,
        sheet=sheet,
        shots=shots,
        fingerprint=fingerprint(judge, rubric, shots),
        repeats=repeats,
        limit=limit,
        retry_unscored=retry_unscored,
        again=again,
        as_of=as_of,
    )
    return replace(job, **tasks.left(store, job, rubric, again))
