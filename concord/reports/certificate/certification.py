"""Certification: the act of writing a certificate, and of opening the sealed questions for it."""

from collections.abc import Sequence
from pathlib import Path

from concord.clock import now
from concord.exporting import tables
from concord.messages import joined, said
from concord.problems import Problem
from concord.reports.certificate.certificate import DAYS, certificate, refuse
from concord.reports.certificate.certificate_page import page, title
from concord.reports.decision import choose
from concord.reports.decision.decisions_about import decided, in_lines, of_judge, verdict_on
from concord.reports.decision.verdict import GOOD_ENOUGH, NOT
from concord.reports.panel import panel_reading
from concord.reports.panel.panel import Panel
from concord.sampling import holdout, splits
from concord.sampling.holdout import Opening
from concord.store import certificates, decisions
from concord.store.database import Store
from concord.store.decisions import Decision, Look
from concord.store.graders import Grader
from concord.store.sheets import Sheet


def certify(
    store: Store,
    panel: Panel,
    judge: Grader,
    days: int = DAYS,
    why: str | None = None,
    who: str = "",
    anchors: dict | None = None,
    criteria: Sequence[str] = (),
) -> dict:
    """Write a certificate and keep it.

    Args:
        store: The open store.
        panel: The sheet under a rubric, with the annotators who count.
        judge: The judge.
        days: After how many days it expires.
        why: What the sealed questions are opened for; None leaves them closed.
        who: Who opens them.
        anchors: Answers to ask again later; see `anchor_run.carried`.
        criteria: The criteria to certify; every one with a verdict of good enough otherwise.

    Returns:
        The certificate, with the `id` it is kept under.

    Raises:
        Problem: Nothing of this judge can be certified, or it is not good enough on a criterion and
            none was named; then nothing is opened either.
    """
    refuse(panel, judge)
    found = _chosen(store, panel, judge, criteria, bool(why))
    opening = holdout.open_sealed(store, panel.sheet, why, who) if why else None
    if opening:
        annotators = [person.name for person in panel.annotators.values()]
        panel = panel_reading.read(
            store, panel.sheet, panel.rubric, annotators, sealed=opening.questions
        )
    quoted = [_quoted(store, panel, look, opening) for look in found]
    every = decided(store, panel.sheet, judge)
    body = certificate(store, panel, judge, quoted, every, now(), days, opening, anchors)
    first = found[0].decision_id if found else None
    kept = certificates.keep(store, body, panel.sheet.id, judge.id, first)
    if opening:
        holdout.certified(store, opening, kept)
    return body | {"id": kept}


def _chosen(
    store: Store, panel: Panel, judge: Grader, criteria: Sequence[str], sealed: bool
) -> list[Look]:
    """The looks that a certificate rests on, one per criterion, in the rubric's order.

    Raises:
        Problem: A named criterion is none of the rubric's or was never looked at; or none was
            named, and the judge is good enough on one and not on another.
    """
    names = [panel.rubric.criterion(name).name for name in criteria]
    looks = _newest(store, panel, judge)
    missing = [name for name in names if name not in looks]
    if missing:
        raise Problem(
            said(
                "No decision on {criterion} was looked at on sheet “{sheet}”. Look at one with "
                "`choose --criterion {criterion}`, or leave that criterion out.",
                criterion=missing[0],
                sheet=panel.sheet.name,
            )
        )
    if names:
        return [looks[name] for name in panel.weights if name in names]
    verdicts = {name: verdict_on(look.result, judge) for name, look in looks.items()}
    good = [name for name in panel.weights if verdicts.get(name) == GOOD_ENOUGH]
    failed = [name for name in panel.weights if verdicts.get(name) == NOT]
    if failed and (good or sealed):
        raise Problem(
            said(
                "{judge} is not good enough on {criteria} (looked at on {day}), so it is not "
                "certified as a whole. Name the criteria to certify, which then stand in the "
                "title: --criterion C.",
                judge=judge.name,
                criteria=joined(", ", failed),
                day=looks[failed[0]].created_at[:10],
            )
        )
    if sealed or not good:
        return list(looks.values())[:1] if not good else [looks[name] for name in good]
    fresh = [name for name in good if not _stale(store, panel, looks[name])]
    return [looks[name] for name in fresh or good]


def _newest(store: Store, panel: Panel, judge: Grader) -> dict[str, Look]:
    """By criterion the newest look under this rubric that says something of the judge.

    Where none does, the newest look at all, which then says why nothing is certified.
    """
    every = [
        look
        for look in decisions.newest_looks(store, panel.sheet.id)
        if look.result["rubric"] == panel.rubric.name and look.result["criterion"] in panel.weights
    ]
    about = [look for look in every if of_judge(look.result, judge)]
    found: dict[str, Look] = {}
    for look in about or every[:1]:
        found.setdefault(look.result["criterion"], look)
    return found


def _stale(store: Store, panel: Panel, look: Look) -> bool:
    """Whether the grades are others than the look saw."""
    decision = decisions.get(store, look.decision_id)
    return choose.standing(store, panel, decision).shown is None


def has_sealed(store: Store, sheet: Sheet) -> bool:
    """Whether a sheet has sealed questions that a certificate could rest on."""
    return bool(splits.sealed(store, sheet.id))


def sentence(body: dict) -> str:
    """What was certified, in a few lines."""
    lines = [f"{title(body)}."]
    lines += [f"Nothing is certified: {body['why_not']}."] if body["why_not"] else []
    lines += [f"Certified until {body['expires_at']}."] if body["certified"] else []
    return "\n".join(filter(None, [*lines, body["sentence"], *body["remarks"], *in_lines(body)]))


def write_page(body: dict, path: Path) -> None:
    """Write the certificate as an HTML page."""
    tables.write(path, page(body))


def _quoted(store: Store, panel: Panel, found: Look, opening: Opening | None) -> dict:
    """A look as a certificate quotes it; on sealed questions it is looked at anew."""
    decision = decisions.get(store, found.decision_id)
    if opening:
        number = len(holdout.openings(store, panel.sheet))
        shown = looked = choose.opened(store, panel, decision, number)
    else:
        stand = choose.standing(store, panel, decision)
        shown, looked = stand.shown, stand.shown or stand.before
    quoted = looked.as_json()
    return {
        **{key: quoted[key] for key in _QUOTED},
        "id": decision.id,
        "stale": shown is None,
        "others": _others(store, panel, decision),
        "judges": [{key: row[key] for key in _OF_JUDGES} for row in quoted["judges"]],
    }


def _others(store: Store, panel: Panel, decision: Decision) -> list[dict]:
    """Other terms about the same criterion that somebody looked at, with what they brought."""
    every = decisions.of_sheet(store, panel.sheet.id, decision.criterion, panel.rubric.name)
    return [
        {
            "against": other.against,
            "margin": other.margin,
            "minimum": other.minimum,
            "failure_recall": other.caught_minimum,
            "fixed_at": other.created_at,
            "verdicts": {row["judge"]: row["verdict"] for row in looks[-1].result["judges"]},
        }
        for other in every
        if other.id != decision.id and (looks := decisions.looks(store, other))
    ]


_QUOTED = ("criterion", "figure", "margin", "minimum", "failure_recall", "against", "fixed_at")
_QUOTED += ("fixed_after_sight", "looks", "looked_at", "level", "verdict", "winner", "sentence")
_QUOTED += ("about", "majority_baseline", "answers", "questions", "left_out", "signature")
_OF_JUDGES = (
    "judge",
    "fingerprint",
    "verdict",
    "why",
    "difference",
    "exact",
    "qwk",
    "failure_recall",
)
_OF_JUDGES += ("judge_minus_ceiling", "is_reference", "cost_per_1000", "seconds")
