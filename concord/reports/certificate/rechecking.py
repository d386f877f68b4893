"""Rechecking: the act of asking a certified judge its anchors again."""

from collections.abc import Callable, Mapping

from concord.clock import today
from concord.judges.running import session
from concord.judges.running.engine import Options
from concord.reports.certificate import recheck as rechecks
from concord.reports.certificate.certificate_status import identity_changes
from concord.reports.certificate.verification import CHANGED, unchanged
from concord.stats.comparison.drift_test import CANNOT_TELL, VOID
from concord.store import runs
from concord.store.database import Store


def recheck(
    store: Store,
    body: Mapping,
    options: Options,
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
