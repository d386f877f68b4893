"""One look at a decision, complete: verdicts, costs, warnings, robustness and the finding."""

from dataclasses import replace

from concord.clock import now
from concord.messages import joined, said
from concord.reports.decision.choice import compared
from concord.reports.decision.cost import costs
from concord.reports.decision.document import document
from concord.reports.decision.looks import Look, terms_of
from concord.reports.decision.more_labels import more_labels
from concord.reports.decision.results import CANNOT_TELL, Choice, JudgeFound
from concord.reports.decision.robustness import without_each
from concord.reports.decision.verdict import verdicts
from concord.reports.panel.candidates import Field, digest
from concord.reports.reliability import annotator_warnings
from concord.store import decisions
from concord.store.database import Store
from concord.store.decisions import Decision

NOT_COMPARED = said("it was not compared at the look that gave the verdicts")


def compared_look(store: Store, found: Field, decision: Decision, this: Look) -> Choice:
    """Compare the judges under a decision; return the look with its sentence and analyses."""
    shares = this.shares if this.level else None
    judged = verdicts(found, terms_of(decision), shares)
    judges = found.on.panel.judges
    spent = costs(store, found.on.panel.sheet, [*found.judges, *map(judges.get, found.sparse)])
    number = _number(store, decision)
    terms, planned = terms_of(decision).tested(), decision.planned_questions or judged.clusters
    more = {one.judge.id: more_labels(one, judged, terms, this, planned) for one in judged.judges}
    result = replace(
        compared(found, decision, number, this, judged, spent, more),
        annotator_warnings=tuple(annotator_warnings.warnings(found.on.panel, [found.on.name])),
        without_annotators=without_each(found, terms_of(decision), judged, shares),
        confirmatory=_confirmatory(store, decision),
        grades_digest=digest(found),
        looked_at=now(),
    )
    return _worded(result)


def keeping(now: Choice, before: Choice) -> Choice:
    """Return a look with the verdicts of an earlier one, since no question is new."""
    rows = {(row.judge, row.fingerprint): row for row in before.judges}
    kept = tuple(_kept(row, rows.get((row.judge, row.fingerprint))) for row in now.judges)
    result = replace(
        now,
        judges=kept,
        verdict=before.verdict,
        winner=before.winner,
        winner_by=before.winner_by,
        about=before.about,
        kept_verdict=True,
        new_look=False,
    )
    return _worded(result)


def _worded(result: Choice) -> Choice:
    shown = document(result)
    sentence = joined(" ", (shown.headline, *shown.facts))
    return replace(result, headline=shown.headline, sentence=sentence)


def _kept(row: JudgeFound, before: JudgeFound | None) -> JudgeFound:
    """A judge as it is now, with the verdict and the evidence it was given on."""
    if before is None:
        return replace(row, verdict=CANNOT_TELL, why=(NOT_COMPARED,))
    conditions = {
        name: replace(before.conditions[name], estimate=one.estimate)
        if name in before.conditions
        else one
        for name, one in row.conditions.items()
    }
    return replace(
        row,
        verdict=before.verdict,
        why=before.why,
        p=before.p,
        vetoes=before.vetoes,
        vetoed=before.vetoed,
        conditions=conditions,
    )


def _confirmatory(store: Store, decision: Decision) -> bool:
    """True where no other figure was fixed before for the criterion and the reference judge."""
    every = decisions.of_sheet(store, decision.sheet_id, decision.criterion)
    first = next(one for one in every if one.against == decision.against)
    return first.metric == decision.metric


def _number(store: Store, decision: Decision) -> int:
    """Return the number of the decision among those on the same answers and criterion, from 1."""
    every = decisions.of_sheet(store, decision.sheet_id, decision.criterion)
    return [one.id for one in every].index(decision.id) + 1
