"""Verification: every figure of a certificate made again from an export, and what differs."""

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path

from concord.exporting.restore import restored
from concord.problems import Problem
from concord.reports.certificate.certificate import BEFORE, FIGURES, FORMAT, figures
from concord.reports.certificate.certificate_page import criteria
from concord.reports.certificate.certificate_status import CHANGED, unchanged
from concord.reports.decision.decisions_about import decided, in_lines
from concord.reports.panel import panel_reading
from concord.sampling import holdout
from concord.store import graders, sheets
from concord.store.database import Store
from concord.store.json_names import renamed
from concord.store.rubrics import rubric_versions

CLOSE = 1e-9
_NEEDED = {"certified", "why_not", "expires_at", "judge", "rubric", "sheet", "rows", "rests_on"}
_NEEDED |= {"digest", "questions", "annotators", "decision", *FIGURES}


def load(path: str | Path) -> dict:
    """A certificate from its file; a Problem where it is none, or of another format."""
    try:
        body = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise Problem(f"{path} cannot be read as a certificate: {error}.") from None
    if not isinstance(body, dict) or not renamed(body).keys() >= _NEEDED:
        raise Problem(
            f"{path} is not a certificate. Write one with `certificate JUDGE --json > FILE`."
        )
    if body.get("format") not in (*BEFORE, FORMAT):
        raise Problem(
            f"{path} has the format {body.get('format')}, and this Concord reads {FORMAT}. Verify "
            "it with the version that wrote it."
        )
    return body


def verify(body: Mapping, folder: str | Path) -> dict:
    """Make every figure of a certificate again from an export.

    The export is read as it stood when the certificate was made; what came later does not matter.
    Of an earlier format only the digest is checked: its figures need the version that wrote it.

    Args:
        body: The certificate.
        folder: What `export` wrote.

    Returns:
        `holds`; its `format`; `unchanged`, whether the certificate is as it was written;
        `certified`; the `criteria` it is about; every one of the `decisions` about the judge;
        `figures`, how many values were compared; `differences`, each with `figure`, `certified`
        and `found`.

    Raises:
        Problem: The folder is no export, or lacks the sheet, the rubric or the judge.
    """
    pairs = [] if body["format"] in BEFORE else _compared(body, folder)
    differences = [
        {"figure": place, "certified": certified, "found": now}
        for place, certified, now in pairs
        if not _same(certified, now)
    ]
    return {
        "holds": unchanged(body) and not differences,
        "format": body["format"],
        "unchanged": unchanged(body),
        "judge": body["judge"]["name"],
        "sheet": body["sheet"]["name"],
        "certified": body["certified"],
        "criteria": criteria(body),
        "decisions": body.get("decisions", []),
        "figures": len(pairs),
        "differences": differences,
    }


def sentence(found: Mapping) -> str:
    """The outcome in words, with every difference on a line of its own."""
    lines = [
        f"{one['figure']}: certified {one['certified']}, found {one['found']}"
        for one in found["differences"]
    ]
    if not found["unchanged"]:
        lines.insert(0, CHANGED)
    if found["format"] in BEFORE:
        kept = "as it was written" if found["unchanged"] else "not as it was written"
        only = (
            f"The certificate of {found['judge']} has format {found['format']} and is {kept}, by "
            "its digest. Its figures need the version of Concord that wrote it."
        )
        return "\n".join([only, *in_lines(found)])
    said = f"{found['figures']:,} values of the certificate of {found['judge']} were made again"
    differ = len(found["differences"])
    said += (
        f"; {differ} {'differs' if differ == 1 else 'differ'}." if differ else ": all are the same."
    )
    return "\n".join([said, *lines, *in_lines(found)])


def _compared(body: Mapping, folder: str | Path) -> list[tuple[str, object, object]]:
    with restored(folder, body["rests_on"]) as store:
        found = _again(store, body, folder)
    named = [name for name in (*FIGURES, "decisions") if name in body]
    return [pair for name in named for pair in _pairs(name, body[name], found[name])]


def _again(store: Store, body: Mapping, folder: str | Path) -> dict:
    sheet = sheets.chosen(store, body["sheet"]["name"])
    name, certified = body["judge"]["name"], body["judge"]["fingerprint"]
    judge = graders.find(store, body["judge"]["kind"], f"{name}@{certified}" if certified else name)
    rubric = rubric_versions.of_digest(store, body["rubric"]["name"], body["rubric"]["digest"])
    if judge is None or rubric is None:
        missing = f"judge {name}" if judge is None else f"rubric {body['rubric']['name']}"
        raise Problem(
            f"The export in {folder} does not hold the {missing} of the certificate. Export the "
            "database that the certificate was made from."
        )
    opening = body["questions"]["opening"]
    opened = [one for one in holdout.openings(store, sheet) if opening and one.id == opening["id"]]
    annotators = [row["name"] for row in body["annotators"]["named"]]
    read = panel_reading.read(
        store, sheet, rubric, annotators, sealed=opened[0].questions if opened else None
    )
    decision = body["decision"] or {}
    heaviest = max(read.weights, key=read.weights.get)
    again = figures(read, judge, decision.get("criterion", heaviest))
    return json.loads(json.dumps(again | {"decisions": decided(store, sheet, judge)}))


def _pairs(place: str, certified: object, now: object) -> Iterator[tuple[str, object, object]]:
    """Every value of a certificate beside the one found, with its place."""
    if isinstance(certified, Mapping) and isinstance(now, Mapping):
        for key in [*certified, *(key for key in now if key not in certified)]:
            yield from _pairs(f"{place}.{key}", certified.get(key), now.get(key))
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
