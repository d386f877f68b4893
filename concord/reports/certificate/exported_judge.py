"""Exported judge: what was written for which tool, and what that tool does differently."""

from pathlib import Path
from typing import Any

from concord.clock import today
from concord.judges.exporting.carried import Carried
from concord.judges.exporting.targets import Target
from concord.messages import joined, on_command_line, said
from concord.reports.certificate import certificate, certificate_status
from concord.reports.document import Document
from concord.store import certificates, graders
from concord.store.database import Store


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
        differences: What the tool does otherwise than Concord.
    """
    kept, status = carried.certificate or {}, None
    grader = graders.find(store, "judge", f"{carried.judge.name}@{carried.fingerprint}")
    if body := grader and certificates.newest(store, grader.id):
        status = certificate_status.status(store, certificate.read(body), today())
    return {
        "judge": carried.judge.name,
        "fingerprint": carried.fingerprint,
        "tool": target.name,
        "file": str(file) if file else None,
        "certificate": kept.get("digest"),
        "expires_at": kept.get("expires_at"),
        "certified": kept.get("certified"),
        "status": status and status.state,
        "reasons": status.reasons if status else [],
        "differences": tuple(target.differences(carried)),
        "text": text,
    }


def document(found: dict[str, Any]) -> Document:
    """Return what is said of an exported judge: its certificate and the differences."""
    if found["certificate"] is None:
        fact = said(
            "There is no certificate of this judge. Write one under Certificate{on_command_line}.",
            on_command_line=on_command_line("`certificate`"),
        )
    elif found["reasons"]:
        fact = joined(
            " ", [f"Certificate {found['certificate']} does not hold.", *found["reasons"]]
        )
    else:
        fact = f"Certificate {found['certificate']} expires on {found['expires_at'][:10]}."
    headline = "{judge}@{fingerprint} for {tool}.".format(**found)
    return Document(headline, (fact,), notes=found["differences"])
