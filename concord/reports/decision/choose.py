"""Choose: which judge is the cheapest that is good enough, under terms that were fixed before.

`fix` writes the terms down; `look` compares the judges under them, which is stored and counted. A
look is complete: verdicts, costs, warnings, robustness and the finding.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from concord.clock import now
from concord.messages import Problem, joined
from concord.model import Grader
from concord.reports.decision.cost import Cost, costs, stated_prices
from concord.reports.decision.finding import finding, findings
from concord.reports.decision.finding import look as look_counted
from concord.reports.decision.looks import Look, next_look, opening, terms_of, tested
from concord.reports.decision.results import (
    CANNOT_TELL,
    GOOD_ENOUGH,
    NOT,
    OPENED,
    SETTLED,
    Choice,
    CostFound,
    DecisionMade,
    Judged,
    JudgeFound,
    KeptFrom,
    MoreLabels,
    Reasons,
    Terms,
    Verdicts,
    in_questions,
    per_question,
    read,
)
from concord.reports.decision.robustness import Robustness, holds, without_each
from concord.reports.decision.terms import changed_now, included
from concord.reports.decision.terms import described as first_terms
from concord.reports.decision.verdict import too_few, verdicts
from concord.reports.panel import provenance
from concord.reports.panel.candidates import (
    Field,
    among,
    check_scores,
    could_be_seen,
    digest,
    field,
    of_decision,
    pairs_of,
    repeated_questions,
)
from concord.reports.panel.criterion_comparison import EACH, ground
from concord.reports.panel.decision_conditions import (
    BY_KEY,
    failing_statistics,
    no_failing_statistics,
)
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.provenance import counted_annotators, named
from concord.reports.planning.interval_width import Extent, extent_of, least_questions
from concord.reports.reliability import annotator_alerts
from concord.stats.baselines import constant
from concord.stats.core.estimate import Reason, Statistics, Why, reason, undefined, with_interval
from concord.stats.decision.conditions import CEILING, DIFFERENCE, RECALL, REFERENCE, ProcedureTerms
from concord.stats.decision.deciding_figure import EXACT, FIGURES, MARGIN, QWK
from concord.stats.intervals.group_sequential import LOOKS_AT_MOST
from concord.stats.intervals.resampling import SEED
from concord.stats.planning.simulated_power import Looked, further_questions
from concord.store import decisions
from concord.store.database import Store
from concord.store.decisions import Decision
from concord.store.rubrics import rubric_versions

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


def _choice(chosen: _Compared) -> Choice:
    labels = chosen.field.on.panel.labels
    verdict, focus, by = _overall(chosen)
    more = chosen.more[focus.judge.id] if focus else MoreLabels(None, NO_CANDIDATE)
    more = more if verdict == CANNOT_TELL else MoreLabels(None, SETTLED)
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
        annotators=counted_annotators(panel.graded_by),
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
    most = more.range[1] if more.range else 0
    return not more.range, not likely, price is None, most, price or 0


def _rows(chosen: _Compared) -> tuple[JudgeFound, ...]:
    rows = [_row(one, chosen) for one in chosen.verdicts.judges]
    rows += [_sparse(judge, why, chosen) for judge, why in chosen.field.sparse.items()]
    return tuple(replace(row, on_front=_on_front(row, rows)) for row in rows)


def _row(one: Judged, chosen: _Compared) -> JudgeFound:
    judged, more = chosen.verdicts, chosen.more[one.judge.id]
    figures = one._asdict()
    return _of_judge(
        figures.pop("judge"),
        chosen,
        **figures,
        difference=one.conditions[DIFFERENCE].estimate if DIFFERENCE in one.conditions else _ITSELF,
        judge_minus_ceiling=one.conditions[CEILING].estimate,
        statistics=_failing_verdicts(one, chosen),
        vetoed=RECALL in one.vetoes,
        more_labels=more.range,
        more_labels_why_none=more.why_none,
        more_questions=more.range and in_questions(more.range, judged),
        n=judged.answers,
        questions=judged.questions,
        clusters=judged.clusters,
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
        "rubric": panel.rubric.name,
        provenance.VERSIONS: provenance.versions(panel, chosen.decision.criterion),
        "annotators": joined(", ", [named(p.name, p.simulated) for p in scored]),
        "answers": judged.answers,
        "questions": judged.questions,
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
        return MoreLabels(None, SETTLED)
    if look.number >= LOOKS_AT_MOST:
        return MoreLabels(None, NO_LOOK)
    tested = judged.p is not None
    if tested and found.clusters >= planned:
        return MoreLabels(None, ALL_GRADED if found.clusters == found.questions else ALL_DOCUMENTS)
    spent = look.shares if tested else ()
    place = next(n for n, one in enumerate(found.judges) if one is judged)
    forecast = further_questions(found.grades, place, terms, Looked(spent, planned))
    if forecast.why_none:
        return MoreLabels(None, forecast.why_none)
    if forecast.low is None or forecast.high is None:
        # The reference judge is compared with none, so of it that condition would mislead.
        of_itself = not place and forecast.blocked == REFERENCE
        why = NO_END if of_itself else _blocked(forecast.blocked)
        # What is planned of a candidate may be worse than what it has reached so far.
        if place:
            why = reason("as_good_as_reference", why=why)
        return MoreLabels(None, why)
    low, high = (math.ceil(end * per_question(found)) for end in forecast[:2])
    return MoreLabels((low, high))


def _blocked(condition: str | None) -> Reason:
    """Why no number of labels suffices, by the condition that holds least often."""
    words = BY_KEY.get(condition)
    return words.no_labels or NO_END if words else NO_END


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
        _choice(_Compared(found, decision, number, this, judged, spent, more)),
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
    sentence = joined(" ", filter(None, (text, *findings(result), *look_counted(result))))
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
        "first_terms": first_terms(store, first, verdict),
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


FAILURE_RECALL = 0.5
EXACT_LEVELS = 4  # of a scale, on which exact agreement may be proposed
MARGIN_STEP = 0.05  # of a proposed margin of QWK


@dataclass(frozen=True)
class Standing:
    """The state of a decision before another look.

    Attributes:
        look: What a look now would be.
        shown: The look at these very grades, if there was one.
        before: The newest look at other grades, if there was one.
        uncounted: Annotators whose grades do not count in the decision, with the reason.
        repriced: A price was stated since the look that is shown.
    """

    look: Look
    shown: Choice | None
    before: Choice | None
    uncounted: Reasons
    repriced: bool = False

    @property
    def free(self) -> bool:
        """True where a look now would spend nothing, and show what none has shown yet."""
        current = self.shown is not None and not self.repriced
        return not (current or self.look.new)


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
    return decisions.fix(store, proposed(store, panel, against, terms, criterion))


def fixed(
    store: Store, panel: Panel, against: Grader, terms: Terms, criterion: str | None = None
) -> Decision | None:
    """Return the decision that was fixed with these terms before; None where they are new."""
    return decisions.find(store, proposed(store, panel, against, terms, criterion))


def proposed(
    store: Store, panel: Panel, against: Grader, terms: Terms, criterion: str | None = None
) -> Decision:
    """Return the decision that fixing these terms would store, for confirmation; id 0.

    Where the panel is restricted to some annotators, the decision names these.

    Raises:
        Problem: As `fix`.
    """
    name = criterion_of(panel, criterion)
    _check(terms)
    _check_size(terms, extent_of(panel))
    field(panel, name, against)
    return Decision(
        id=0,
        sheet_id=panel.sheet.id,
        rubric_id=rubric_versions.register(store, panel.rubric, "app"),
        criterion=name,
        figure=terms.figure,
        margin=terms.margin,
        minimum=terms.minimum,
        failure_recall=terms.failure_recall,
        failure_precision=terms.failure_precision,
        against=against.label(),
        fixed_after_sight=could_be_seen(panel, name),
        created_at="",
        planned_questions=terms.planned_questions or planned(store, panel, against, name),
        annotators=tuple(sorted(panel.annotators)) if panel.restricted else None,
    )


def planned(store: Store, panel: Panel, against: Grader, criterion: str) -> int:
    """Return how many questions a new decision plans: as many as the first one on the criterion.

    Before that all that count in figures. A Problem where no decision about this judge is possible.
    """
    check_scores(panel, criterion, against)
    first = decisions.first(store, panel.sheet.id, criterion)
    return first.planned_questions if first else extent_of(panel).clusters


def default_terms(
    store: Store, panel: Panel, against: Grader, criterion: str | None = None, **named: Any
) -> Terms:
    """Return terms: those named, the first ones where the reference judge is theirs, or proposed.

    `named` are fields of `Terms`; what is None is not named. Figure and margin are proposed from
    the annotators' grades and the reference judge alone (`proposed_figure`).
    """
    name, named = criterion_of(panel, criterion), {k: v for k, v in named.items() if v is not None}
    first = decisions.first(store, panel.sheet.id, name)
    same_figure = first and named.get("figure", first.figure) == first.figure
    if same_figure and first.against == against.label():
        return Terms(**terms_of(first)._asdict() | named)
    check_scores(panel, name, against)
    figure, margin = proposed_figure(panel, name, against)
    if named.setdefault("figure", figure) != figure:
        margin = margin_of(named["figure"], named.get("margin"))
    return Terms(**{"margin": margin, "failure_recall": FAILURE_RECALL} | named)


def proposed_figure(panel: Panel, criterion: str, against: Grader) -> tuple[str, float]:
    """Return the key of the deciding figure that suits the annotators' grades, and its margin.

    Exact agreement on a scale of at most four levels where inter-annotator agreement is shown to
    lie above always giving one score; else QWK with half the reference judge's as the margin.
    Exact agreement, too, while that QWK is undefined, or on a sheet too small for a verdict on it.
    """
    on = ground(panel, criterion, EACH)
    scale, between = panel.rubric.scale, on.ceiling(np.ones(len(panel.items), bool))
    level = constant(between.used, scale)
    ceiling = between.figures[EXACT].low
    separates = level is not None and ceiling is not None and ceiling > level.exact
    qwk = on.judged(against).figures[QWK].value
    too_few = extent_of(panel).answers < FIGURES[QWK].answers
    if qwk is None or too_few or (len(scale) <= EXACT_LEVELS and separates):
        return EXACT, MARGIN
    return QWK, max(MARGIN_STEP, MARGIN_STEP * round(qwk / 2 / MARGIN_STEP))


def margin_of(figure: str, margin: float | None) -> float:
    """Return the margin, or the figure's own where none is named; a Problem where it has none."""
    if margin is not None:
        return margin
    found = FIGURES.get(figure)
    if found is not None and found.margin is None:
        raise Problem("Name the margin of {figure} with --margin, in its own unit.", figure=figure)
    return MARGIN


def standing(store: Store, panel: Panel, decision: Decision) -> Standing:
    """Return a decision's status without a comparison; it does not count as an interim look."""
    found = _field(panel, decision)
    grades, taken = digest(found), decisions.looks(store, decision)
    shown = [one.result for one in taken if one.grades_digest == grades]
    before = [one.result for one in taken if one.grades_digest != grades]
    last = read(shown[-1]) if shown else None
    return Standing(
        _next(store, decision, found),
        last,
        read(before[-1]) if before else None,
        found.on.panel.uncounted,
        last is not None and _is_repriced(store, panel, last),
    )


def _is_repriced(store: Store, panel: Panel, shown: Choice) -> bool:
    """Whether the prices that persons stated are others than those of a look."""
    named = {row.judge for row in shown.judges}
    now = stated_prices(store, panel.sheet, panel.judges.values())
    by_label = {panel.labels[i]: price for i, price in now.items() if panel.labels[i] in named}
    return by_label != decisions.stated_prices(shown.to_json())


def is_final(panel: Panel, decision: Decision) -> bool:
    """Return whether all planned questions are graded, so that the next look is the last one."""
    return _questions(_field(panel, decision)) >= decision.planned_questions


def look(store: Store, panel: Panel, decision: Decision) -> Choice:
    """Compare the judges under a decision and store the look.

    A look without new planned questions spends nothing: it describes the grades as they are now,
    with the verdicts of the last look that had some.
    """
    result = described(store, panel, decision)
    who = included(panel)
    decisions.look(store, decision, result.grades_digest, result.to_json(), who)
    return result


def described(store: Store, panel: Panel, decision: Decision) -> Choice:
    """Return what a look would find now, without storing it: for one that spends nothing."""
    return _compared(store, decision, _field(panel, decision))


def _compared(store: Store, decision: Decision, found: Field) -> Choice:
    this = _next(store, decision, found)
    return compared_look(store, found, decision, this, _decisive(store, decision, found, this))


def _next(store: Store, decision: Decision, found: Field) -> Look:
    """The look at the questions of a field, after all that share the decision's error."""
    of = decision.sheet_id, decision.criterion, decision.against
    spent = filter(tested, decisions.looks_on(store, *of))
    now = _questions(found)
    enough = too_few(found, FIGURES[decision.figure]) is None
    seen = [one.result["clusters"] for one in spent]
    return next_look(seen, now, decision.planned_questions, enough)


def _decisive(store: Store, decision: Decision, found: Field, this: Look) -> Choice | None:
    """The look whose verdicts stay, since this one has no new planned questions; None where new."""
    now, planned = _questions(found), decision.planned_questions
    taken = [read(one.result) for one in decisions.looks(store, decision)]
    kept = [
        one
        for one in taken
        if one.level
        and not one.too_few
        and (not this.level or min(one.clusters, planned) >= min(now, planned))
    ]
    if not kept:
        return None
    # The look at these very grades gives its own verdicts again, with the prices of today.
    last = kept[-1]
    same = last.grades_digest == digest(found) and not last.kept_from
    return None if same and this.level else last


def _questions(found: Field) -> int:
    return len(set(found.on.panel.cluster[found.common].tolist()))


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
    found = _field(panel, decision)
    result = compared_look(store, found, decision, opening(number))
    return replace(result, more_labels=None, more_labels_why_none=OPENED, more_questions=None)


def replayed(
    store: Store, panel: Panel, decision: Decision, judge: Grader, looked: Choice
) -> Robustness:
    """Return a sensitivity analysis of a look."""
    return holds(store, panel, decision, reference_of(panel, decision), judge, looked)


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


def _field(panel: Panel, decision: Decision) -> Field:
    """The judges of a decision and the grades of the annotators it names."""
    counted_annotators = of_decision(panel, decision.annotators)
    return field(counted_annotators, decision.criterion, reference_of(panel, decision))


def criterion_of(panel: Panel, criterion: str | None) -> str:
    """Return the name of the criterion named, else of the heaviest; a Problem for the composite."""
    if criterion == COMPOSITE:
        raise Problem(
            "Two weighted means are hardly ever equal, so a judge is not chosen by exact agreement "
            "on the composite. Name a criterion with --criterion."
        )
    name = criterion or panel.rubric.heaviest().name
    return panel.rubric.criterion(name).name


def _check(terms: Terms) -> None:
    if terms.figure not in FIGURES:
        known = joined(", ", FIGURES)
        raise Problem(
            "There is no deciding figure “{figure}”. Name one of: {known}.",
            figure=terms.figure,
            known=known,
        )
    figure = FIGURES[terms.figure]
    # The fields of the screen take no other numbers, so only the options are named.
    shares = {
        "--failure-recall": terms.failure_recall,
        "--failure-precision": terms.failure_precision,
    }
    own = {"--margin": terms.margin, "--minimum": terms.minimum}
    if figure.kind == "share":
        shares |= own
    for option, share in shares.items():
        if share is not None and not (math.isfinite(share) and 0 <= share <= 1):
            raise Problem(
                "{option} takes a share from 0 to 1, as 0.1 for ten points; not {share}.",
                option=option,
                share=share,
            )
    for option, number in own.items():
        if number is not None and not (math.isfinite(number) and number >= 0):
            raise Problem(
                "{option} takes a number from 0 on, not {number}.", option=option, number=number
            )
    if terms.margin == 0:
        raise Problem(
            "With a margin of 0 no number of answers can show non-inferiority. Name an acceptable "
            "loss, for example 0.1 for ten points."
        )


def _check_size(terms: Terms, extent: Extent) -> None:
    """Raise a Problem where no verdict can come of the planned questions, or of the sheet."""
    figure = FIGURES[terms.figure]
    if extent.answers < figure.answers:
        raise Problem(
            "A verdict on this figure requires {n} answers, and this sheet has {has}. Choose "
            "another figure, or import more answers.",
            n=figure.answers,
            has=extent.answers,
        )
    least = least_questions(figure, extent)
    if (terms.planned_questions or least) < min(least, extent.clusters):
        raise Problem(
            "A verdict on this figure requires {n} questions of this sheet, so fewer cannot be "
            "planned.",
            n=least,
        )
