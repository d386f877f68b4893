"""Outcome of running a combined judge, for the command line and the screens."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from concord.judges.combined.run import CombinedRun, run_combined
from concord.judges.definition.model import Judge
from concord.judges.running.progress import Counts
from concord.messages import Problem, joined, said
from concord.store import sheets
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

FREE = said("It sends no request and costs nothing.")


@dataclass(frozen=True)
class CombinedOutcome:
    """Outcome of combining stored grades; `run` is None if it was only estimated."""

    name: str
    status: str
    said: str
    run: CombinedRun | None = None
    failed: bool = False

    @property
    def counts(self) -> Counts:
        """The counts of a run, as those of a judge that is asked: all scored, no request sent."""
        return Counts(statuses=Counter(scored=self.run.stored if self.run else 0))

    def sentence(self) -> str:
        """The outcome in words."""
        return f"{self.name}: {self.said}"

    def as_json(self) -> dict[str, Any]:
        """The outcome for `--json`, with the keys of a judge's run and what it was made of."""
        shared = {
            "judge": self.name,
            "status": self.status,
            "said": self.said,
            "failed": self.failed,
            "estimate": {} if self.run else {"calls": 0},
            "counts": {"grades": self.run.stored} if self.run else {},
        }
        if self.run is None:
            return shared
        found = self.run.found
        return shared | {
            "fingerprint": found.fingerprint,
            "rule": found.judge.rule,
            "members": [one.label() for one in found.members],
            "fit": found.fit.digest if found.fit else None,
            "frozen": found.judge.fit is not None,
            "error_correlations": [one.to_json() for one in found.correlations],
        }


def carry_out(
    store: Store, judge: Judge, rubric_name: str | None, sheet_name: str | None, estimate: bool
) -> CombinedOutcome:
    """Combine the stored grades of a sheet; only say what that costs with `estimate`.

    Raises:
        Problem: A member has no grades, or nothing could be combined.
    """
    if estimate:
        return CombinedOutcome(judge.name, "estimated", FREE)
    rubric_id, rubric = rubric_versions.argument(store, rubric_name or judge.rubric)
    run = run_combined(store, sheets.chosen(store, sheet_name), rubric_id, rubric, judge)
    if not run.found.presses:
        raise Problem(joined(" ", [run.sentence(), said("Grade more answers, then run it again.")]))
    return CombinedOutcome(judge.name, "done", run.sentence(), run)
