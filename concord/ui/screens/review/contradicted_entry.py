"""A claim that a judge calls contradicted as the review component shows it."""

from concord.messages import joined, said
from concord.reports.panel.simulated import named
from concord.reports.units import contradicted_claims as contradicted
from concord.reports.units.contradicted_claims import RubricRefutations
from concord.store.units.contradicted_claims import CONFIRMED, Refutation
from concord.text.display import visible
from concord.ui.components import review_data as data
from concord.ui.language import say, word
from concord.ui.markup import safe_html


def entry(found: RubricRefutations, one: Refutation, answer: str, several: bool) -> data.ShownEntry:
    """Return a refutation with its review; `several` where the list is of several judges."""
    judge = word(named(one.judge, one.simulated))
    unit, about = visible(one.unit), judge if several else ""
    return data.ShownEntry(
        id=str(one.grade_id),
        row=unit,
        about=" · ".join(filter(None, (about, one.answer_model))),
        marks=[],
        model=one.answer_model or "",
        question=visible(one.question),
        answer=safe_html(answer),
        claim=data.ShownClaim(
            title=say("{judge} calls it contradicted", judge=judge),
            text=unit,
            judge=say("Reason given by {judge}", judge=judge),
            reason=visible(one.reason),
            others=[_elsewhere(other) for other in contradicted.elsewhere(found, one)],
        ),
        decision=one.word,
        note=one.note,
        who=one.who,
    )


def _elsewhere(other: Refutation) -> str:
    """Return what was decided on the same unit for another judge."""
    text = said(
        "{who} confirmed the same for {judge}."
        if other.word == CONFIRMED
        else "{who} overturned the same for {judge}.",
        who=other.who,
        judge=named(other.judge, other.simulated),
    )
    return word(joined(" ", [text, other.note]))
