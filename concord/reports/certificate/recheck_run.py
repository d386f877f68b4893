"""Recheck run: ask the judge about the anchors of a certificate again."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from concord.clock import today
from concord.judges.rubric_runs import session
from concord.messages import said
from concord.reports.certificate import recheck as rechecks
from concord.reports.certificate.anchor_items import certified
from concord.reports.certificate.certificate import CHANGED, Certificate
from concord.reports.certificate.certificate_status import identity_changes
from concord.reports.certificate.recheck import Recheck
from concord.reports.document import FLAT, OPTIONAL, Document
from concord.stats.comparison.drift_test import CANNOT_TELL, VOID
from concord.store import runs
from concord.store.database import Store


@dataclass(frozen=True)
class Rechecked:
    """A recheck that asked, its result, and how many calls at which cost in USD."""

    judge: str
    sheet: str
    result: Recheck = field(metadata=FLAT)
    asked: int
    cost_usd: float | None

    @property
    def verdict(self) -> str:
        """`renewed`, `cannot_tell` or `void`."""
        return self.result.verdict


@dataclass(frozen=True)
class NotAsked:
    """A recheck that asked nothing: `void`, `cannot_tell`, or `estimated` on request."""

    judge: str
    sheet: str
    verdict: str
    sentence: str
    reasons: tuple[str, ...] = ()
    asked: int = 0
    estimate: Mapping[str, Any] | None = field(default=None, metadata=OPTIONAL)


def recheck(
    store: Store,
    certificate: Certificate,
    options: session.Options,
    confirm: Callable[[str], bool],
    replies: int | None = None,
) -> Rechecked | NotAsked:
    """Ask about the anchors of a certificate again.

    Where the judge is another one by now, or the certificate has expired or was changed after it
    was written, it is void without asking.

    Args:
        store: The open store.
        certificate: The certificate.
        options: What the user said about money and speed.
        confirm: Asks the user whether to go ahead at a price.
        replies: How many replies to each anchor; None is as many as were certified.

    Raises:
        Problem: The certificate has no anchors, or this database does not hold what it names.
    """
    rechecks.anchors(certificate)
    about = certificate.judge.name, certificate.sheet.name
    reasons = identity_changes(store, certificate) + _expired(certificate)
    if not certificate.unchanged:
        reasons = [CHANGED]
    if reasons:
        why = said("Void: the certificate no longer applies to this judge, so nothing was sent.")
        return NotAsked(*about, VOID, why, tuple(reasons))
    job = rechecks.prepare(store, certificate, replies)
    ended = session.carry_out(store, job, options, confirm)
    if ended.status == "estimated":
        expected = ended.estimate.as_json()
        return NotAsked(*about, "estimated", ended.sentence(), estimate=expected)
    if ended.status == "declined":
        return NotAsked(*about, CANNOT_TELL, said("Inconclusive: nothing was sent."))
    of = certified(store, certificate)
    found = rechecks.read(
        store, certificate, runs.newest(store, sheet_id=of.sheet.id, grader_id=of.judge.id)
    )
    return Rechecked(*about, found, ended.counts.calls, ended.counts.cost)


def document(found: Rechecked | NotAsked) -> Document:
    """Return what is shown of a recheck."""
    if isinstance(found, Rechecked):
        return rechecks.document(found.result)
    return Document(found.sentence, facts=found.reasons)


def _expired(certificate: Certificate) -> list[str]:
    over = today().isoformat() > certificate.expires_at
    return [f"It expired on {certificate.expires_at}. Calibrate again."] if over else []
