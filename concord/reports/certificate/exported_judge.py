"""Exported judge: what was written for which tool, and what that tool does differently."""

from dataclasses import dataclass, field
from pathlib import Path

from concord.clock import today
from concord.judges.exporting.carried import Carried
from concord.judges.exporting.target import Target
from concord.messages import day, joined, on_command_line, said
from concord.reports.certificate import certificate, certificate_status
from concord.reports.certificate.certificate_status import CertificateStatus
from concord.reports.document import INTERNAL, Document
from concord.store import certificates, graders
from concord.store.database import Store


@dataclass(frozen=True)
class ExportedJudge:
    """A judge's file for another tool.

    Attributes:
        tool: The name of the target.
        file: Where it was written; None where it was not.
        certificate: The digest of the newest certificate of exactly this judge; None without one.
        expires_at: When that certificate expires.
        certified: Whether it certifies the judge; None without one.
        status: `holds`, `not_certified`, `expired` or `void`; None without a certificate.
        reasons: Why the certificate does not hold, in sentences.
        differences: What the tool does otherwise than Concord.
        text: The contents of the file.
    """

    judge: str
    fingerprint: str
    tool: str
    file: str | None
    certificate: str | None
    expires_at: str | None
    certified: bool | None
    status: str | None
    reasons: tuple[str, ...]
    differences: tuple[str, ...]
    text: str
    title: str = field(metadata=INTERNAL)


def status(store: Store, carried: Carried) -> CertificateStatus | None:
    """Return the status today of the certificate of exactly this judge; None without one."""
    grader = graders.find(store, "judge", f"{carried.judge.name}@{carried.fingerprint}")
    body = grader and certificates.newest(store, grader.id)
    return certificate_status.status(store, certificate.read(body), today()) if body else None


def exported(
    target: Target,
    carried: Carried,
    text: str,
    file: Path | None,
    status: CertificateStatus | None = None,
) -> ExportedJudge:
    """Return what was exported; `file` is where it was written, if it was."""
    kept = carried.certificate or {}
    return ExportedJudge(
        judge=carried.judge.name,
        fingerprint=carried.fingerprint,
        tool=target.name,
        file=str(file) if file else None,
        certificate=kept.get("digest"),
        expires_at=kept.get("expires_at"),
        certified=kept.get("certified"),
        status=status.state if status else None,
        reasons=tuple(status.reasons) if status else (),
        differences=tuple(target.differences(carried)),
        text=text,
        title=target.title,
    )


def document(found: ExportedJudge) -> Document:
    """Return what is said of an exported judge: its certificate and the differences."""
    headline = said(
        "{judge}@{fingerprint} as {title}.",
        judge=found.judge,
        fingerprint=found.fingerprint,
        title=found.title,
    )
    return Document(headline, facts=(_certificate(found),), notes=found.differences)


def _certificate(found: ExportedJudge) -> str:
    if found.certificate is None:
        return said(
            "There is no certificate of this judge. Write one under Certificate{on_command_line}.",
            on_command_line=on_command_line("`certificate`"),
        )
    if found.reasons:
        void = said("Certificate {digest} does not hold.", digest=found.certificate)
        return joined(" ", [void, *found.reasons])
    return said(
        "Certificate {digest} expires on {day}.",
        digest=found.certificate,
        day=day(found.expires_at),
    )
