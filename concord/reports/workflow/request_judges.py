"""Request judges: the models that draft or answer for a sheet, their runs, and what is left."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import NamedTuple

from concord.judges.building.requests import RequestJob
from concord.judges.definition import model, registry
from concord.judges.definition.model import Judge
from concord.judges.running.cost_estimate import Estimate, price_in_words
from concord.judges.running.run_lock import RunLocation, of_asker
from concord.messages import Said, counted, said
from concord.reports.workflow import run_offer
from concord.reports.workflow import runs as workflow_runs
from concord.reports.workflow.runs import State
from concord.store import graders, runs
from concord.store.database import Store

DO = {"drafts": said("Draft questions"), "answers": said("Generate answers")}
NOTHING = run_offer.NOTHING


@dataclass(frozen=True)
class RequestScope:
    """Scope of a run of drafting or answering.

    Attributes:
        purpose: `drafts` or `answers`.
        judge: The judge whose endpoint and settings it used, as commands name it.
        model: The model.
        base_url: The address it called, where the judge names another one; '' where it does not.
        questions: The most questions per document; None for answering.
    """

    purpose: str
    judge: str
    model: str
    base_url: str = ""
    questions: int | None = None


class Stand(NamedTuple):
    """State of a model's newest run for a sheet."""

    model: str
    place: RunLocation
    state: State

    def look(self, store: Store) -> State:
        """Return the run's current state."""
        return workflow_runs.at(store, where=self.place)


class RemainingRequests(NamedTuple):
    """Models with remaining requests, the number of calls and their USD (None: unknown)."""

    jobs: list[RequestJob]
    calls: int
    cost: tuple[Decimal, Decimal] | None

    def label(self, purpose: str, begun: bool) -> str:
        """Return the button's label with the price."""
        if not self.jobs:
            return NOTHING
        if not self.calls:
            return said("Store known replies, free")
        values = {
            "do": said("Resume") if begun else DO[purpose],
            "calls": counted(self.calls, "request"),
            "price": price_in_words(self.cost),
        }
        if len(self.jobs) == 1:
            return said("{do}: {calls}, {price}", **values)
        return said("{do}: {calls} of {n} models, {price}", n=len(self.jobs), **values)

    def why_not(self, no_key: Said | None) -> Said | None:
        """Return why no run can be started, `no_key` for want of a key; None where one can."""
        if not no_key and not self.jobs:
            return said(
                "Nothing is left to ask. To repeat requests without a usable reply, open “Speed "
                "and retries”."
            )
        return no_key


def states(store: Store, sheet_name: str, purpose: str, jobs: Sequence[RequestJob]) -> list[Stand]:
    """Return every model with a run for the sheet, or with a process of `works` starting."""
    known = {
        of_asker(row["asker"], sheet_name).log: (runs.scope(row)["model"], row["asker"])
        for row in runs.newest_of_sheet(store, sheet_name, purpose)
    }
    known |= {p.place().log: (p.judge.model, p.identity) for p in jobs}
    found = []
    for name, asker in known.values():
        place = of_asker(asker, sheet_name)
        found.append(Stand(name, place, workflow_runs.at(store, place)))
    return [stand for stand in found if stand.state.phase != "never"]


def remaining(
    store: Store, jobs: Sequence[RequestJob], expected: Sequence[Estimate]
) -> RemainingRequests:
    """Return the remaining work: requests, or replies that are known already."""
    todo = [
        (job, one)
        for job, one in zip(jobs, expected, strict=True)
        if one.calls or job.unused(store)
    ]
    costs = [one.cost for _, one in todo if one.calls]
    cost = None
    if None not in costs:
        cost = sum((low for low, _ in costs), Decimal()), sum((h for _, h in costs), Decimal())
    return RemainingRequests([job for job, _ in todo], sum(one.calls for _, one in todo), cost)


def budget(stands: Sequence[Stand], jobs: Sequence[RequestJob]) -> float | None:
    """The smallest budget, in USD, that the newest run of one of these had; None for no limit."""
    logs = {job.place().log for job in jobs}
    known = [stand.state.budget for stand in stands if stand.place.log in logs]
    return min((usd for usd in known if usd is not None), default=None)


def has_begun(store: Store, jobs: Sequence[RequestJob]) -> bool:
    """True where each of these has a run for the sheet."""
    return all(job.place().newest(store) for job in jobs)


def last(store: Store, sheet_name: str, purpose: str) -> RequestScope | None:
    """Return the scope of the newest run of a purpose for a sheet; None without one.

    Before any answering it is that of the newest drafting, since answers usually come from the
    same server.
    """
    found = _scopes(store, sheet_name, purpose)
    return found[-1] if found else None


def models_before(store: Store, sheet_name: str, purpose: str, judge: Judge) -> list[str]:
    """The models that were asked for a sheet by way of a judge; before any answering, to draft."""
    scopes = _scopes(store, sheet_name, purpose)
    found = dict.fromkeys(scope.model for scope in scopes if scope.judge == judge.name)
    return list(found)[-1:] if scopes and scopes[-1].purpose == "drafts" else list(found)


def url_before(scope: RequestScope | None, judge: Judge) -> str:
    """Return the address a run called, where the judge names another; '' where it does not."""
    called = scope.base_url if scope and scope.judge == judge.name else ""
    return "" if called == judge.url() else called


def available_judges(store: Store) -> dict[str, str]:
    """Return every judge whose model can be used for other requests: name and description.

    Retired ones come last and say so.
    """
    shipped = {name: judge for name, judge in model.presets().items() if judge.model}
    kept = {g.label(): registry.stored(g) for g in graders.of_kind(store, "judge")}
    every = shipped | {name: judge for name, judge in kept.items() if judge and judge.model}
    words = {
        n: said("{judge} · retired", judge=n) if run_offer.is_retired(j) else n
        for n, j in every.items()
    }
    return dict(sorted(words.items(), key=lambda one: one[0] != one[1]))


def position(names: Sequence[str], wanted: str | None) -> int:
    """Return the index of a judge, by name or by name and fingerprint; else the first."""
    exact = [n for n, name in enumerate(names) if name == wanted]
    alike = [n for n, name in enumerate(names) if name.partition("@")[0] == wanted]
    return next(iter([*exact, *alike]), 0)


def _scopes(store: Store, sheet_name: str, purpose: str) -> list[RequestScope]:
    """Return the scopes of the runs of a purpose; before any answering, those of drafting."""
    found = runs.newest_of_sheet(store, sheet_name, purpose)
    found = found or runs.newest_of_sheet(store, sheet_name, "drafts")
    names = [field.name for field in fields(RequestScope)]
    bodies = map(runs.scope, found)
    return [RequestScope(**{name: body[name] for name in names if name in body}) for body in bodies]
