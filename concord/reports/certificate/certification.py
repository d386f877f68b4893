"""Certification: whether a sheet can be certified, and writing its certificate.

Held-out questions are opened for it. Nothing simulated is certified, whatever the verdict.
"""

from collections.abc import Sequence
from typing import NamedTuple

from concord.clock import day_of, now
from concord.messages import Problem, Said, joined, on_command_line, said
from concord.model import BASELINE, Grader
from concord.reports.certificate.certificate import (
    DAYS,
    Certificate,
    QuotedDecision,
    read,
    signed,
)
from concord.reports.certificate.contents import contents, of_judge, refuse
from concord.reports.decision import choose, results, robustness
from concord.reports.decision.results import GOOD_ENOUGH, NOT
from concord.reports.panel.candidates import of_decision
from concord.reports.panel.panel import Panel
from concord.reports.panel.panel import read as read_panel
from concord.sampling import holdout
from concord.sampling.holdout import Opening
from concord.store import certificates, decisions
from concord.store.database import Store
from concord.store.decisions import Look


class Impossible(NamedTuple):
    """Why nothing on a sheet can be certified, with the remedy in the same sentence.

    Attributes:
        why: The sentence.
        lacks: What has to be supplied: `annotators`, `judge`, or `everything`.
    """

    why: Said
    lacks: str


def impossible(panel: Panel) -> Impossible | None:
    """Return why no judge on the sheet can be certified as long as its grades are simulated.

    None where one can be, and where there is no judge but the baseline.
    """
    judges = [one.simulated for one in panel.judges.values() if one.name != BASELINE]
    people = [one.name for one in panel.annotators.values() if one.simulated]
    if not judges or not (people or all(judges)):
        return None
    lacks = "annotators" if not all(judges) else "everything" if people else "judge"
    return Impossible(
        said(_LACKING[lacks], sheet=panel.sheet.name, names=joined(", ", people)), lacks
    )


_LACKING = {
    "annotators": said(
        "“{sheet}” cannot be certified while simulated annotators are included ({names}): let "
        "annotators grade it, or exclude these under Annotate, Progress."
    ),
    "everything": said(
        "“{sheet}” cannot be certified, because its judges and annotators are simulated: import "
        "your own answers, let annotators grade them, and run your own judge."
    ),
    "judge": said(
        "“{sheet}” cannot be certified, because its judges are simulated: run your own judge and "
        "choose it."
    ),
}


def certify(
    store: Store,
    panel: Panel,
    judge: Grader,
    days: int = DAYS,
    why: str | None = None,
    who: str = "",
    criteria: Sequence[str] = (),
) -> Certificate:
    """Write a certificate and store it.

    Args:
        store: The open store.
        panel: The sheet under a rubric, with the annotators who count.
        judge: The judge.
        days: After how many days it expires.
        why: What the held-out questions are opened for; None leaves them closed.
        who: Who opens them.
        criteria: The criteria to certify; every one with a verdict of good enough otherwise.

    Raises:
        Problem: Nothing of this judge can be certified, or it is not good enough on a criterion and
            none was named; then nothing is opened either.
    """
    refuse(panel, judge)
    found = _chosen(store, panel, judge, criteria, bool(why))
    panel = of_decision(panel, _annotators(store, found))
    opening = holdout.open_held_out(store, panel.sheet, why, who) if why else None
    if opening:
        annotators = [person.name for person in panel.annotators.values()]
        panel = read_panel(store, panel.sheet, panel.rubric, annotators, held_out=opening.questions)
    quoted = [_quoted(store, panel, judge, look, opening) for look in found]
    made = signed(contents(store, panel, judge, quoted, now(), days, opening))
    first = found[0].decision_id if found else None
    kept = certificates.keep(store, dict(made.document), panel.sheet.id, judge.id, first)
    if opening:
        holdout.certified(store, opening, kept)
    return read({**made.document, "id": kept})


def _chosen(
    store: Store, panel: Panel, judge: Grader, criteria: Sequence[str], held_out: bool
) -> list[Look]:
    """Return the looks a certificate is based on, one per criterion, in the rubric's order.

    Raises:
        Problem: A named criterion is not in the rubric or has no look; or none was named, and the
            judge is good enough on one and not on another.
    """
    names = [panel.rubric.criterion(name).name for name in criteria]
    looks = _newest(store, panel, judge)
    missing = [name for name in names if name not in looks]
    if missing:
        raise Problem(
            "No interim look was taken at a decision on {criterion} on sheet “{sheet}”. Take one "
            "under Decide{on_command_line}, or leave that criterion out.",
            criterion=missing[0],
            sheet=panel.sheet.name,
            on_command_line=on_command_line(f"`choose --criterion {missing[0]}`"),
        )
    if names:
        return [looks[name] for name in panel.weights if name in names]
    rows = {name: of_judge(results.read(one.result).judges, judge) for name, one in looks.items()}
    verdicts = {name: row and row.verdict for name, row in rows.items()}
    good = [name for name in panel.weights if verdicts.get(name) == GOOD_ENOUGH]
    failed = [name for name in panel.weights if verdicts.get(name) == NOT]
    if failed and (good or held_out):
        raise Problem(
            "{judge} is not good enough on {criteria} (looked at on {day}), so it is not "
            "certified as a whole. Choose the criteria to certify{on_command_line}, which are then "
            "part of the title.",
            judge=judge.name,
            criteria=joined(", ", failed),
            day=day_of(looks[failed[0]].created_at),
            on_command_line=on_command_line("`--criterion C`"),
        )
    if held_out or not good:
        return list(looks.values())[:1] if not good else [looks[name] for name in good]
    fresh = [name for name in good if not _stale(store, panel, looks[name])]
    return [looks[name] for name in fresh or good]


def _annotators(store: Store, found: Sequence[Look]) -> set[int] | None:
    """The annotators that the decisions name; None where one of them names none."""
    named = [decisions.get(store, look.decision_id).annotators for look in found]
    return None if None in named or not named else set().union(*named)


def is_decided(store: Store, panel: Panel) -> bool:
    """Return True where a look was taken under this rubric, without which nothing is certified."""
    return bool(_looks(store, panel))


def _looks(store: Store, panel: Panel) -> list[Look]:
    """Return the newest looks of the sheet's decisions under this rubric."""
    return [
        look
        for look in decisions.newest_looks(store, panel.sheet.id)
        if look.result["rubric"] == panel.rubric.name and look.result["criterion"] in panel.weights
    ]


def _newest(store: Store, panel: Panel, judge: Grader) -> dict[str, Look]:
    """Return by criterion the newest look under this rubric that compared the judge.

    The newest confirmatory one, where there is any.

    Without one, the newest look at all, which then explains why nothing is certified.
    """
    every = _looks(store, panel)
    about = [look for look in every if of_judge(results.read(look.result).judges, judge)]
    # An exploratory look is never certified, so one that came later replaces no confirmatory one.
    about.sort(key=lambda look: not results.read(look.result).confirmatory)
    found: dict[str, Look] = {}
    for look in about or every[:1]:
        found.setdefault(look.result["criterion"], look)
    return found


def _stale(store: Store, panel: Panel, look: Look) -> bool:
    """True where the grades have changed since the look."""
    decision = decisions.get(store, look.decision_id)
    return choose.standing(store, panel, decision).shown is None


def _quoted(
    store: Store, panel: Panel, judge: Grader, found: Look, opening: Opening | None
) -> QuotedDecision:
    """A look as a certificate quotes it; on held-out questions the judges are compared again."""
    decision = decisions.get(store, found.decision_id)
    if opening:
        number = len(holdout.openings(store, panel.sheet))
        shown = looked = choose.opened(store, panel, decision, number)
    else:
        stand = choose.standing(store, panel, decision)
        shown, looked = stand.shown, stand.shown or stand.before
    against = choose.reference_of(panel, decision)
    held = robustness.replayed(store, panel, decision, against, judge, looked)
    same = {"same": held.same, "of": held.of, "falls": held.falls}
    return QuotedDecision(looked, stale=shown is None, robustness=same)
