"""One look at a decision, complete: verdicts, costs, warnings, robustness and the finding."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from concord.clock import now
from concord.messages import joined
from concord.reports.decision.choice import compared
from concord.reports.decision.cost import costs
from concord.reports.decision.finding import finding, findings, look
from concord.reports.decision.first_terms import changed_now, described
from concord.reports.decision.looks import Look, terms_of
from concord.reports.decision.more_labels import more_labels
from concord.reports.decision.results import (
    CANNOT_TELL,
    GOOD_ENOUGH,
    SETTLED,
    Choice,
    JudgeFound,
    KeptFrom,
    Terms,
)
from concord.reports.decision.robustness import without_each
from concord.reports.decision.verdict import verdicts
from concord.reports.panel.candidates import Field, among, digest, repeated_questions
from concord.reports.reliability import annotator_alerts
from concord.stats.core.estimate import reason
from concord.store import decisions
from concord.store.database import Store
from concord.store.decisions import Decision

NOT_COMPARED = reason("not_compared_at_look")


def compared_look(
    store: Store, found: Field, decision: Decision, this: Look, before: Choice | None = None
) -> Choice:
    """Compare the judges under a decision; return the look with its sentence and analyses.

    `before` is the look whose verdicts stay, where this one has no new planned questions.
    """
    before = before and _with_labels_of_now(before, found)
    shares = this.shares if this.level or before else None
    judged = verdicts(found, terms_of(decision), shares)
    judges = found.on.panel.judges
    spent = costs(store, found.on.panel.sheet, [*found.judges, *map(judges.get, found.sparse)])
    number = _number(store, decision)
    terms, planned = terms_of(decision).tested(), decision.planned_questions
    more = {one.judge.id: more_labels(one, judged, terms, this, planned) for one in judged.judges}
    result = replace(
        compared(found, decision, number, this, judged, spent, more),
        alerts=annotator_alerts.open_alerts(store, found.on.panel),
        without_annotators=without_each(found, terms_of(decision), judged, shares),
        repeated_questions=repeated_questions(store, found),
        grades_digest=digest(found),
        looked_at=now(),
    )
    if before:
        good = _confirmed(found, before, terms_of(decision), shares)
        result = _keeping(result, before, good)
    result = replace(result, **_of_first_terms(store, found, decision, result.verdict))
    text = finding(result).sentence()
    sentence = joined(" ", filter(None, (text, *findings(result), *look(result))))
    return replace(result, headline=text, sentence=sentence)


def _of_first_terms(
    store: Store, found: Field, decision: Decision, verdict: str
) -> dict[str, object]:
    """The parts of a look about the first terms; `verdict` is its own."""
    first = decisions.first(store, decision.sheet_id, decision.criterion)
    changed = changed_now(store, found.on.panel, decision)
    if first.id != decision.id:
        taken = decisions.looks(store, first)
        verdict = taken[-1].result["verdict"] if taken else None
    return {
        "first_terms": described(store, first, verdict),
        "changed_terms": changed,
        "confirmatory": not changed,
    }


def _with_labels_of_now(before: Choice, found: Field) -> Choice:
    """An earlier look under the labels of today: a namesake that came later changes them."""
    panel = found.on.panel
    called = {(one.name, one.fingerprint): panel.labels[i] for i, one in panel.judges.items()}
    new = {
        row.judge: called.get(
            (row.judge.removesuffix(f"@{row.fingerprint}"), row.fingerprint), row.judge
        )
        for row in before.judges
    }
    return replace(
        before,
        judges=tuple(replace(row, judge=new[row.judge]) for row in before.judges),
        about=new.get(before.about, before.about),
        winner=new.get(before.winner, before.winner),
    )


def _confirmed(
    found: Field, before: Choice, terms: Terms, shares: Sequence[float] | None
) -> set[str]:
    """The labels of the judges of an earlier look that the present grades find good enough.

    Tested without the judges that came later: these take answers and power, and no verdict of that
    look rests on them.
    """
    labels, those = found.on.panel.labels, {(row.judge, row.fingerprint) for row in before.judges}
    judged = verdicts(among(found, those), terms, shares)
    return {labels[one.judge.id] for one in judged.judges if one.verdict == GOOD_ENOUGH}


def _keeping(now: Choice, before: Choice, good: Collection[str]) -> Choice:
    """The look with the verdicts of an earlier one, and its conditions, as they were.

    `good` are the judges whose verdict of good enough the present grades confirm.
    """
    rows = {(row.judge, row.fingerprint): row for row in before.judges}
    first = KeptFrom(before.looked_at, before.answers, before.questions, before.clusters)
    return replace(
        now,
        judges=tuple(
            _with_verdict(row, rows.get((row.judge, row.fingerprint)), row.judge in good)
            for row in now.judges
        ),
        **{name: getattr(before, name) for name in _OF_LOOK},
        kept_from=before.kept_from or first,
        new_look=False,
        **({} if before.verdict == CANNOT_TELL else _FINAL),
    )


def _with_verdict(row: JudgeFound, before: JudgeFound | None, good: bool) -> JudgeFound:
    """A judge as it is now, with the verdict and the evidence it was given on.

    No error is left for one that came later, so none of its conditions passes or fails.
    """
    if before is None:
        untested = {
            name: replace(one, state="untested", p=None, p_not=None) if one.state != "none" else one
            for name, one in row.conditions.items()
        }
        return replace(
            row,
            verdict=CANNOT_TELL,
            why=(NOT_COMPARED,),
            p=None,
            vetoes=(),
            vetoed=False,
            conditions=untested,
            more_labels_why_none=None if row.more_labels else NOT_COMPARED,
        )
    return replace(
        row,
        **{name: getattr(before, name) for name in _OF_VERDICT},
        confirmed=before.verdict != GOOD_ENOUGH or good,
        **({} if before.verdict == CANNOT_TELL else _FINAL),
    )


_OF_LOOK = ("verdict", "winner", "winner_by", "about", "looks", "level", "shares")
_OF_VERDICT = ("verdict", "why", "p", "vetoes", "vetoed", "conditions")
_FINAL = {"more_labels": None, "more_labels_why_none": SETTLED, "more_questions": None}


def _number(store: Store, decision: Decision) -> int:
    """Return the number of the decision among those on the same answers and criterion, from 1."""
    every = decisions.of_sheet(store, decision.sheet_id, decision.criterion)
    return [one.id for one in every].index(decision.id) + 1
