"""Recheck: the anchors of a certificate asked again, and whether the judge still scores alike."""

import json
from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from concord.clock import a_day_ago
from concord.judges.running.job import Again, Job
from concord.language.plurals import counted
from concord.messages import said
from concord.problems import Problem
from concord.reports.certificate.anchor_items import asked_again, scores, table
from concord.rubrics.model import Rubric
from concord.sampling.anchors import last_repeat
from concord.stats.comparison.drift_test import (
    DOUBT_AT,
    RENEWED,
    VOID,
    heartbeat,
    noticeable,
    verdict,
    void_at,
)
from concord.store import graders, grades, runs, sheets
from concord.store.database import Row, Store
from concord.store.graders import Grader
from concord.store.rubrics import rubric_versions
from concord.store.sheets import Sheet

# The change that must not go unnoticed where no margin was fixed.
TOLERATED = 0.1


class Certified(NamedTuple):
    """What a certificate is about, as the store knows it."""

    sheet: Sheet
    rubric: Rubric
    judge: Grader


def prepare(store: Store, body: Mapping, replies: int | None = None) -> Job:
    """The job that asks a certificate's anchors again, with replies of their own.

    They get numbers that no reply has, so that nothing comes from the cache. A recheck of the last
    day that did not go through is gone on with.

    Args:
        store: The open store.
        body: The certificate.
        replies: How many replies to each anchor; as many as were certified where it is None.

    Raises:
        Problem: The certificate carries no anchors, or its sheet or judge is not here.
    """
    kept, of = anchors(body), certified(store, body)
    names = [item["content"] for item in kept["items"]]
    open_run = _unfinished(store, body, of)
    if open_run is not None:
        numbers = _numbers(open_run)
    else:
        first = last_repeat(store, of.judge.id, names) + 1
        numbers = range(first, first + (replies or kept["repeats"]))
    again = Again(frozenset(names), numbers[0], purpose(body))
    return asked_again(store, of.sheet, of.rubric, of.judge, again, numbers[-1])


def newest(store: Store, body: Mapping) -> dict | None:
    """What the newest recheck of a certificate found; None where there was none.

    Returns:
        As `read`.
    """
    if not body.get("anchors"):
        return None
    try:
        of = certified(store, body)
    except Problem:  # the sheet or the judge is not here, so nobody has asked it
        return None
    rows = runs.of_purpose(store, of.sheet.id, of.judge.id, purpose(body))
    return read(store, body, rows[0]) if rows else None


def read(store: Store, body: Mapping, run: Row) -> dict:
    """Hold the replies of a recheck against the certified ones.

    Returns:
        `verdict` (`renewed`, `cannot_tell`, `void`), `sentence`, `scores` (n), `questions`,
        `expected` and `seen` flips, `p_value`, `noticeable` (the smallest share of scores that
        would be noticed), `tolerated`, `missing` replies, `recheck` (which it is), `rechecks` (how
        many share the error), `void_at` (null where it is spent), `asked_at`, `run`.
    """
    kept, of, numbers = body["anchors"], certified(store, body), _numbers(run)
    then, cluster = table(kept)
    now = _now(store, kept, of, numbers)
    found, whole = heartbeat(then, now, cluster), not np.isnan(now).any()
    smallest = kept["noticeable"]
    if len(numbers) != kept["repeats"]:
        smallest = _smallest(json.dumps(kept), len(numbers))
    tolerated = (body["decision"] or {}).get("margin") or TOLERATED
    number, rechecks = _number(store, body, of, run), shared_by(body)
    level = void_at(number, rechecks)
    outcome = {
        "verdict": verdict(found.p_value, smallest, tolerated, whole, level),
        **found._asdict(),
        "noticeable": smallest,
        "tolerated": tolerated,
        "missing": int(np.isnan(now).sum()),
        "recheck": number,
        "rechecks": rechecks,
        "void_at": level,
        "asked_at": run["started_at"],
        "run": run["id"],
    }
    return outcome | {"sentence": sentence(outcome)}


def sentence(outcome: Mapping) -> str:
    """The outcome in words, with n, flips expected and seen, and p."""
    if outcome["p_value"] is None:
        return said("Cannot tell: {why}.", why=outcome["why_none"])
    told = said(
        "{seen:.1f} of {scores} flipped, where the judge's own noise lets {expected:.1f} flip "
        "({p}, {questions})",
        seen=outcome["seen"],
        scores=counted(outcome["scores"], "score"),
        expected=outcome["expected"],
        p=_p(outcome["p_value"]),
        questions=counted(outcome["questions"], "question"),
    )
    if outcome["verdict"] == VOID:
        return said(
            "Void: {flips}. The judge does not score as it was certified; calibrate again.",
            flips=told,
        )
    if outcome["verdict"] == RENEWED:
        return said(
            "Renewed: {flips}; a change of {share:.0%} of the scores would mostly be noticed.",
            flips=told,
            share=outcome["noticeable"],
        )
    return said("Cannot tell: {flips}. {why}", flips=told, why=_why(outcome))


def shared_by(body: Mapping) -> int:
    """How many rechecks share the error of a certificate: one a day as long as it lives."""
    made, expires = (date.fromisoformat(body[key][:10]) for key in ("made_at", "expires_at"))
    return max(1, (expires - made).days)


def anchors(body: Mapping) -> dict:
    """What a certificate carries to be asked again; a Problem where it carries nothing."""
    if not body.get("anchors"):
        raise Problem(
            "This certificate carries no anchors, so there is nothing to ask again. Write one with "
            "`certificate JUDGE --anchors 30 --json > FILE`."
        )
    return body["anchors"]


def purpose(body: Mapping) -> str:
    """What the run of a recheck is for, as it is kept with it."""
    return f"{grades.RECHECK} {body['digest']}"


def is_purpose(purpose: str) -> bool:
    """Whether a run was a recheck of some certificate."""
    return purpose.startswith(f"{grades.RECHECK} ")


def certified(store: Store, body: Mapping) -> Certified:
    """The sheet, the rubric and the judge of a certificate; a Problem where one is not here."""
    sheet = sheets.chosen(store, body["sheet"]["name"])
    rubric = rubric_versions.of_digest(store, body["rubric"]["name"], body["rubric"]["digest"])
    name, identity = body["judge"]["name"], body["judge"]["fingerprint"]
    judge = graders.find(store, body["judge"]["kind"], f"{name}@{identity}")
    if rubric is None or judge is None:
        missing = f"judge {name}" if judge is None else f"rubric {body['rubric']['name']}"
        raise Problem(
            f"This database does not hold the {missing} of the certificate. Name the database that "
            "it was made from with --db."
        )
    return Certified(sheet, rubric, judge)


def _unfinished(store: Store, body: Mapping, of: Certified) -> Row | None:
    """The newest recheck, where it is of the last day and lacks replies."""
    rows = runs.of_purpose(store, of.sheet.id, of.judge.id, purpose(body))
    if not rows or rows[0]["started_at"] < a_day_ago():
        return None
    lost = np.isnan(_now(store, body["anchors"], of, _numbers(rows[0]))).any()
    return rows[0] if lost else None


def _number(store: Store, body: Mapping, of: Certified, run: Row) -> int:
    """Which recheck of the certificate a run is, counted from 1."""
    rows = runs.of_purpose(store, of.sheet.id, of.judge.id, purpose(body))
    return sum(row["id"] <= run["id"] for row in rows)


def _numbers(run: Row) -> range:
    """The numbers of a recheck's replies."""
    scope = runs.scope(run)
    return range(scope["first_repeat"], scope["repeats"] + 1)


def _now(store: Store, kept: Mapping, of: Certified, numbers: range) -> np.ndarray:
    """(n, R) the scores of these replies, in the order of `anchor_items.table`."""
    names = [item["content"] for item in kept["items"]]
    found = scores(store, of.sheet, of.rubric, of.judge, names, numbers)
    return np.array([found[item["content"], c] for item in kept["items"] for c in item["scores"]])


@lru_cache(maxsize=64)
def _smallest(kept: str, replies: int) -> float | None:
    """The smallest change noticed with another number of replies; simulated once, not per view."""
    then, cluster = table(json.loads(kept))
    return noticeable(then, replies, cluster)


def _p(value: float) -> str:
    return "p < .0001" if value < 0.0001 else f"p = {value:.2g}".replace("0.", ".", 1)


def _why(outcome: Mapping) -> str:
    """Why it cannot be told, and what to do."""
    if outcome["missing"]:
        if outcome["missing"] == 1:
            return said("1 score is missing, since replies did not come: repeat the command.")
        return said(
            "{n:,} scores are missing, since replies did not come: repeat the command.",
            n=outcome["missing"],
        )
    if outcome["p_value"] <= DOUBT_AT and outcome["void_at"] is None:
        return said(
            "The error of all {n} rechecks of this certificate is spent, so none can be void: "
            "certify again.",
            n=outcome["rechecks"],
        )
    if outcome["p_value"] <= DOUBT_AT:
        return said("That is more than chance mostly brings: ask again, with a higher --repeat.")
    return said(
        "A change under {small:.0%} of the scores might go unnoticed, and {tolerated:.0%} is the "
        "most that may: ask with a higher --repeat, or certify anew with more anchors."
        if outcome["noticeable"]
        else "A change of any size of the scores might go unnoticed, and {tolerated:.0%} is the "
        "most that may: ask with a higher --repeat, or certify anew with more anchors.",
        small=outcome["noticeable"],
        tolerated=outcome["tolerated"],
    )
