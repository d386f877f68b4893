"""Exported judge: what was written for which tool, and what that tool does differently."""

from dataclasses import dataclass, field
from pathlib import Path

from concord.judges.exporting.carried import Carried
from concord.judges.exporting.target import Target
from concord.messages import day, said
from concord.reports.document import INTERNAL, Document


@dataclass(frozen=True)
class ExportedJudge:
    """A judge's file for another tool.

    Attributes:
        tool: The name of the target.
        file: Where it was written; None where it was not.
        certificate: The digest of the newest certificate of exactly this judge; None without one.
        expires_at: When that certificate expires.
        certified: Whether it certifies the judge; None without one.
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
    differences: tuple[str, ...]
    text: str
    title: str = field(metadata=INTERNAL)


def exported(target: Target, carried: Carried, text: str, file: Path | None) -> ExportedJudge:
    """Return what was exported; `file` is where it was written, if it was."""
    certificate = carried.certificate or {}
    return ExportedJudge(
        judge=carried.judge.name,
        fingerprint=carried.fingerprint,
        tool=target.name,
        file=str(file) if file else None,
        certificate=certificate.get("digest"),
        expires_at=certificate.get("expires_at"),
        certified=certificate.get("certified"),
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
        return said("There is no certificate of this judge. Write one with `certificate`.")
    told = {"digest": found.certificate, "day": day(found.expires_at)}
    if not found.certified:
        return said("Certificate {digest} certifies nothing; it expires on {day}.", **told)
    return said("Certificate {digest} expires on {day}.", **told)
