"""Recheck: new replies of the judge to the anchors of a certificate, to detect drift."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache

import numpy as np

from concord.clock import a_day_ago
from concord.judges.rubric_runs.job import RubricJob
from concord.judges.rubric_runs.tasks import Again
from concord.messages import Numeral, Problem, counted, on_command_line, said
from concord.reports.certificate.anchor_items import (
    Certified,
    asked_again,
    certified,
    scores,
    table,
)
from concord.reports.certificate.certificate import Anchor, Anchors, Certificate
from concord.reports.document import Column, Document, Table
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
from concord.store import grades, runs
from concord.store.database import Row, Store

# The change that must not go unnoticed where no margin was fixed.
TOLERATED = 0.1


@dataclass(frozen=True)
class Recheck:
    """The result of a recheck.

    Attributes:
        verdict: `renewed`, `cannot_tell` or `void`.
        scores: How many scores were compared, of `questions`.
        expected, seen: How many flipped by the judge's own noise, and observed; means over replies.
        p_value: How often an unchanged judge shows as many flips; None with `why_none`.
        noticeable: The smallest share of changed scores that is detected 4 times in 5.
        tolerated: The largest share that may go unnoticed.
        missing: Scores whose replies are missing.
        recheck: Which one it is, counted from 1; `rechecks` share the type I error.
        void_at: The p-value that voids the certificate; None where the error is spent.
        run: The run that asked.
    """

    verdict: str
    scores: int
    questions: int
    expected: float
    seen: float
    p_value: float | None
    why_none: str | None
    noticeable: float | None
    tolerated: float
    missing: int
    recheck: int
    rechecks: int
    void_at: float | None
    asked_at: str
    run: int
    sentence: str = ""


def prepare(store: Store, certificate: Certificate, replies: int | None = None) -> RubricJob:
    """Return the job that requests new replies to a certificate's anchors.

    The replies get unused repeat numbers, so that none comes from the cache. An unfinished recheck
    of the last day is resumed.

    Args:
        store: The open store.
        certificate: The certificate.
        replies: Number of replies per anchor; as many as certified where None.

    Raises:
        Problem: The certificate has no anchors, or its sheet or judge is not in the store.
    """
    kept, of = anchors(certificate), certified(store, certificate)
    names = [item.content for item in kept.items]
    open_run = _unfinished(store, certificate, of)
    if open_run is not None:
        numbers = _numbers(open_run)
    else:
        first = last_repeat(store, of.judge.id, names) + 1
        numbers = range(first, first + (replies or kept.repeats))
    again = Again(frozenset(names), numbers[0], purpose(certificate))
    return asked_again(store, of.sheet, of.rubric, of.judge, again, numbers[-1])


def newest(store: Store, certificate: Certificate) -> Recheck | None:
    """Return the result of the newest recheck of a certificate; None without one."""
    if not certificate.anchors:
        return None
    try:
        of = certified(store, certificate)
    except Problem:  # the sheet or the judge is not here, so it was not rechecked here
        return None
    rows = runs.of_purpose(store, of.sheet.id, of.judge.id, purpose(certificate))
    return read(store, certificate, rows[0]) if rows else None


def read(store: Store, certificate: Certificate, run: Row) -> Recheck:
    """Compare the replies of a recheck with the certified ones."""
    kept, of, numbers = anchors(certificate), certified(store, certificate), _numbers(run)
    then, cluster = table(kept.items)
    now = _now(store, kept.items, of, numbers)
    smallest = kept.noticeable
    if len(numbers) != kept.repeats:
        smallest = _smallest(tuple(map(tuple, then)), tuple(cluster), len(numbers))
    number, rechecks = _number(store, certificate, of, run), shared_by(certificate)
    result = Recheck(
        verdict="",
        **heartbeat(then, now, cluster)._asdict(),
        noticeable=smallest,
        tolerated=(certificate.decision.look.margin if certificate.decision else 0) or TOLERATED,
        missing=int(np.isnan(now).sum()),
        recheck=number,
        rechecks=rechecks,
        void_at=void_at(number, rechecks),
        asked_at=run["started_at"],
        run=run["id"],
    )
    found = verdict(result.p_value, smallest, result.tolerated, not result.missing, result.void_at)
    decided = replace(result, verdict=found)
    return replace(decided, sentence=headline(decided))


def headline(found: Recheck) -> str:
    """Return the verdict of a recheck with its reason or its remedy, in one sentence."""
    if found.p_value is None:
        return said("Inconclusive: {why}.", why=found.why_none)
    return said(
        _template(found),
        seen=Numeral(f"{found.seen:.1f}".removesuffix(".0")),
        scores=counted(found.scores, "score"),
        missing=counted(found.missing, "score"),
        rechecks=found.rechecks,
        tolerated=Numeral(f"{found.tolerated:.0%}"),
        on_command_line=on_command_line("`--repeat`"),
    )


def _template(found: Recheck) -> str:
    if found.verdict == VOID:
        return said(
            "Void: on average {seen} of {scores} changed, more than the judge's own noise "
            "explains; calibrate again."
        )
    if found.verdict == RENEWED:
        return said(
            "Renewed: on average {seen} of {scores} changed, no more than the judge's own noise "
            "explains."
        )
    if found.missing:
        return said("Inconclusive, with {missing} missing; run the recheck again.")
    if found.p_value <= DOUBT_AT and found.void_at is None:
        return said(
            "Inconclusive: the type I error of the planned rechecks ({rechecks}) is spent; certify "
            "again."
        )
    if found.p_value <= DOUBT_AT:
        return said(
            "Inconclusive: on average {seen} of {scores} changed, more than expected by chance; "
            "recheck with more repeats{on_command_line}."
        )
    return said(
        "Inconclusive: a change of {tolerated} of the scores could go unnoticed; recheck with more "
        "repeats{on_command_line}, or certify again with more anchors."
    )


def document(found: Recheck) -> Document:
    """Return what is shown of a recheck: the verdict and the test behind it."""
    columns = (
        Column(said("recheck")),
        Column(said("scores"), "count"),
        Column(said("questions"), "count"),
        Column(said("missing scores"), "count"),
        Column(said("changed scores"), "number"),
        Column(said("expected by the judge's own noise"), "number"),
        Column(said("p-value"), "p"),
        Column(said("void at a p-value of"), "precise"),
        Column(said("smallest change detected"), "share"),
        Column(said("largest change tolerated"), "share"),
    )
    row = (
        said("{n} of {rechecks}", n=found.recheck, rechecks=found.rechecks),
        found.scores,
        found.questions,
        found.missing,
        found.seen,
        found.expected,
        found.p_value,
        found.void_at,
        found.noticeable,
        found.tolerated,
    )
    return Document(found.sentence, tables=(Table("recheck", columns, (row,), across=True),))


def shared_by(certificate: Certificate) -> int:
    """Return how many rechecks share the error of a certificate: one a day until it expires."""
    dates = certificate.made_at, certificate.expires_at
    made, expires = (date.fromisoformat(one[:10]) for one in dates)
    return max(1, (expires - made).days)


def anchors(certificate: Certificate) -> Anchors:
    """Return the anchors of a certificate; raise a Problem where it has none."""
    if not certificate.anchors:
        raise Problem(
            "This certificate carries no anchors, so there is nothing to ask again. Write one with "
            "`certificate JUDGE --anchors 30 --json > FILE`."
        )
    return certificate.anchors


def purpose(certificate: Certificate) -> str:
    """Return the purpose that the run of a recheck is stored with."""
    return f"{grades.RECHECK} {certificate.digest}"


def is_purpose(purpose: str) -> bool:
    """Return whether a run was a recheck of some certificate."""
    return purpose.startswith(f"{grades.RECHECK} ")


def _unfinished(store: Store, certificate: Certificate, of: Certified) -> Row | None:
    """The newest recheck, where it is of the last day and lacks replies."""
    rows = runs.of_purpose(store, of.sheet.id, of.judge.id, purpose(certificate))
    if not rows or rows[0]["started_at"] < a_day_ago():
        return None
    lost = np.isnan(_now(store, anchors(certificate).items, of, _numbers(rows[0]))).any()
    return rows[0] if lost else None


def _number(store: Store, certificate: Certificate, of: Certified, run: Row) -> int:
    """Return which recheck of the certificate a run is, counted from 1."""
    rows = runs.of_purpose(store, of.sheet.id, of.judge.id, purpose(certificate))
    return sum(row["id"] <= run["id"] for row in rows)


def _numbers(run: Row) -> range:
    """The numbers of a recheck's replies."""
    scope = runs.scope(run)
    return range(scope["first_repeat"], scope["repeats"] + 1)


def _now(store: Store, items: Sequence[Anchor], of: Certified, numbers: range) -> np.ndarray:
    """(n, R) the scores of these replies, in the order of `anchor_items.table`."""
    names = [item.content for item in items]
    found = scores(store, of.sheet, of.rubric, of.judge, names, numbers)
    return np.array([found[item.content, c] for item in items for c in item.scores])


@lru_cache(maxsize=64)
def _smallest(then: tuple, cluster: tuple, replies: int) -> float | None:
    """The smallest change noticed with another number of replies; simulated once, not per view."""
    return noticeable(np.array(then), replies, np.array(cluster))
