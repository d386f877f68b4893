"""Choose: which judge is the cheapest that is good enough, under terms that were fixed before.

`fix` writes the terms down; `look` compares the judges under them, which is stored and counted.
"""

import math
from dataclasses import dataclass, replace

from concord.messages import Problem, said
from concord.model import Grader
from concord.reports.decision.compared_look import compared_look, repriced
from concord.reports.decision.results import Choice, Terms, read, to_json
from concord.reports.panel.candidates import could_be_seen, digest, field
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.stats.intervals.alpha_spending import AT_MOST, LEVEL, Look, next_look
from concord.store import decisions
from concord.store.database import Store
from concord.store.decisions import Decision
from concord.store.rubrics import rubric_versions

MARGIN, FAILURE_RECALL = 0.10, 0.5
METRIC = "exact"


@dataclass(frozen=True)
class Standing:
    """The state of a decision before another look.

    Attributes:
        look: What a look now would be.
        shown: The look at these very grades, if there was one.
        before: The newest look at other grades, if there was one.
        repriced: A price was stated since the look that is shown.
    """

    look: Look
    shown: Choice | None
    before: Choice | None
    repriced: bool = False


OPENED = said("held-out questions are opened once")


def fix(
    store: Store,
    panel: Panel,
    against: Grader,
    terms: Terms,
    criterion: str | None = None,
) -> Decision:
    """Store a decision before its result is shown; identical terms return the same one.

    Raises:
        Problem: The criterion is not in the rubric, the baseline is the reference, or a share is
            invalid.
    """
    name = _criterion(panel, criterion)
    _check(terms)
    field(panel, name, against)
    return decisions.fix(
        store,
        fixed_after_sight=could_be_seen(panel, name),
        sheet_id=panel.sheet.id,
        rubric_id=rubric_versions.register(store, panel.rubric, "app"),
        criterion=name,
        metric=METRIC,
        margin=terms.margin,
        minimum=terms.minimum,
        caught_minimum=terms.failure_recall,
        against=against.label(),
    )


def standing(store: Store, panel: Panel, decision: Decision) -> Standing:
    """Return a decision's status without a comparison; it does not count as an interim look."""
    grades = digest(field(panel, decision.criterion, reference_of(panel, decision)))
    taken = decisions.looks(store, decision)
    shown = [one.result for one in taken if one.grades_digest == grades]
    before = [one.result for one in taken if one.grades_digest != grades]
    last = read(shown[-1]) if shown else None
    return Standing(
        next_look(decisions.seen(store, decision), grades),
        last,
        read(before[-1]) if before else None,
        last is not None and repriced(store, panel, last),
    )


def look(store: Store, panel: Panel, decision: Decision) -> Choice:
    """Compare the judges under a decision and store the look.

    With the same grades as at an earlier look it is that look again, and spends nothing.
    """
    found = field(panel, decision.criterion, reference_of(panel, decision))
    this = next_look(decisions.seen(store, decision), digest(found))
    result = compared_look(store, found, decision, this)
    decisions.look(store, decision, result.grades_digest, to_json(result))
    return result


def opened(store: Store, panel: Panel, decision: Decision, number: int) -> Choice:
    """Compare the judges under a decision on held-out questions; the opening is the record of it.

    Args:
        store: The open store.
        panel: The held-out questions.
        decision: The decision.
        number: Which opening of them it is, counted from 1; each spends error as a look does.

    Returns:
        What `look` returns, with no further labels: held-out questions are opened once.
    """
    found = field(panel, decision.criterion, reference_of(panel, decision))
    this = Look(number, True, LEVEL if number <= AT_MOST else None)
    result = compared_look(store, found, decision, this)
    return replace(result, more_labels=None, more_labels_why_none=OPENED, more_questions=None)


def reference_of(panel: Panel, decision: Decision) -> Grader:
    """The very judge a decision named as the reference; a namesake is another judge.

    Raises:
        Problem: It has no grade on the sheet any more.
    """
    for judge in panel.judges.values():
        if judge.label() == decision.against:
            return judge
    raise Problem(
        "The reference judge {judge} no longer has grades on sheet “{sheet}”. Fix new terms with "
        "a judge that has.",
        judge=decision.against,
        sheet=panel.sheet.name,
    )


def _criterion(panel: Panel, criterion: str | None) -> str:
    if criterion == COMPOSITE:
        raise Problem(
            "Two weighted means are hardly ever equal, so a judge is not chosen by exact agreement "
            "on the composite. Name a criterion with --criterion."
        )
    name = criterion or panel.rubric.heaviest().name
    return panel.rubric.criterion(name).name


def _check(terms: Terms) -> None:
    for name, share in terms._asdict().items():
        if share is not None and not (math.isfinite(share) and 0 <= share <= 1):
            raise Problem(
                "The {name} is a share from 0 to 1, as 0.1 for ten points; not {share}.",
                name=name,
                share=share,
            )
    if terms.margin == 0:
        raise Problem(
            "With a margin of 0 no number of answers can show non-inferiority. Name an acceptable "
            "loss, for example 0.1 for ten points."
        )
