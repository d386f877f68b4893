"""Runs over the anchors of a certificate: when it is written, and when it is rechecked."""

from collections.abc import Callable, Mapping

import numpy as np

from concord.clock import today
from concord.judges.running import session
from concord.judges.running.job import Again, Job
from concord.language.plurals import counted
from concord.messages import said
from concord.problems import Problem
from concord.reports.certificate import recheck as rechecks
from concord.reports.certificate.anchor_items import (
    asked_again,
    choose,
    content_hashes,
    draw_seed,
    scores,
    table,
)
from concord.reports.certificate.certificate import refuse
from concord.reports.certificate.certificate_status import CHANGED, identity_changes, unchanged
from concord.reports.panel.panel import Panel
from concord.stats.comparison.drift_test import CANNOT_TELL, NO_SCORE, VOID, noticeable
from concord.store import runs
from concord.store.database import Store
from concord.store.graders import Grader

PURPOSE = "anchors"
COUNT, REPEATS = 30, 3


def carried(
    store: Store,
    panel: Panel,
    judge: Grader,
    count: int = COUNT,
    repeats: int = REPEATS,
    options: session.Options | None = None,
    confirm: Callable[[str], bool] = lambda sentence: False,
) -> dict:
    """Choose anchors and see to it that the judge has replied to each several times.

    What is stored is taken; what is missing is asked, as any run asks, within the budget.

    Args:
        store: The open store.
        panel: The sheet under a rubric.
        judge: The judge.
        count: How many answers.
        repeats: How many replies to each, 2 or more.
        options: What the user said about money and speed; None asks nobody.
        confirm: Asks the user whether to go ahead at a price.

    Returns:
        What a certificate carries: `seed`, `criterion` by whose scores they were drawn, `repeats`,
        `noticeable` (see `drift_test`), and `items`, each with `content`, `question` and, by
        criterion, the `scores`; None is a reply without one.

    Raises:
        Problem: The judge cannot be asked, too few answers are judged, or replies are missing.
    """
    refuse(panel, judge)
    criterion, seed = panel.rubric.heaviest().name, draw_seed(panel, judge)
    hashes = content_hashes(store, panel)
    chosen = choose(panel, judge, criterion, hashes, count, repeats, seed)
    names = [hashes[place] for place in chosen]
    again = Again(frozenset(names), 1, PURPOSE)
    missing = asked_again(store, panel.sheet, panel.rubric, judge, again, repeats)
    _complete(store, missing, count, options, confirm)
    found = scores(store, panel.sheet, panel.rubric, judge, names, range(1, repeats + 1))
    if any(np.isnan(row).any() for row in found.values()):
        raise Problem(
            said(
                "Some replies to the anchors did not come. Repeat the command: only what is "
                "missing is asked."
            )
        )
    items = [
        {
            "content": name,
            "question": int(panel.cluster[place]),
            "scores": {c: _plain(found[name, c]) for c in panel.rubric.versions()},
        }
        for place, name in zip(chosen, names, strict=True)
    ]
    kept = {"seed": seed, "criterion": criterion, "repeats": repeats, "items": items}
    then, cluster = table(kept)
    return kept | {"noticeable": noticeable(then, repeats, cluster)}


def _complete(
    store: Store,
    missing: Job,
    count: int,
    options: session.Options | None,
    confirm: Callable[[str], bool],
) -> None:
    """Ask what is missing; a Problem where that was not wanted or did not go through."""
    if not missing.pending and not missing.cached:
        return
    if options is None:
        raise Problem(
            said(
                "{replies} to the anchors are missing. Ask for them with `certificate "
                "{judge} --anchors {count}`, which says first what it costs.",
                replies=counted(len(missing.pending), "reply", "replies"),
                judge=missing.judge.name,
                count=count,
            )
        )
    ended = session.carry_out(store, missing, options, confirm)
    if ended.status != "done":
        raise Problem(f"No certificate was written: the anchors were not all asked. {ended.said}")


def _plain(row: np.ndarray) -> list[float | None]:
    return [None if score == NO_SCORE else float(score) for score in row]


def recheck(
    store: Store,
    body: Mapping,
    options: session.Options,
    confirm: Callable[[str], bool],
    replies: int | None = None,
) -> dict:
    """Ask the anchors of a certificate again and say what it shows.

    Where the judge is another one by now, or the certificate has expired or was changed after it
    was written, it is void without asking.

    Args:
        store: The open store.
        body: The certificate.
        options: What the user said about money and speed.
        confirm: Asks the user whether to go ahead at a price.
        replies: How many replies to each anchor; None is as many as were certified.

    Returns:
        As `certificate.recheck.read`, with `judge`, `sheet`, `asked` (calls) and `cost_usd`; where
        nothing was asked only `verdict` (`void`, `cannot_tell`, or `estimated` where no more was
        wanted), `sentence` and `reasons`.

    Raises:
        Problem: The certificate carries no anchors, or this database does not hold what it names.
    """
    rechecks.anchors(body)
    about = {"judge": body["judge"]["name"], "sheet": body["sheet"]["name"]}
    reasons = identity_changes(store, body) + _expired(body)
    if not unchanged(body):
        reasons = [CHANGED]
    if reasons:
        return about | _unasked(VOID, f"Void, without asking: {' '.join(reasons)}", reasons)
    job = rechecks.prepare(store, body, replies)
    ended = session.carry_out(store, job, options, confirm)
    if ended.status == "estimated":
        return (
            about
            | _unasked("estimated", ended.sentence(), [])
            | {"estimate": ended.estimate.as_json()}
        )
    if ended.status == "declined":
        return about | _unasked(CANNOT_TELL, "Cannot tell: nothing was asked.", [])
    of = rechecks.certified(store, body)
    run = runs.latest(store, of.sheet.id, of.judge.id)
    spent = {"asked": ended.counts.calls, "cost_usd": ended.counts.cost}
    return about | rechecks.read(store, body, run) | spent


def _expired(body: Mapping) -> list[str]:
    over = today().isoformat() > body["expires_at"]
    return [f"It expired on {body['expires_at']}. Calibrate again."] if over else []


def _unasked(verdict: str, sentence: str, reasons: list[str]) -> dict:
    return {"verdict": verdict, "sentence": sentence, "reasons": reasons, "asked": 0}
