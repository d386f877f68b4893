"""Certification: whether a sheet can be certified, and writing its certificate.

Held-out questions are opened for it. Nothing simulated is certified, whatever the verdict.
"""

from collections.abc import Sequence

from concord.clock import day_of, now
from concord.messages import Problem, joined, on_command_line
from concord.model import Grader
from concord.reports.certificate.certificate import DAYS, Certificate, read, signed
from concord.reports.certificate.contents import contents, of_judge, refuse
from concord.reports.decision import choose, results, robustness
from concord.reports.decision.results import GOOD_ENOUGH, NOT, Choice
from concord.reports.panel.candidates import of_decision
from concord.reports.panel.panel import Panel
from concord.reports.panel.panel import read as read_panel
from concord.sampling import holdout
from concord.store import certificates, decisions
from concord.store.database import Store
from concord.store.decisions import Decision


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
    named = [decision.annotators for decision, _ in found]
    panel = of_decision(panel, None if None in named or not named else set().union(*named))
    opening = holdout.open_held_out(store, panel.sheet, why, who) if why else None
    if opening:
        annotators = [person.name for person in panel.annotators.values()]
        panel = read_panel(store, panel.sheet, panel.rubric, annotators, held_out=opening.questions)
    quoted = []
    for decision, _ in found:
        if opening:  # on held-out questions the judges are compared again
            number, stale = len(holdout.openings(store, panel.sheet)), False
            look = choose.compare(store, panel, decision, number)
        else:
            stand = choose.standing(store, panel, decision)
            look, stale = stand.result, not stand.current
        against = choose.reference_of(panel, decision)
        held = robustness.replayed(store, panel, decision, against, judge, look)
        quoted.append({"look": look, "stale": stale, "robustness": held})
    made = signed(contents(store, panel, judge, quoted, now(), days, opening)).document
    first = found[0][0].id if found else None
    kept = certificates.keep(store, made, panel.sheet.id, judge.id, first)
    if opening:
        holdout.certified(store, opening, kept)
    return read({**made, "id": kept})


def _looks(store: Store, panel: Panel) -> list[tuple[Decision, Choice]]:
    """Return the sheet's decisions under this rubric with their newest looks, the newest first."""
    looks = (
        (decisions.get(store, one.decision_id), results.read(one.result))
        for one in decisions.newest_looks(store, panel.sheet.id)
    )
    rubric = panel.rubric.name
    return [one for one in looks if one[1].rubric == rubric and one[1].criterion in panel.weights]


def _chosen(
    store: Store, panel: Panel, judge: Grader, criteria: Sequence[str], held_out: bool
) -> list[tuple[Decision, Choice]]:
    """Return the looks a certificate is based on, one per criterion, in the rubric's order.

    That is the newest confirmatory one that compared the judge, else the newest that did, else the
    newest at all, which then explains why nothing is certified.

    Raises:
        Problem: A named criterion is not in the rubric or has no look; or none was named, and the
            judge is good enough on one and not on another.
    """
    names, every = [panel.rubric.criterion(name).name for name in criteria], _looks(store, panel)
    about = [one for one in every if of_judge(one[1].judges, judge)]
    looks = {one[1].criterion: one for one in every[:1]} if not about else {}
    # An exploratory look is never certified, so one that came later replaces no confirmatory one.
    for one in sorted(about, key=lambda one: not one[1].confirmatory):
        looks.setdefault(one[1].criterion, one)
    missing = [name for name in names if name not in looks]
    if missing:
        raise Problem(
            "No interim look was taken at a decision on {criterion} on sheet “{sheet}”. Take one "
            "under Decide{on_command_line}, or leave that criterion out.",
            criterion=missing[0],
            sheet=panel.sheet.name,
            on_command_line=on_command_line(f"`choose --criterion {missing[0]}`"),
        )
    ordered = [name for name in panel.weights if name in looks]
    if names:
        return [looks[name] for name in ordered if name in names]
    verdicts = {name: of_judge(looks[name][1].judges, judge) for name in ordered if about}
    good = [name for name, row in verdicts.items() if row.verdict == GOOD_ENOUGH]
    failed = [name for name, row in verdicts.items() if row.verdict == NOT]
    if failed and (good or held_out):
        raise Problem(
            "{judge} is not good enough on {criteria} (looked at on {day}), so it is not "
            "certified as a whole. Choose the criteria to certify{on_command_line}, which are then "
            "part of the title.",
            judge=judge.name,
            criteria=joined(", ", failed),
            day=day_of(looks[failed[0]][1].looked_at),
            on_command_line=on_command_line("`--criterion C`"),
        )
    return [looks[name] for name in good] or list(looks.values())[:1]
