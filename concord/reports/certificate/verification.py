"""Verification: every figure of a certificate recomputed from an export, and what differs."""

import json
import math
from collections.abc import Iterator, Mapping
from operator import itemgetter
from pathlib import Path
from typing import Any

from concord.exporting.exported_tables import restored
from concord.messages import Problem, system_fault
from concord.reports.certificate.certificate import (
    CHANGED,
    FORMAT,
    Certificate,
    read,
    subject,
    summary,
)
from concord.reports.certificate.certification import decided, figures
from concord.reports.document import Column, Document, Table, as_json
from concord.reports.panel.panel import read as read_panel
from concord.sampling import holdout
from concord.store.database import Store

# Sums may be added in another order on another machine, so the last digits can differ.
CLOSE = 1e-9
_COMPARED = ("rows", "by_answer_model", "reliability", "decisions")


def load(path: str | Path) -> Certificate:
    """Return a certificate from its file.

    Raises:
        Problem: The file is not a certificate, or of an unknown format.
    """
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
        if document["format"] != FORMAT:
            raise Problem(
                "{path} has the format {format}, and this Concord reads {known}. Verify it with "
                "the version that wrote it.",
                path=path,
                format=document["format"],
                known=FORMAT,
            )
        found = read(document)
        summary(found)  # what cannot be shown lacks a part, or has another one in its place
        itemgetter("made_at", "expires_at", "why_not", "digest")(found)
    except OSError as error:
        raise Problem(
            "{path} cannot be read: {why}. Check the path.", path=path, why=system_fault(error)
        ) from None
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
        raise Problem(
            "{path} is not a certificate. A part is missing or has another form: {error}. Write "
            "one with `certificate JUDGE --json > FILE`.",
            path=path,
            error=error,
        ) from None
    return found


def verify(certificate: Certificate, folder: str | Path) -> dict[str, Any]:
    """Recompute every figure of a certificate from an export.

    The export is read as it was when the certificate was written; later grades do not matter.

    Args:
        certificate: The certificate.
        folder: What `export` wrote.

    Returns:
        holds: It is unchanged, and no figure differs.
        unchanged: It is as it was written, by its digest.
        judge, sheet, certified, criteria, decisions: As in the certificate.
        figures: How many values were compared.
        differences: Those found to be other ones: `figure` (the place in the JSON), `certified`
            and `found`.

    Raises:
        Problem: The folder is no export, or lacks the sheet, the rubric or the judge.
    """
    with restored(folder, certificate.rests_on) as store:
        found = _again(store, certificate)
    written = certificate.document
    pairs = [pair for name in _COMPARED for pair in _pairs(name, written.get(name), found[name])]
    differences = [
        {"figure": place, "certified": then, "found": now}
        for place, then, now in pairs
        if not _same(then, now)
    ]
    kept = ("format", "certified", "criteria", "decisions")
    return {
        "holds": certificate.unchanged and not differences,
        "unchanged": certificate.unchanged,
        "judge": certificate.judge.name,
        "sheet": certificate.sheet.name,
        **{name: written[name] for name in kept},
        "figures": len(pairs),
        "differences": differences,
    }


def document(found: Mapping[str, Any]) -> Document:
    """Return what is shown of a verification."""
    text = "All {figures:,} values of the certificate of {judge} are reproduced."
    if found["differences"]:
        text = "Values that differ in the certificate of {judge}: {differ:,} of {figures:,}."
    headline = text.format(**found, differ=len(found["differences"]))
    columns = (Column("figure"), Column("certified value"), Column("recomputed value"))
    rows = tuple(tuple(map(str, one.values())) for one in found["differences"])
    changed = () if found["unchanged"] else (CHANGED,)
    return Document(headline, changed, (Table("differences", columns, rows, "Differences"),))


def _again(store: Store, certificate: Certificate) -> Mapping[str, object]:
    """The figures and decisions found now, as JSON, by their keys in a certificate."""
    of = subject(store, certificate)
    opening = certificate.questions.opening
    every = holdout.openings(store, of.sheet) if opening else ()
    questions = next((one.questions for one in every if one.id == opening["id"]), None)
    names = [one["name"] for one in certificate.annotators.named]
    panel = read_panel(store, of.sheet, of.rubric, names, held_out=questions)
    found = figures(panel, of.judge) | {"decisions": decided(store, of.sheet, of.judge)}
    return json.loads(json.dumps(as_json(found)))


def _pairs(place: str, certified: object, now: object) -> Iterator[tuple[str, object, object]]:
    """Yield every value of a certificate with the one found and its place.

    Of a reason the code is compared, where the certificate has one, and of a warning that there is
    one: versions word them differently.
    """
    if isinstance(certified, Mapping) and isinstance(now, Mapping):
        # A later version may find more; what was taken out fails the digest.
        for key, value in certified.items():
            if key == "note":
                yield f"{place}.{key}", value is not None, now.get(key) is not None
            elif key != "why_none":
                yield from _pairs(f"{place}.{key}", value, now.get(key))
    elif isinstance(certified, list) and isinstance(now, list) and len(certified) == len(now):
        for number, (one, other) in enumerate(zip(certified, now, strict=True)):
            label = one.get("criterion", number) if isinstance(one, Mapping) else number
            yield from _pairs(f"{place}[{label}]", one, other)
    else:
        yield place, certified, now


def _same(certified: object, now: object) -> bool:
    if isinstance(certified, float) and isinstance(now, float | int):
        return math.isclose(certified, now, rel_tol=CLOSE, abs_tol=CLOSE)
    return certified == now
