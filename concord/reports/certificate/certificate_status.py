"""Certificate status: whether a certificate still holds, and if not, what changed or expired."""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, NamedTuple

from concord.clock import day_of
from concord.judges import few_shot
from concord.judges.combined.run import freeze
from concord.judges.definition import registry
from concord.judges.definition.model import Judge
from concord.judges.prompting.request import fingerprint
from concord.messages import Problem, joined, said
from concord.reports.certificate import recheck
from concord.reports.certificate.certificate import Certificate, JudgeIdentity
from concord.reports.certificate.recheck import Recheck
from concord.stats.comparison.recheck import RENEWED, VOID
from concord.store import graders, runs, sheets
from concord.store.database import Store
from concord.store.rubrics import rubric_versions


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
        why = said("Nothing is certified: {why}.", why=said(certificate.why_not))
        state, reasons = "not_certified", [why]
    if today.isoformat() > certificate.expires_at:
        state = "expired"
        reasons.append(
            said("It expired on {day}. Calibrate again.", day=day_of(certificate.expires_at))
        )
    newest = recheck.newest(store, certificate)
    changed = identity_changes(store, certificate) or _answering(store, certificate, newest)
    changed += _file(certificate, judge) if judge else []
    changed += _rechecked(newest)
    if changed:
        return CertificateStatus("void", changed + reasons)
    return CertificateStatus(state, reasons)


def holding(store: Store, kept: Iterable[Certificate], today: date) -> list[Certificate]:
    """Return those of some certificates that hold today."""
    return [one for one in kept if status(store, one, today).state == "holds"]


def identity_changes(store: Store, certificate: Certificate) -> list[str]:
    """Return why the judge is another one now than was certified; no API calls."""
    return _rubric(store, certificate) + _stored(store, certificate)


def _rechecked(newest: Recheck | None) -> list[str]:
    """Return the newest recheck's result where it voids the certificate."""
    if newest is None or newest.verdict != VOID:
        return []
    day = day_of(newest.asked_at)
    return [said("Rechecked on {day}. {result}", day=day, result=newest.sentence)]


def _rubric(store: Store, certificate: Certificate) -> list[str]:
    """Return what changed in the rubric's text since."""
    name = certificate.rubric.name
    if name not in rubric_versions.names(store):
        return []
    rubric = rubric_versions.named(store, name)[1]
    now, titles = rubric.versions(), {one.name: one.name for one in rubric.criteria}
    certified = {one.name: one.version for one in certificate.rubric.criteria}
    return [
        said(
            "The wording or the scale of {criterion} in rubric {name} changed.",
            criterion=titles.get(criterion, criterion),
            name=name,
        )
        for criterion, version in certified.items()
        if now.get(criterion) != version
    ]


def _stored(store: Store, certificate: Certificate) -> list[str]:
    """Return what changed in the judge, as far as stored."""
    certified = certificate.judge
    newest = graders.find(store, certified.kind, certified.name)
    if newest is None:
        return []
    if newest.definition.get("members"):
        # Certified is its frozen file, which keeps its name: running that makes no other judge.
        changed = _differing(certified.definition, _definition(freeze(newest)))
        return [_another_combination(certified, newest.fingerprint)] if changed else []
    if newest.fingerprint != certified.fingerprint:
        return [_another(certified, newest.fingerprint)]
    return _identity_now(store, certificate)


def _identity_now(store: Store, certificate: Certificate) -> list[str]:
    """Return what would differ in the judge's requests since certification."""
    certified = certificate.judge
    try:
        sheet = sheets.chosen(store, certificate.sheet.name)
        rubric = rubric_versions.named(store, certificate.rubric.name)[1]
    except Problem:  # the sheet or the rubric is not here, so nothing can be said
        return []
    kept = graders.find(store, certified.kind, certified.name)
    judge = registry.stored(kept)
    if judge is None:
        return []
    now = fingerprint(judge, rubric, tuple(few_shot.gather(store, judge, rubric, sheet)))
    return [] if now == certified.fingerprint else [_another(certified, now)]


def _answering(store: Store, certificate: Certificate, newest: Recheck | None) -> list[str]:
    """Return changes of the model name the server reported since.

    A new system fingerprint of the same model is accepted if a recheck renewed the certificate
    under it.
    """
    certified = certificate.judge
    judge = graders.find(store, certified.kind, certified.name)
    if judge is None:
        return []
    known = {(row.model, row.system_fingerprint) for row in certified.reported}
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
            model=_server(model, system),
        )
        for model, system in sorted(now - known, key=str)
        if known
    ]


def _file(certificate: Certificate, judge: Judge) -> list[str]:
    """The keys in which a judge's file differs from the certified judge."""
    certified, now = certificate.judge.definition, _definition(judge)
    if not certified:
        return [
            said(
                "The certificate does not contain the judge's request settings, so its file "
                "cannot be compared."
            )
        ]
    differing = _differing(certified, now)
    if differing == ["fit"] and "fit" not in now:
        return [
            said(
                "The judge's file has no fit. Name the frozen file; "
                "`judges {name} --freeze FILE` writes it.",
                name=certificate.judge.name,
            )
        ]
    keys = joined(", ", differing)
    return [said("The judge's file changed: {keys}.", keys=keys)] if differing else []


def _definition(judge: Judge) -> dict[str, Any]:
    """Return a judge as a certificate contains it."""
    return judge.model_dump(mode="json", exclude_defaults=True)


def _differing(certified: Mapping, now: Mapping) -> list[str]:
    """Return the keys in which a judge's file differs from the certified one."""
    keys = sorted((set(certified) | set(now)) - {"retired", "about", "price"})
    return [key for key in keys if _plain(certified, key) != _plain(now, key)]


def _plain(definition: Mapping, key: str) -> object:
    """A setting, without the address where only one side names it."""
    value = definition.get(key)
    if key == "endpoint" and isinstance(value, Mapping):
        return {name: part for name, part in value.items() if name != "base_url" and part}
    return value or None


def _another(certified: JudgeIdentity, now: str) -> str:
    return said(
        "{name} is now a different judge ({now}; certified: {before}). Its prompt, criteria, "
        "examples, model, settings or endpoint changed.",
        name=certified.name,
        now=now[:8] or said("of unknown settings"),
        before=certified.fingerprint[:8] or said("of unknown settings"),
    )


def _another_combination(certified: JudgeIdentity, now: str) -> str:
    return said(
        "{name} is now a different combined judge ({now}; certified: {before}). Its members, rule "
        "or fit changed.",
        name=certified.name,
        now=now[:8],
        before=certified.fingerprint[:8],
    )


def _server(model: str | None, system: str | None) -> str:
    """Return a server's model and system fingerprint in words."""
    name = model or said("an unnamed model")
    return said("{model} ({system})", model=name, system=system) if system else name
