"""Run of a combined judge over a sheet: what is new or differs is stored, as one run."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from concord.judges.combined.combine import Combination, combine
from concord.judges.definition import registry
from concord.judges.definition.model import Judge
from concord.judges.running.progress import Counts
from concord.messages import Problem, joined, said
from concord.model import Grader, Sheet
from concord.rubrics.model import Rubric
from concord.store import grades, runs, sheets
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

FREE = said("It sends no request and costs nothing.")


class CombinedRun(NamedTuple):
    """A run of a combined judge: how many grades were stored now, and what it was made from."""

    found: Combination
    stored: int

    def sentence(self) -> str:
        """The outcome in words."""
        left = [*self._lacking()]
        if not self.found.presses:
            alike = said("No answer was graded by all members. Run them on the same answers.")
            return joined(" ", left or [alike])
        if not self.stored:
            text = said("It has already combined the same grades.")
        elif self.found.out_of_fold:
            text = said(
                "Stored {n:,} grades; {m:,} are by a fit to other questions.",
                n=self.stored,
                m=self.found.out_of_fold,
            )
        else:
            text = said("Stored {n:,} grades.", n=self.stored)
        return joined(" ", [text, *self._without_score(), *left])

    def _lacking(self) -> Iterator[str]:
        """Sentences on why criteria have no scores, each reason once."""
        named: dict[str, list[str]] = {}
        for name, why in self.found.lacking.items():
            named.setdefault(why, []).append(name)
        for why, names in named.items():
            yield said("{criterion}: {why}", criterion=joined(", ", names), why=why)

    def _without_score(self) -> Iterator[str]:
        """Sentences on the answers that have no score."""
        statuses = Counter(one.status for one in self.found.presses)
        if n := statuses["not_applicable"]:
            yield said("Without a score, as the rule was fitted to their question: {n:,}.", n=n)
        if n := statuses["missing_input"]:
            yield said("Without a score, as a member gave none: {n:,}.", n=n)
        if self.found.waiting:
            yield said("Waiting for a member's grade: {n:,}.", n=self.found.waiting)


def run_combined(
    store: Store, sheet: Sheet, rubric_id: int, rubric: Rubric, judge: Judge
) -> CombinedRun:
    """Combine what is stored and store what is new or differs; the same grades change nothing.

    Raises:
        Problem: A member has no grades on the sheet, or cannot be a member.
    """
    found = combine(store, sheet, rubric, judge)
    if not found.presses:
        return CombinedRun(found, 0)
    with store.write():
        grader_id = found.register(store)
        known = _stored(store, sheet, grader_id)
        new = [
            one._replace(grader_id=grader_id)
            for one in found.presses
            if known.get((one.item_id, one.version)) != (one.status, one.score)
        ]
        if new:
            run_id = runs.start(store, grader_id, sheet.id, rubric_id, {}, [], {"calls": 0}, None)
            grades.record(store, [one._replace(run_id=run_id) for one in new])
            done = len({one.item_id for one in found.presses})
            runs.finish(store, run_id, "done", "", {"total": done, "done": done, "cost": 0.0})
    return CombinedRun(found, len(new))


def _stored(
    store: Store, sheet: Sheet, grader_id: int
) -> dict[tuple[int, str], tuple[str, float | None]]:
    """Status and score of the judge's current grades by (item, version)."""
    rows = grades.first_grades(store, sheet.id, grader_id)
    return {(row["item_id"], row["version"]): (row["status"], row["score"]) for row in rows}


def freeze(grader: Grader) -> Judge:
    """Return the judge with its members as they were and the one fit to all graded questions.

    Raises:
        Problem: It is no combined judge that has run here.
    """
    kept = registry.stored(grader)
    if kept is None or kept.kind != "combined":
        raise Problem(
            "{judge} is not a combined judge that has run here, so there is no fit to freeze. Run "
            "it with `judge` first.",
            judge=grader.label(),
        )
    fit = grader.definition.get("fit")
    return kept.changed({"members": tuple(grader.definition["members"]), "fit": fit})


@dataclass(frozen=True)
class CombinedOutcome:
    """Outcome of combining stored grades; `run`: None for an estimate."""

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
        # New grades change neither a frozen fit nor which answers the members graded.
        may_fit = run.found.lacking and judge.fit is None
        remedy = said("Grade more answers, then run it again.") if may_fit else ""
        raise Problem(joined(" ", [run.sentence(), remedy]))
    return CombinedOutcome(judge.name, "done", run.sentence(), run)
