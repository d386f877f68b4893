"""One look at a decision, complete: verdicts, costs, warnings, robustness and the finding."""

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from concord.clock import now
from concord.messages import joined, said
from concord.model import Grader
from concord.reports.decision.cost import Cost, costs
from concord.reports.decision.finding import finding, findings, look
from concord.reports.decision.first_terms import changed_now, described
from concord.reports.decision.looks import Look, terms_of
from concord.reports.decision.results import (
    CANNOT_TELL,
    GOOD_ENOUGH,
    NOT,
    SETTLED,
    Choice,
    ConditionFound,
    CostFound,
    DecisionMade,
    Judged,
    JudgeFound,
    KeptFrom,
    MoreLabels,
    Terms,
    Verdicts,
    in_questions,
    per_question,
)
from concord.reports.decision.robustness import without_each
from concord.reports.decision.verdict import verdicts
from concord.reports.panel import provenance
from concord.reports.panel.candidates import Field, among, digest, pairs_of, repeated_questions
from concord.reports.panel.decision_conditions import BY_KEY
from concord.reports.panel.failing_verdicts import failing_statistics, no_failing_statistics
from concord.reports.panel.simulated import counted, named
from concord.reports.reliability import annotator_alerts
from concord.stats.core.estimate import Reason, Statistics, Why, reason, undefined, with_interval
from concord.stats.decision.conditions import CEILING, DIFFERENCE, RECALL, REFERENCE, ProcedureTerms
from concord.stats.decision.deciding_figure import FIGURES
from concord.stats.intervals.group_sequential import LOOKS_AT_MOST
from concord.stats.intervals.resampling import SEED
from concord.stats.planning.further_questions import Looked, further_questions
from concord.store import decisions
from concord.store.database import Store
from concord.store.decisions import Decision

NO_CANDIDATE = reason("no_candidate")


class _Compared(NamedTuple):
    """Intermediate results of a look; costs and ranges by grader id."""

    field: Field
    decision: Decision
    number: int
    look: Look
    verdicts: Verdicts
    costs: dict[int, Cost]
    more: dict[int, MoreLabels]


def compared(
    found: Field,
    decision: Decision,
    number: int,
    look: Look,
    judged: Verdicts,
    costs: dict[int, Cost],
    more: dict[int, MoreLabels],
) -> Choice:
    """Return the result of a look; `number` counts decisions on the same answers from 1.

    Costs and further labels are by grader id.
    """
    return _choice(_Compared(found, decision, number, look, judged, costs, more))


def _choice(chosen: _Compared) -> Choice:
    labels = chosen.field.on.panel.labels
    verdict, focus, by = _overall(chosen)
    more = chosen.more[focus.judge.id] if focus else MoreLabels(None, None, NO_CANDIDATE)
    more = more if verdict == CANNOT_TELL else MoreLabels(None, None, SETTLED)
    decision, look, panel = chosen.decision, chosen.look, chosen.field.on.panel
    judged = chosen.verdicts
    return Choice(
        criterion=decision.criterion,
        figure=decision.figure,
        margin=decision.margin,
        failure_precision=decision.failure_precision,
        planned_questions=decision.planned_questions,
        shares=look.shares,
        baseline=judged.baseline,
        minimum=decision.minimum,
        failure_recall=decision.failure_recall,
        against=labels[chosen.field.reference.id],
        fixed_at=decision.created_at,
        fixed_after_sight=decision.fixed_after_sight,
        decision=DecisionMade(decision.id, chosen.number),
        winner=labels[focus.judge.id] if focus and verdict == GOOD_ENOUGH else None,
        winner_by=by,
        verdict=verdict,
        about=labels[focus.judge.id] if focus else None,
        more_labels=more.range,
        more_labels_why_none=more.why_none,
        more_questions=more.range and in_questions(more.range, judged),
        looks=look.number,
        new_look=look.new,
        level=look.level,
        judges=_rows(chosen),
        left_out=chosen.field.left_out,
        refits=_refits(chosen),
        sheet=panel.sheet.name,
        rubric=panel.rubric.name,
        uncounted=panel.uncounted,
        uncompared=judged.uncompared,
        annotators=counted(panel.graded_by),
        answers=judged.answers,
        questions=judged.questions,
        clusters=judged.clusters,
        overlap=judged.overlap,
        ceiling=judged.ceiling,
        majority_baseline=judged.constant,
        simulated=chosen.field.reference.simulated,
        failing_scores=tuple(sorted(panel.rubric.failing(chosen.field.on.criterion))),
        signature=_signature(chosen),
    )


def winner(
    judged: list[Judged], spent: dict[int, Cost], figure: str
) -> tuple[Judged | None, str | None]:
    """The cheapest candidate that is good enough, and what made it the winner.

    Args:
        judged: The candidates without the reference judge.
        spent: Costs by grader id.
        figure: The key of the deciding one.
    """
    good = [one for one in judged if one.verdict == GOOD_ENOUGH]
    if len(good) < 2:
        return (good[0], "only") if good else (None, None)
    priced = [one for one in good if spent[one.judge.id].per_1000 is not None]
    if priced:
        cheapest = min(priced, key=lambda one: (spent[one.judge.id].per_1000, -_level(one, figure)))
        return cheapest, "price"
    return max(good, key=lambda one: _level(one, figure)), "agreement"


def _level(one: Judged, figure: str) -> float:
    """How well a judge does in the deciding figure; more is better, and undefined is worst."""
    value = one.value.value
    return -math.inf if value is None else FIGURES[figure].sign * value


def _overall(chosen: _Compared) -> tuple[str, Judged | None, str | None]:
    """The verdict of the choice, the judge it is about, and what made it the winner.

    A judge that is good enough and known to be dearer than the reference judge settles nothing as
    long as one that is not may still be good enough. Where none is, the choice is about the one
    that it would take the fewest further labels to tell, else about the one that agrees most.
    """
    candidates = chosen.verdicts.judges[1:]
    first, by = winner(candidates, chosen.costs, chosen.decision.figure)
    pending = [one for one in candidates if one.verdict == CANNOT_TELL]
    if first and _dearer(first, chosen):
        pending = [one for one in pending if not _dearer(one, chosen)]
    if first and not (pending and _dearer(first, chosen)):
        return GOOD_ENOUGH, first, by
    if pending:
        return CANNOT_TELL, min(pending, key=lambda one: _promise(one, chosen)), None
    best = max(candidates, key=lambda one: _level(one, chosen.decision.figure), default=None)
    open_still = not candidates or chosen.field.sparse
    return (CANNOT_TELL, None, None) if open_still else (NOT, best, None)


def _dearer(one: Judged, chosen: _Compared) -> bool:
    """True where a judge is known to cost more than the reference judge."""
    ours, theirs = (chosen.costs[i].per_1000 for i in (one.judge.id, chosen.field.reference.id))
    return ours is not None and theirs is not None and ours > theirs


def _promise(one: Judged, chosen: _Compared) -> tuple:
    price, more = chosen.costs[one.judge.id].per_1000, chosen.more[one.judge.id]
    likely = all(
        each.above is None or each.estimate.value is None or each.estimate.value > each.above
        for each in one.conditions.values()
    )
    return more.low is None, not likely, price is None, more.high or 0, price or 0


def _rows(chosen: _Compared) -> tuple[JudgeFound, ...]:
    rows = [_row(one, chosen) for one in chosen.verdicts.judges]
    rows += [_sparse(judge, why, chosen) for judge, why in chosen.field.sparse.items()]
    return tuple(replace(row, on_front=_on_front(row, rows)) for row in rows)


def _row(one: Judged, chosen: _Compared) -> JudgeFound:
    conditions = {
        name: ConditionFound(each.estimate, each.above, each.state, each.p, each.p_not)
        for name, each in one.conditions.items()
    }
    more = chosen.more[one.judge.id]
    return _of_judge(
        one.judge,
        chosen,
        verdict=one.verdict,
        why=tuple(one.why),
        difference=conditions[DIFFERENCE].estimate if DIFFERENCE in conditions else _ITSELF,
        exact=one.exact,
        qwk=one.qwk,
        judge_minus_ceiling=conditions[CEILING].estimate,
        conditions=conditions,
        statistics=_failing_verdicts(one, chosen),
        vetoed=RECALL in one.vetoes,
        vetoes=one.vetoes,
        value=one.value,
        p=one.p,
        more_labels=more.range,
        more_labels_why_none=more.why_none,
        more_questions=more.range and in_questions(more.range, chosen.verdicts),
        n=chosen.verdicts.answers,
        questions=chosen.verdicts.questions,
        clusters=chosen.verdicts.clusters,
    )


def _failing_verdicts(one: Judged, chosen: _Compared) -> Statistics:
    """The figures of failing verdicts; those that are a condition with the interval it has."""
    field, rubric = chosen.field, chosen.field.on.panel.rubric
    pairs = pairs_of(field, one.judge)
    found = failing_statistics(pairs, rubric.scale, rubric.failing(field.on.criterion))
    tested = {name: each.estimate for name, each in one.conditions.items() if name in found.by_key}
    return replace(found, by_key=found.by_key | tested)


def _sparse(judge_id: int, why: Why, chosen: _Compared) -> JudgeFound:
    """A judge that scored too few of the answers."""
    figures = ("difference", "exact", "qwk", "judge_minus_ceiling", "value")
    return _of_judge(
        chosen.field.on.panel.judges[judge_id],
        chosen,
        verdict=CANNOT_TELL,
        why=(why,),
        **dict.fromkeys(figures, undefined(why)),
        statistics=no_failing_statistics(why),
        more_labels_why_none=why,
    )


def _of_judge(judge: Grader, chosen: _Compared, **figures: Any) -> JudgeFound:
    """A judge with its price, and with these figures."""
    spent = chosen.costs[judge.id]
    return JudgeFound(
        judge=chosen.field.on.panel.labels[judge.id],
        fingerprint=judge.fingerprint,
        simulated=judge.simulated,
        is_reference=judge.id == chosen.field.reference.id,
        failed=_without_score(judge.id, chosen, asked=True),
        not_graded=_without_score(judge.id, chosen, asked=False),
        cost_per_1000=spent.per_1000,
        seconds=spent.seconds,
        seconds_p95=spent.seconds_p95,
        cost=CostFound(spent, spent.words()),
        **figures,
    )


def _refits(chosen: _Compared) -> dict[str, str]:
    """The digest of the fit of each judge that was fitted on this sheet, by label."""
    labels, found = chosen.field.on.panel.labels, {}
    for one in chosen.verdicts.judges:
        fit = one.judge.definition.get("fit")
        # A fit that is frozen in the judge's own file was made on other questions.
        if fit and not one.judge.definition["judge"].get("fit"):
            found[labels[one.judge.id]] = fit["digest"]
    return found


def _without_score(judge_id: int, chosen: _Compared, asked: bool) -> int:
    """Return how many of the answers annotators scored a judge left unscored, or never graded."""
    on = chosen.field.on
    status = on.panel.of(on.name, judge_id).status
    without = status > 0 if asked else status < 0
    return int((without & on.panel.open & (on.annotators.why == "")).sum())


_ITSELF = with_interval(0.0, 0.0, 0.0, "to itself")


def _on_front(row: JudgeFound, rows: list[JudgeFound]) -> bool:
    """True where no judge is better in price and in the deciding figure at once."""
    return _known_both(row) and not any(_beats(one, row) for one in rows if _known_both(one))


def _gain(row: JudgeFound) -> float | None:
    """Return the advantage of a judge over the reference judge, on the answers they share."""
    return 0.0 if row.is_reference else row.difference.value


def _known_both(row: JudgeFound) -> bool:
    return row.cost_per_1000 is not None and _gain(row) is not None


def _beats(one: JudgeFound, other: JudgeFound) -> bool:
    ours, theirs = ((-row.cost_per_1000, _gain(row)) for row in (one, other))
    return ours != theirs and all(a >= b for a, b in zip(ours, theirs, strict=True))


def _signature(chosen: _Compared) -> str:
    panel, judged = chosen.field.on.panel, chosen.verdicts
    scored = chosen.field.on.annotators_on(chosen.field.common)
    methods = [one.exact.method for one in judged.judges if one.exact.method]
    entries = {
        said("rubric"): panel.rubric.name,
        provenance.VERSIONS: provenance.versions(panel, chosen.decision.criterion),
        said("annotators"): joined(", ", [named(p.name, p.simulated) for p in scored]),
        said("answers"): judged.answers,
        said("questions"): judged.questions,
        provenance.CLUSTERS: judged.clusters,
        **provenance.synthetic(panel),
        **provenance.reweighted(panel),
        provenance.OF_INTERVALS: methods[0] if methods else provenance.NOTHING,
        provenance.SEED: str(SEED),
    }
    return provenance.in_one_line(entries)


NO_LOOK = reason("all_looks_spent")
ALL_GRADED = reason("all_planned_questions_graded")
ALL_DOCUMENTS = reason("all_planned_documents_graded")
NO_END = reason("more_than_100_000_questions")


def more_labels(
    judged: Judged, found: Verdicts, terms: ProcedureTerms, look: Look, planned: int
) -> MoreLabels:
    """Return the range for one judge.

    Args:
        judged: The judge.
        found: All of them, with their grades.
        terms: Of the decision.
        look: This one.
        planned: Questions planned; more than these count as if they had been planned.
    """
    if judged.verdict != CANNOT_TELL:
        return _none(SETTLED)
    if look.number >= LOOKS_AT_MOST:
        return _none(NO_LOOK)
    tested = judged.p is not None
    if tested and found.clusters >= planned:
        return _none(ALL_GRADED if found.clusters == found.questions else ALL_DOCUMENTS)
    spent = look.shares if tested else ()
    place = next(n for n, one in enumerate(found.judges) if one is judged)
    forecast = further_questions(found.grades, place, terms, Looked(spent, planned))
    if forecast.why_none:
        return _none(forecast.why_none)
    if forecast.low is None or forecast.high is None:
        # The reference judge is compared with none, so of it that condition would mislead.
        of_itself = not place and forecast.blocked == REFERENCE
        why = NO_END if of_itself else _blocked(forecast.blocked)
        # What is planned of a candidate may be worse than what it has reached so far.
        if place:
            why = reason("as_good_as_reference", why=why)
        return _none(why)
    return MoreLabels(*(math.ceil(end * per_question(found)) for end in forecast[:2]))


def _blocked(condition: str | None) -> Reason:
    """Why no number of labels suffices, by the condition that holds least often."""
    words = BY_KEY.get(condition)
    return words.no_labels or NO_END if words else NO_END


def _none(why: Why) -> MoreLabels:
    return MoreLabels(None, None, why)


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
