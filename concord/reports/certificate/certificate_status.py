"""Certificate status: whether a certificate still holds, what changed or expired, and rechecks.

A recheck asks whether a certified judge still scores as it did. Its answers are drawn from those
that it had scored when the certificate was written, and its stored replies are compared with new
ones. All rechecks of a certificate share one error.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from concord.clock import a_day_ago, day_of, today
from concord.judges import few_shot
from concord.judges.combined import freeze
from concord.judges.definition import registry
from concord.judges.definition.model import Judge
from concord.judges.exporting.targets import Carried, Target
from concord.judges.prompting.request import fingerprint
from concord.judges.run import judging
from concord.judges.run.job import Options
from concord.judges.run.rubric import Again, RubricJob
from concord.judges.run.rubric import prepare as prepare_job
from concord.messages import Problem, counted, said
from concord.reports.certificate import certificate
from concord.reports.certificate.certificate import CHANGED, Certificate, Subject, subject
from concord.reports.decision.verdict import Row
from concord.reports.document import Column, Document, table_of
from concord.stats.comparison.recheck import (
    CANNOT_TELL,
    NO_SCORE,
    RENEWED,
    VOID,
    heartbeat,
    noticeable,
    verdict,
    void_at,
)
from concord.store import decisions, graders, grades, runs, sheets
from concord.store.database import Row as RunRow
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

# Answers asked about again, new replies to each, and stored replies they are compared with.
COUNT, REPLIES, STORED = 30, 3, 3
# The change that must not go unnoticed where no margin was fixed.
TOLERATED = 0.1


def recheck(
    store: Store,
    certificate: Certificate,
    options: Options,
    confirm: Callable[[str], bool],
    replies: int = REPLIES,
) -> Row:
    """Ask a certified judge about some answers again.

    Where the judge is another one by now, or the certificate has expired or was changed after it
    was written, it is void without asking.

    Args:
        store: The open store.
        certificate: The certificate.
        options: What the user said about money and speed.
        confirm: Asks the user whether to go ahead at a price.
        replies: How many new replies to each answer.

    Returns:
        judge, sheet: Their names.
        verdict: `renewed`, `cannot_tell` or `void`; `estimated` where only the cost was asked for.
        sentence, reasons: In words, and why it is void without asking.
        asked, cost_usd: How many calls at which price, and what `read` returns, if it was asked.
        estimate: On request.

    Raises:
        Problem: The judge sends no requests, or this database does not hold what the certificate
            names.
    """
    reasons = identity_changes(store, certificate)
    if today().isoformat() > certificate.expires_at:
        reasons.append(_expired(certificate))
    if not certificate.unchanged:
        reasons = [CHANGED]
    found = Row(judge=certificate.judge.name, sheet=certificate.sheet.name, reasons=reasons)
    if reasons:
        return Row(found, verdict=VOID, sentence="Void: nothing was sent.")
    ended = judging.carry_out(store, prepare(store, certificate, replies), options, confirm)
    if ended.status == "estimated":
        expected = ended.estimate.as_json()
        return Row(found, verdict="estimated", sentence=ended.sentence(), estimate=expected)
    if ended.status == "declined":
        return Row(found, verdict=CANNOT_TELL, sentence="Inconclusive: nothing was sent.")
    newest = newest_recheck(store, certificate)
    return Row(found | newest, asked=ended.counts.calls, cost_usd=ended.counts.cost)


def prepare(store: Store, certificate: Certificate, replies: int = REPLIES) -> RubricJob:
    """Return the job that requests new replies of a certified judge.

    The replies get unused repeat numbers, so that none comes from the cache. An unfinished recheck
    of the last day is resumed.

    Raises:
        Problem: The judge sends no requests or has scored no answer that may be asked about, or its
            sheet or itself is not in the store.
    """
    of = subject(store, certificate)
    rows = runs.of_purpose(store, of.sheet.id, of.judge.id, purpose(certificate))
    if rows and rows[0]["started_at"] >= a_day_ago():
        names, numbers = _asked(rows[0])
        if np.isnan(_replies(store, of, names, numbers)).any():
            again = Again(sorted(names), numbers[0], purpose(certificate))
            return _asked_again(store, of, again, numbers[-1])
    criterion = of.rubric.versions()[of.rubric.heaviest().name]
    known = decisions.replied(store, of.sheet.id, of.judge.id, [criterion], of.last)
    first = decisions.last_repeat(store, of.judge.id, [row["content_hash"] for row in known]) + 1
    whole = Again(sorted({row["content_hash"] for row in known}), first, purpose(certificate))
    able = {task.content_hash for task in _asked_again(store, of, whole, first).pending}
    names = _drawn([row for row in known if row["content_hash"] in able], certificate)
    if not names:
        raise Problem(
            "{judge} has scored no answer of “{sheet}” that it may be asked about again.",
            judge=of.judge.name,
            sheet=of.sheet.name,
        )
    again = Again(sorted(names), first, purpose(certificate))
    return _asked_again(store, of, again, first + replies - 1)


def newest_recheck(store: Store, certificate: Certificate) -> Row | None:
    """Return the result of the newest recheck of a certificate; None without one."""
    try:
        of = subject(store, certificate)
    except Problem:  # the sheet or the judge is not here, so it was not rechecked here
        return None
    rows = runs.of_purpose(store, of.sheet.id, of.judge.id, purpose(certificate))
    return read(store, certificate, rows[0]) if rows else None


def read(store: Store, certificate: Certificate, run: RunRow) -> Row:
    """Compare the replies of a recheck with those that were stored when it was certified.

    Returns:
        verdict, sentence: As of `recheck`.
        scores: How many scores were compared, of `questions`; `missing` lack a reply.
        expected, seen: How many flipped by the judge's own noise, and observed; means over replies.
        p_value: How often an unchanged judge shows as many flips; None with `why_none`.
        noticeable: The smallest share of changed scores that is detected 4 times in 5.
        tolerated: The largest share that may go unnoticed.
        recheck: Which one it is, counted from 1; `rechecks` share the type I error.
        void_at: The p-value that voids the certificate; None where the error is spent.
        run, asked_at: The run that asked.
    """
    of, (names, numbers) = subject(store, certificate), _asked(run)
    then = _replies(store, of, names, range(1, STORED + 1), of.last)
    # As many as all answers have, so that old and new replies could change places.
    whole = [k for k in range(1, STORED + 1) if not np.isnan(then[:, :k]).any()]
    then = then[:, : max(whole, default=1)]
    now = _replies(store, of, names, numbers)
    of_content = decisions.clusters(store, of.sheet.id, names)
    cluster = np.repeat([of_content[name] for name in names], len(of.rubric.criteria))
    rows = runs.of_purpose(store, of.sheet.id, of.judge.id, purpose(certificate))
    number = sum(row["id"] <= run["id"] for row in rows)
    made, expires = (
        date.fromisoformat(one[:10]) for one in (certificate.made_at, certificate.expires_at)
    )
    rechecks = max(1, (expires - made).days)  # one a day until it expires share the error
    replies = tuple(map(tuple, np.hstack([then, now])))
    found = Row(
        heartbeat(then, now, cluster)._asdict(),
        noticeable=_smallest(replies, then.shape[1], tuple(cluster)),
        tolerated=(certificate.decision.look.margin if certificate.decision else 0) or TOLERATED,
        missing=int(np.isnan(now).sum()),
        recheck=number,
        rechecks=rechecks,
        void_at=void_at(number, rechecks),
        asked_at=run["started_at"],
        run=run["id"],
    )
    told = verdict(
        found.p_value, found.noticeable, found.tolerated, not found.missing, found.void_at
    )
    changed = f"{found.seen:.3g} of {counted(found.scores, 'score')}"
    text = _SENTENCES[told].format(changed=changed, missing=found.missing)
    return Row(found, verdict=told, sentence=text)


_SENTENCES = {
    VOID: "Void: {changed} changed, more than the judge's own noise explains.",
    RENEWED: "Renewed: {changed} changed, no more than its own noise explains.",
    CANNOT_TELL: "Inconclusive: {changed} changed, {missing} missing; recheck with more repeats.",
}


def document(found: Row) -> Document:
    """Return what is shown of a recheck: the verdict and the test behind it."""
    parts = (
        ("recheck", lambda one: f"{one.recheck} of {one.rechecks}"),
        (Column("scores", "count"), "scores"),
        (Column("changed scores", "number"), "seen"),
        (Column("expected by noise", "number"), "expected"),
        (Column("p-value", "p"), "p_value"),
        (Column("void at", "precise"), "void_at"),
        (Column("smallest change detected", "share"), "noticeable"),
    )
    tables = (table_of("recheck", [found], parts),) if "run" in found else ()
    return Document(found.sentence, tuple(found.reasons), tables)


def purpose(certificate: Certificate) -> str:
    """Return the purpose that the run of a recheck is stored with."""
    return f"{grades.RECHECK} {certificate.digest}"


def _asked_again(store: Store, of: Subject, again: Again, repeats: int) -> RubricJob:
    """The job that asks a judge, as it is stored, about certain contents again.

    Raises:
        Problem: Only the judge's grades are known, or it would be asked otherwise by now.
    """
    asked = registry.stored(of.judge)
    if asked is None or not asked.asks_rubric:
        raise Problem(
            "{judge} sends no request, so it cannot be rechecked. Recheck the members of a "
            "combined judge.",
            judge=of.judge.name,
        )
    rubric_id = rubric_versions.register(store, of.rubric, "app")
    found = prepare_job(store, asked, rubric_id, of.rubric, of.sheet, repeats=repeats, again=again)
    if found.fingerprint != of.judge.fingerprint:
        raise Problem(
            "The prompt, criteria or examples of {judge} changed since it graded. Run it again "
            "and certify the new judge.",
            judge=of.judge.name,
        )
    return found


def _drawn(known: Sequence[RunRow], certificate: Certificate) -> list[str]:
    """Draw contents: as many of each score as there are, of many questions.

    Those with more stored replies come first.
    """
    times = Counter(row["content_hash"] for row in known if row["repeat"] <= STORED)
    first = [row for row in known if row["repeat"] == 1 and row["status"] == "scored"]
    first.sort(key=itemgetter("content_hash"))
    random, seen, order = np.random.default_rng(int(certificate.digest[:8], 16)), Counter(), {}
    for place in random.permutation(len(first)):
        name, question, score = (first[place][key] for key in ("content_hash", "cluster", "score"))
        if name not in order:  # several items may hold a content
            order[name] = -times[name], seen[question], seen[score]
            seen.update((question, score))
    return sorted(sorted(order, key=order.get)[:COUNT])


def _replies(
    store: Store, of: Subject, names: Collection[str], numbers: range, last: int | None = None
) -> np.ndarray:
    """(n, R) the scores of these replies, a row per content and criterion; nan where none came.

    `last` leaves out the replies that came after a grade.
    """
    versions = {version: place for place, version in enumerate(of.rubric.versions().values())}
    place = {name: number for number, name in enumerate(names)}
    found = np.full((len(place), len(versions), len(numbers)), np.nan)
    for row in decisions.replied(store, of.sheet.id, of.judge.id, versions, last, names):
        if row["repeat"] in numbers and row["status"] != "failed":
            at = place[row["content_hash"]], versions[row["version"]], row["repeat"] - numbers[0]
            found[at] = row["score"] if row["status"] == "scored" else NO_SCORE
    return found.reshape(-1, len(numbers))


def _asked(run: RunRow) -> tuple[list[str], range]:
    """The contents that a recheck asked about, and the numbers of its replies."""
    scope = runs.scope(run)
    return scope["contents"], range(scope["first_repeat"], scope["repeats"] + 1)


@lru_cache(maxsize=64)
def _smallest(replies: tuple, then: int, cluster: tuple) -> float | None:
    """The smallest change noticed; simulated once, not per view."""
    return noticeable(np.array(replies), then, np.array(cluster))


class CertificateStatus(NamedTuple):
    """A certificate's status today.

    Attributes:
        state: `holds`, `not_certified`, `expired` or `void`; the last that applies.
        reasons: Why it does not hold, in sentences.
    """

    state: str
    reasons: list[str]


def status(
    store: Store, certificate: Certificate, today: date, judge: Judge | None = None
) -> CertificateStatus:
    """Return whether a certificate holds today, by the store and the judge as it is now.

    Args:
        store: The open store; a sheet or judge that is not in it is not checked.
        certificate: The certificate.
        today: The date.
        judge: The judge as its file describes it now, to be compared with the certified one.
    """
    state, reasons = "holds", []
    if not certificate.certified:
        why = said("Nothing is certified: {why}.", why=certificate.why_not)
        state, reasons = "not_certified", [why]
    if today.isoformat() > certificate.expires_at:
        state = "expired"
        reasons.append(_expired(certificate))
    newest = newest_recheck(store, certificate)
    changed = identity_changes(store, certificate) or _answering(store, certificate, newest)
    if judge:
        certified, now = certificate.document["judge"]["definition"], _definition(judge)
        differing = _differing(certified, now)
        if differing:
            what = ", ".join(differing)
            changed.append(said("The judge's file is not the certified one: {what}.", what=what))
    if newest is not None and newest.verdict == VOID:
        changed.append(f"{day_of(newest.asked_at)}: {newest.sentence}")
    if changed:
        return CertificateStatus("void", changed + reasons)
    return CertificateStatus(state, reasons)


def _expired(certificate: Certificate) -> str:
    return said("It expired on {day}. Calibrate again.", day=day_of(certificate.expires_at))


def holding(store: Store, kept: Iterable[Certificate], today: date) -> list[Certificate]:
    """Return those of some certificates that hold today."""
    return [one for one in kept if status(store, one, today).state == "holds"]


def identity_changes(store: Store, certificate: Certificate) -> list[str]:
    """Return why the judge is another one now than was certified; no API calls."""
    certified, name = certificate.judge, certificate.rubric.name
    rubric = rubric_versions.named(store, name)[1] if name in rubric_versions.names(store) else None
    now = rubric.versions() if rubric else {}
    found = [
        said("Wording or scale of {one} in rubric {rubric} changed.", one=one.name, rubric=name)
        for one in certificate.rubric.criteria
        if rubric and now.get(one.name) != one.version
    ]
    kept = graders.find(store, certified.kind, certified.name)
    if kept is None:
        return found
    identity = kept.fingerprint
    if kept.definition.get("members"):
        # Certified is its frozen file, which keeps its name: running that makes no other judge.
        definition = certificate.document["judge"]["definition"]
        other = bool(_differing(definition, _definition(freeze(kept))))
    else:
        judge = registry.stored(kept) if rubric and identity == certified.fingerprint else None
        held = {one.name: one for one in sheets.all_sheets(store)}
        sheet = held.get(certificate.sheet.name)
        if judge and sheet:
            examples = tuple(few_shot.gather(store, judge, rubric, sheet))
            identity = fingerprint(judge, rubric, examples)
        other = identity != certified.fingerprint
    if other:
        now, before = (one[:8] or "unknown" for one in (identity, certified.fingerprint))
        text = "{name} is now a different judge ({now}; certified: {before})."
        found.append(text.format(name=certified.name, now=now, before=before))
    return found


def _answering(store: Store, certificate: Certificate, newest: Row | None) -> list[str]:
    """Return changes of the model name the server reported since.

    A new system fingerprint of the same model is accepted if a recheck renewed the certificate
    under it.
    """
    judge = graders.find(store, certificate.judge.kind, certificate.judge.name)
    known = {(row.model, row.system_fingerprint) for row in certificate.judge.reported}
    if judge is None or not known:
        return []
    models = {model for model, _ in known}
    renewed = newest.run if newest and newest.verdict == RENEWED else -1
    now = {
        (row["model"], row["system_fingerprint"])
        for sheet in sheets.all_sheets(store)
        for row in runs.reported(store, sheet.id, judge.id)
        if row["model"] not in models or row["first_run"] > renewed
    }
    return [
        said(
            "The server now answers as {model}, which was not among the certified replies.",
            model=f"{model or 'unnamed'} ({system})" if system else model or "unnamed",
        )
        for model, system in sorted(now - known, key=str)
    ]


def _definition(judge: Judge) -> dict[str, Any]:
    """Return a judge as a certificate contains it."""
    return judge.model_dump(mode="json", exclude_defaults=True)


def _differing(certified: Mapping, now: Mapping) -> list[str]:
    """Return the keys in which a judge's file differs from the certified one."""

    def setting(definition: Mapping, key: str) -> object:
        value = definition.get(key)
        if key == "endpoint" and isinstance(value, Mapping):  # only one side names the address
            return {name: part for name, part in value.items() if name != "base_url" and part}
        return value or None

    keys = sorted((set(certified) | set(now)) - {"retired", "about", "price"})
    return [key for key in keys if setting(certified, key) != setting(now, key)]


def exported(
    store: Store, target: Target, carried: Carried, text: str, file: Path | None = None
) -> dict[str, Any]:
    """Return a judge's file for another tool.

    Returns:
        judge, fingerprint: The judge; `tool`, the name of the target.
        file: Where it was written; None where it was not. `text`, its contents.
        certificate: The digest of the newest certificate of exactly this judge; None without one.
            `expires_at`, when it does; `certified`, whether it certifies the judge.
        status: `holds`, `not_certified`, `expired` or `void` today; None without a certificate.
        reasons: Why the certificate does not hold, in sentences.
    """
    kept, now = carried.certificate or {}, None
    grader = graders.find(store, "judge", f"{carried.judge.name}@{carried.fingerprint}")
    if body := grader and decisions.newest_certificate(store, grader.id):
        now = status(store, certificate.read(body), today())
    return {
        "judge": carried.judge.name,
        "fingerprint": carried.fingerprint,
        "tool": target.name,
        "file": str(file) if file else None,
        "certificate": kept.get("digest"),
        "expires_at": kept.get("expires_at"),
        "certified": kept.get("certified"),
        "status": now and now.state,
        "reasons": now.reasons if now else [],
        "text": text,
    }


def exported_document(found: dict[str, Any]) -> Document:
    """Return what is said of an exported judge and its certificate."""
    fact = "Certificate {certificate} expires on {expires_at}.".format(**found)
    if found["certificate"] is None:
        fact = "There is no certificate of this judge."
    elif found["reasons"]:
        fact = " ".join(["The certificate does not hold.", *found["reasons"]])
    headline = "{judge}@{fingerprint} for {tool}.".format(**found)
    return Document(headline, (fact,))
