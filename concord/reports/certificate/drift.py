"""Drift: changes of the model a server reports behind a judge."""

from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

from concord.clock import day_of
from concord.messages import joined, minute, said
from concord.model import Grader, Sheet
from concord.reports.certificate import recheck
from concord.reports.certificate.certificate import of_sheet
from concord.store import certificates, graders, runs
from concord.store.database import Row, Store

# Of the time that two identities span together, how much of it both may answer in where one
# follows the other: requests in flight at the change land later.
OVERLAP = 0.1


class Drift(NamedTuple):
    """A change of the model a server reports behind a judge: since when, and in words."""

    at: str
    sentence: str


class _Answering(NamedTuple):
    """One identity that a server gave: model and system fingerprint, from when to when, in what."""

    model: str | None
    system: str | None
    since: str
    until: str
    runs: frozenset[int]


def drift(store: Store, sheet_id: int, judge: Grader) -> list[Drift]:
    """Return every change of the model or system fingerprint that a server reported, oldest first.

    Each says whether the judge's certificate of the sheet is older. With a larger sibling,
    alternating models are not a change.
    """
    definition = judge.definition.get("judge") or {}
    found = _answering(runs.answering(store, judge.id, bool(definition.get("embedding"))))
    certified = certificates.newest_at(store, sheet_id, judge.id)
    larger = bool(definition.get("larger"))
    drifts = []
    for before, after in pairwise(found):
        by_turns = _overlap(before, after) > OVERLAP
        if by_turns and larger and before.model != after.model:
            continue
        words = _by_turns(before, after) if by_turns else _changed(before, after)
        if certified and certified < after.since:
            older = said("Its certificate of {day} was written before that.", day=day_of(certified))
            words = joined(" ", [words, older])
        drifts.append(Drift(after.since, words))
    return drifts


def news(store: Store, sheet: Sheet, moment: str) -> list[str]:
    """Return changes of the models behind a sheet's judges since a moment, and recheck results."""
    active = runs.active_since(store, sheet.id, moment)
    changes = []
    for judge_id in dict.fromkeys(row["grader_id"] for row in active):
        judge = graders.get(store, judge_id)
        changes += [
            said("{name}: {what}", name=judge.name, what=one.sentence)
            for one in drift(store, sheet.id, judge)
            if one.at >= moment
        ]
    return changes + _rechecks(store, sheet, active)


def _rechecks(store: Store, sheet: Sheet, active: list[Row]) -> list[str]:
    """The outcome of every certificate that was rechecked lately."""
    purposes = {runs.scope(row).get("purpose") for row in active if row["status"] != "running"}
    if not any(purpose and recheck.is_purpose(purpose) for purpose in purposes):
        return []
    asked = [one for one in of_sheet(store, sheet.id) if recheck.purpose(one) in purposes]
    found = {one.judge.name: recheck.newest(store, one) for one in asked}
    return [
        said("{judge} was rechecked. {result}", judge=name, result=one.sentence)
        for name, one in found.items()
        if one
    ]


def _answering(rows: list[Row]) -> list[_Answering]:
    """The identities in the order in which they first answered."""
    by: dict[tuple, list[Row]] = {}
    for row in rows:
        by.setdefault((row["model"], row["system_fingerprint"]), []).append(row)
    found = [
        _Answering(
            *identity,
            min(row["since"] for row in mine),
            max(row["until"] for row in mine),
            frozenset(row["run_id"] for row in mine if row["run_id"]),
        )
        for identity, mine in by.items()
    ]
    return sorted(found, key=lambda one: (one.since, one.until))


def _overlap(before: _Answering, after: _Answering) -> float:
    """The share of the time both span in which both answered."""
    both = _seconds(after.since, min(before.until, after.until))
    span = _seconds(before.since, max(before.until, after.until))
    return max(0.0, both) / span if span else 0.0


def _seconds(since: str, until: str) -> float:
    return (datetime.fromisoformat(until) - datetime.fromisoformat(since)).total_seconds()


def _changed(before: _Answering, after: _Answering) -> str:
    at = minute(after.since)
    since = said(
        "From {at} on, in the middle of a run" if before.runs & after.runs else "From {at} on",
        at=at,
    )
    if before.model == after.model:
        return said(
            "{since}, {model} answers with the system fingerprint {now} instead of {before}.",
            since=since,
            model=after.model or said("the model"),
            now=after.system or said("none"),
            before=before.system or said("none"),
        )
    return said(
        "{since}, the server answers as {now} instead of {before}.",
        since=since,
        now=_named(after),
        before=_named(before),
    )


def _by_turns(before: _Answering, after: _Answering) -> str:
    at = minute(after.since)
    return said(
        "Since {at} the server alternates between {one} and {other}.",
        at=at,
        one=_named(before),
        other=_named(after),
    )


def _named(one: _Answering) -> str:
    model = one.model or said("an unnamed model")
    return said("{model} ({system})", model=model, system=one.system) if one.system else model
