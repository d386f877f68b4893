"""Common part of the plans of judges over sheets, by rubric or for metrics."""

from abc import abstractmethod
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from concord.judges.definition.model import Judge
from concord.judges.running import run_lock
from concord.judges.running.command_line import argument, command
from concord.judges.running.engine import Options, Plan
from concord.judges.running.run_lock import Place, of_judge
from concord.judges.running.run_loop import FAILED
from concord.messages import said
from concord.store.database import Store

TOO_LONG_IN_A_ROW = said(
    "{n} answers in a row do not fit the model, so the run stopped. The last: {why} Name a model "
    "with room for them, or `larger` in the judge file, and run it again; for the same judge on a "
    "server with more room, add --retry-unscored."
)
BREAKING = {"failed": FAILED, "too_long": TOO_LONG_IN_A_ROW}


@dataclass(frozen=True)
class JudgePlan(Plan):
    """A judge's remaining work on a sheet; `grader_id` is known under the lock.

    `job` has a judge and a sheet (`running.job.Job`, `metric_runs.job.MetricJob`).
    """

    job: Any
    grader_id: int | None = None

    @property
    def judge(self) -> Judge:
        """The judge that is asked."""
        return self.job.judge

    @property
    def sheet_name(self) -> str:
        """The sheet that the run is for."""
        return self.job.sheet.name

    @abstractmethod
    def register(self, store: Store) -> int:
        """Register the judge as a grader; returns its id."""

    def place(self, store: Store) -> Place:
        """Return the location of its runs."""
        return of_judge(self.job.sheet.id, self.register(store))

    @contextmanager
    def held(self, store: Store, wanted: Collection[str]) -> Iterator[int]:
        """Hold the lock of this judge and sheet; yields the judge's id as a grader.

        Raises:
            Problem: Another run of this judge may ask about the same contents, by their hashes.
        """
        job, grader_id = self.job, self.register(store)
        with run_lock.held_off(store, job.judge.name, job.sheet, grader_id, wanted):
            yield grader_id

    def command(self, db: str, argument: str, options: Options) -> list[str]:
        """The command line that does the same."""
        return judge_command(db, argument, self.sheet_name, options)


def judge_command(db: str, argument_: str, sheet: str, options: Options) -> list[str]:
    """The command line of `judge` for one judge and sheet."""
    given = {
        "sheet": sheet,
        "model": options.model,
        "base-url": options.base_url,
        "rubric": options.rubric,
        "concurrency": options.concurrency,
        "repeat": options.repeats,
        "limit": options.limit,
        "budget": options.budget,
        "metrics": ",".join(options.metrics) or None,
    }
    flags = ("retry-unscored", "batch", "cancel-batch")
    chosen = [flag for flag in flags if getattr(options, flag.replace("-", "_"))]
    return command(db, "judge", given, [*chosen, "yes"], argument(argument_))
