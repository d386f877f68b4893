"""Certification: the act of writing a certificate, and of opening the sealed questions for it."""

from pathlib import Path

from data import certificates, decisions, export, roles, seals
from data.clock import now
from data.decisions import Decision, Look
from data.graders import Grader
from data.seals import Opening
from data.sheets import Sheet
from data.store import Store
from reports import choose, panel_reading
from reports.certificate import DAYS, certificate, refuse
from reports.certificate_page import page
from reports.panel import Panel
from reports.verdict import VERDICTS


def certify(
    store: Store,
    panel: Panel,
    judge: Grader,
    days: int = DAYS,
    why: str | None = None,
    who: str = "",
    anchors: dict | None = None,
) -> dict:
    """Write a certificate and keep it.

    Args:
        store: The open store.
        panel: The sheet under a rubric, with the people who count.
        judge: The judge.
        days: After how many days it expires.
        why: What the sealed questions are opened for; None leaves them closed.
        who: Who opens them.
        anchors: Answers to ask again later; see `reports.anchors.carried`.

    Returns:
        The certificate, with the `id` it is kept under.

    Raises:
        Problem: Nothing of this judge can be certified; then nothing is opened either.
    """
    refuse(panel, judge)
    found = decisions.latest(store, panel.sheet.id, panel.rubric.name)
    opening = seals.open_sealed(store, panel.sheet, why, who) if why else None
    if opening:
        people = [person.name for person in panel.people.values()]
        panel = panel_reading.read(store, panel.sheet, panel.rubric, people, sealed=opening)
    decision = _decision(store, panel, found, opening) if found else None
    body = certificate(store, panel, judge, decision, now(), days, opening, anchors)
    kept = certificates.keep(
        store, body, panel.sheet.id, judge.id, found.decision_id if found else None
    )
    if opening:
        seals.certified(store, opening, kept)
    return body | {"id": kept}


def has_sealed(store: Store, sheet: Sheet) -> bool:
    """Whether a sheet has sealed questions that a certificate could rest on."""
    return bool(roles.sealed(store, sheet.id))


def sentence(body: dict) -> str:
    """What was certified, in a few lines."""
    judge, verdict = body["judge"]["name"], VERDICTS[body["verdict"]]
    said = [f"{judge}: {verdict}."]
    said += [f"Nothing is certified: {body['why_not']}."] if body["why_not"] else []
    said += [f"Certified until {body['expires_at']}."] if body["certified"] else []
    return "\n".join(filter(None, [*said, body["sentence"], *body["remarks"]]))


def commands(body: dict, file: str) -> str:
    """What is typed to hold a certificate that lies in a file against the data, line by line."""
    lines = [
        "python cli.py export EXPORT",
        f"python cli.py verify {file} --from EXPORT",
        f"python cli.py gate --certificate {file}",
    ]
    if body.get("anchors"):
        lines.append(f"python cli.py recheck {file} --yes")
    return "\n".join(lines)


def write_page(body: dict, path: Path) -> None:
    """Write the certificate as an HTML page."""
    export.write(path, page(body))


def _decision(store: Store, panel: Panel, found: Look, opening: Opening | None) -> dict:
    """The newest look as a certificate quotes it; on sealed questions it is looked at anew."""
    decision = decisions.get(store, found.decision_id)
    if opening:
        number = len(seals.openings(store, panel.sheet))
        looked = choose.opened(store, panel, decision, number)
    else:
        looked = choose.standing(store, panel, decision).shown
    return {
        **{key: (looked or found.result)[key] for key in _QUOTED},
        "id": decision.id,
        "stale": looked is None,
        "others": _others(store, panel, decision),
        "judges": [
            {key: row[key] for key in _OF_JUDGES} for row in (looked or found.result)["judges"]
        ],
    }


def _others(store: Store, panel: Panel, decision: Decision) -> list[dict]:
    """Other terms about the same criterion that somebody looked at, with what they brought."""
    every = decisions.of_sheet(store, panel.sheet.id, decision.criterion, panel.rubric.name)
    return [
        {
            "against": other.against,
            "margin": other.margin,
            "minimum": other.minimum,
            "caught": other.caught_minimum,
            "fixed_at": other.created_at,
            "verdicts": {row["judge"]: row["verdict"] for row in looks[-1].result["judges"]},
        }
        for other in every
        if other.id != decision.id and (looks := decisions.looks(store, other))
    ]


_QUOTED = ("criterion", "metric", "margin", "minimum", "caught", "against", "fixed_at")
_QUOTED += ("fixed_after_sight", "looks", "looked_at", "level", "verdict", "winner", "sentence")
_QUOTED += ("about", "answers", "questions", "left_out", "signature")
_OF_JUDGES = ("judge", "fingerprint", "verdict", "why", "difference", "exact", "qwk", "caught")
_OF_JUDGES += ("judge_minus_ceiling", "is_reference", "cost_per_1000", "seconds")
