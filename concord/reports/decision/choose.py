"""Choose: which judge is the cheapest that is good enough, under terms that were fixed before.

`fix` writes the terms down; `look` compares the judges under them, which is stored and counted. A
look is complete: verdicts, costs, warnings and the finding.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from concord.clock import now
from concord.messages import Problem, joined
from concord.model import Grader
from concord.reports.decision.cost import costs, stated_prices
from concord.reports.decision.document import caveats, headline
from concord.reports.decision.results import (
    CANNOT_TELL,
    GOOD_ENOUGH,
    NOT,
    Choice,
    JudgeFound,
    Range,
    Reasons,
    Terms,
    doubted,
    read,
)
from concord.reports.decision.terms import ALL_INCLUDED, changed_now, included
from concord.reports.decision.verdict import Verdicts, too_few, verdicts
from concord.reports.document import as_json
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
from concord.stats.core.estimate import Why, reason, undefined
from concord.stats.decision.conditions import REFERENCE
from concord.stats.decision.deciding_figure import EXACT, FIGURES, MARGIN, QWK
from concord.stats.intervals.group_sequential import LOOKS_AT_MOST, level
from concord.stats.intervals.resampling import SEED
from concord.stats.planning.simulated_power import Looked, further_questions
from concord.store import decisions, graders
from concord.store.database import Store
from concord.store.decisions import Decision
from concord.store.rubrics import rubric_versions

SETTLED, OPENED = reason("verdict_final"), reason("held_out_opened_once")
NO_CANDIDATE, NOT_COMPARED = reason("no_candidate"), reason("not_compared_at_look")
NO_END = reason("more_than_100_000_questions")


class Look(NamedTuple):
    """One interim look at a decision.

    Attributes:
        number: From 1.
        new: True with planned questions that no earlier look saw, and error left for them.
        shares: Of the planned questions at the looks that spent error, the last one last.
        level: The nominal one-sided level of this one; None where no error is left, since all
            planned questions, or four looks, were seen before.
    """

    number: int
    new: bool
    shares: tuple[float, ...]
    level: float | None


def next_look(seen: Sequence[int], now: int, planned: int, enough: bool = True) -> Look:
    """Return the look at so many questions.

    Args:
        seen: Questions at the earlier looks that tested something, in any order.
        now: Questions now.
        planned: Questions planned.
        enough: Whether a verdict can come of the grades now; a look at fewer spends nothing.
    """
    if not enough:
        return Look(1, True, (1.0,), level((1.0,)))
    spent = sorted({min(size, planned) for size in seen if size < now})
    # What was planned is what the error was spent on, so questions beyond it are not new.
    left = len(spent) < LOOKS_AT_MOST and max(spent, default=0) < planned
    shares = tuple(size / planned for size in ((*spent, min(now, planned)) if left else spent))
    new = left and now > max(seen, default=0)
    return Look(len(shares), new, shares, level(shares) if left else None)


def opening(number: int) -> Look:
    """Return the look at held-out questions at their opening, counted from 1.

    Each opening spends error as a look does, as if a quarter of what was planned were new.
    """
    shares = tuple(place / LOOKS_AT_MOST for place in range(1, number + 1))
    return Look(number, True, shares, level(shares) if number <= LOOKS_AT_MOST else None)


def compared_look(
    store: Store, found: Field, decision: Decision, this: Look, before: Choice | None = None
) -> Choice:
    """Compare the judges under a decision; return the look with its sentence and warnings.

    `before` is the look whose verdicts stay, where this one has no new planned questions.
    """
    panel = found.on.panel
    before = before and _with_labels_of_now(before, found)
    shares = this.shares if this.level or before else None
    judged = verdicts(found, decision, shares)
    rows = _rows(store, found, decision, this, judged)
    first, *candidates = rows[: len(found.judges)]
    verdict, focus, by = _overall(first, candidates, decision.figure, bool(found.sparse))
    open_still = verdict == CANNOT_TELL
    every = decisions.of_sheet(store, decision.sheet_id, decision.criterion)
    result = Choice(
        criterion=decision.criterion,
        **{name: getattr(decision, name) for name in Terms._fields},
        **judged.facts,
        against=first.judge,
        fixed_at=decision.created_at,
        fixed_after_sight=decision.fixed_after_sight,
        decision={
            "id": decision.id,
            "number": [one.id for one in every].index(decision.id) + 1,
        },
        verdict=verdict,
        winner=focus.judge if focus and verdict == GOOD_ENOUGH else None,
        winner_by=by,
        about=focus and focus.judge,
        more_labels=focus.more_labels if focus and open_still else None,
        more_labels_why_none=(focus.more_labels_why_none if focus else NO_CANDIDATE)
        if open_still
        else SETTLED,
        more_questions=focus.more_questions if focus and open_still else None,
        looks=this.number,
        new_look=this.new,
        level=this.level,
        shares=this.shares,
        judges=tuple(rows),
        left_out=found.left_out,
        refits=_refits(found),
        sheet=panel.sheet.name,
        rubric=panel.rubric.name,
        uncounted=panel.uncounted,
        annotators=counted_annotators(panel.graded_by),
        simulated=found.reference.simulated,
        failing_scores=tuple(sorted(panel.rubric.failing(found.on.criterion))),
        signature=_signature(found, decision, judged),
        alerts=tuple(map(as_json, annotator_alerts.open_alerts(store, panel))),
        repeated_questions=repeated_questions(store, found),
        grades_digest=digest(found),
        looked_at=now(),
    )
    without = _without_annotators(found, decision, judged, doubted(result), shares)
    result = replace(result, without_annotators=without)
    if before:
        result = _keeping(result, before, _confirmed(found, before, decision, shares))
    origin = decisions.first(store, decision.sheet_id, decision.criterion)
    then = result.verdict
    if origin.id != decision.id:
        taken = decisions.looks(store, origin)
        then = taken[-1].result["verdict"] if taken else None
    changed = changed_now(store, panel, decision)
    names = origin.annotators and sorted(graders.get(store, i).name for i in origin.annotators)
    result = replace(
        result,
        first_terms={
            "figure": origin.figure,
            "margin": origin.margin,
            "minimum": origin.minimum,
            "against": origin.against,
            "annotators": ALL_INCLUDED if names is None else names,
            "planned": origin.planned_questions,
            "verdict": then,
            "when": origin.created_at,
        },
        changed_terms=changed,
        confirmatory=not changed,
    )
    title = headline(result)
    facts = joined(" ", [one.text for one in caveats(result)])
    return replace(result, headline=title, sentence=joined(". ", [title, facts]))


def _rows(
    store: Store, found: Field, decision: Decision, this: Look, judged: Verdicts
) -> list[JudgeFound]:
    """Return every judge with price and forecast, also those that scored too few answers."""
    panel = found.on.panel
    sparse = [(panel.judges[i], why) for i, why in found.sparse.items()]
    spent = costs(store, panel.sheet, [*found.judges, *(one for one, _ in sparse)])

    def row(judge: Grader, figures: JudgeFound) -> JudgeFound:
        status = panel.of(found.on.name, judge.id).status
        open_to = panel.open & (found.on.annotators.why == "")
        price = spent[judge.id]
        return replace(
            figures,
            failed=int(((status > 0) & open_to).sum()),
            not_graded=int(((status < 0) & open_to).sum()),
            cost_per_1000=price.per_1000,
            seconds=price.seconds,
            seconds_p95=price.seconds_p95,
            cost=price,
        )

    rows = []
    for place, judge in enumerate(found.judges):
        one = judged.rows[judge.id]
        failing = failing_statistics(
            pairs_of(found, judge), panel.rubric.scale, panel.rubric.failing(found.on.criterion)
        )
        # Those that are a condition have the interval of their test's estimate.
        tested = {k: each.estimate for k, each in one.conditions.items() if k in failing.by_key}
        more, why = _more_labels(judged, one, place, decision, this)
        rows.append(
            replace(
                row(judge, one),
                statistics=replace(failing, by_key=failing.by_key | tested),
                more_labels=more and _answers(more, judged.facts),
                more_labels_why_none=why,
                more_questions=more,
            )
        )
    for judge, why in sparse:
        names = ("difference", "exact", "qwk", "judge_minus_ceiling", "value")
        missing = JudgeFound(
            panel.labels[judge.id],
            CANNOT_TELL,
            fingerprint=judge.fingerprint,
            simulated=judge.simulated,
            why=(why,),
            statistics=no_failing_statistics(why),
            more_labels_why_none=why,
            **dict.fromkeys(names, undefined(why)),
        )
        rows.append(row(judge, missing))
    return [replace(one, on_front=_on_front(one, rows)) for one in rows]


def _without_annotators(
    found: Field,
    decision: Decision,
    judged: Verdicts,
    doubtful: Iterable[str],
    shares: Sequence[float] | None,
) -> tuple[dict[str, str], ...]:
    """Return the verdicts with and without each annotator on whom an alert is open."""
    panel, rows = found.on.panel, []
    for name in doubtful:
        rest = [one.name for one in panel.graded_by if named(one.name, one.simulated) != name]
        if rest and len(rest) < len(panel.graded_by):
            left = field(panel.choosing(rest), found.on.name, found.reference)
            without = verdicts(left, decision, shares, intervals=False).rows
            rows += [
                {
                    "annotator": name,
                    "judge": one.judge,
                    "verdict": one.verdict,
                    "without": without[i].verdict,
                }
                for i, one in judged.rows.items()
                if i in without
            ]
    return tuple(rows)


def _overall(
    reference: JudgeFound, candidates: Sequence[JudgeFound], figure: str, sparse: bool
) -> tuple[str, JudgeFound | None, str | None]:
    """The verdict of the choice, the judge it is about, and what made it the winner.

    The cheapest that is good enough wins. One that is known to be dearer than the reference judge
    settles nothing as long as one that is not may still be good enough. Where none is, the choice
    is about the one that it would take the fewest further labels to tell, else about the one that
    agrees most. `sparse` where judges scored too few answers to be compared.
    """

    def agrees(one: JudgeFound) -> float:
        value = one.value.value
        return -math.inf if value is None else FIGURES[figure].sign * value

    def dearer(one: JudgeFound) -> bool:
        ours, theirs = one.cost_per_1000, reference.cost_per_1000
        return ours is not None and theirs is not None and ours > theirs

    def promise(one: JudgeFound) -> tuple:
        likely = all(
            each.above is None or each.estimate.value is None or each.estimate.value > each.above
            for each in one.conditions.values()
        )
        most = one.more_labels[1] if one.more_labels else 0
        price = one.cost_per_1000
        return not one.more_labels, not likely, price is None, most, price or 0

    good = [one for one in candidates if one.verdict == GOOD_ENOUGH]
    priced = [one for one in good if one.cost_per_1000 is not None]
    first = max(good, key=agrees, default=None)
    if priced:
        first = min(priced, key=lambda one: (one.cost_per_1000, -agrees(one)))
    by = None if not good else "only" if len(good) == 1 else "price" if priced else "agreement"
    pending = [one for one in candidates if one.verdict == CANNOT_TELL]
    if first and dearer(first):
        pending = [one for one in pending if not dearer(one)]
    if first and not (pending and dearer(first)):
        return GOOD_ENOUGH, first, by
    if pending:
        return CANNOT_TELL, min(pending, key=promise), None
    if not candidates or sparse:
        return CANNOT_TELL, None, None
    return NOT, max(candidates, key=agrees), None


def _refits(found: Field) -> dict[str, str]:
    """The digest of the fit of each judge that was fitted on this sheet, by label.

    A fit that is frozen in the judge's own file was made on other questions.
    """
    fits = {one.id: one.definition.get("fit") for one in found.judges}
    return {
        found.on.panel.labels[one.id]: fits[one.id]["digest"]
        for one in found.judges
        if fits[one.id] and not one.definition["judge"].get("fit")
    }


def _on_front(row: JudgeFound, rows: Sequence[JudgeFound]) -> bool:
    """True where no judge is better in price and in the deciding figure at once."""

    def both(one: JudgeFound) -> tuple[float, float] | None:
        price, gain = one.cost_per_1000, 0.0 if one.is_reference else one.difference.value
        return None if price is None or gain is None else (-price, gain)

    mine = both(row)
    others = [theirs for one in rows if (theirs := both(one)) and theirs != mine]
    return mine is not None and not any(
        all(a >= b for a, b in zip(theirs, mine, strict=True)) for theirs in others
    )


def _signature(found: Field, decision: Decision, judged: Verdicts) -> str:
    panel = found.on.panel
    methods = [one.exact.method for one in judged.rows.values() if one.exact.method]
    scored = found.on.annotators_on(found.common)
    entries = {
        "rubric": panel.rubric.name,
        provenance.VERSIONS: provenance.versions(panel, decision.criterion),
        "annotators": joined(", ", [named(p.name, p.simulated) for p in scored]),
        "answers": judged.facts["answers"],
        "questions": judged.facts["questions"],
        provenance.CLUSTERS: judged.facts["clusters"],
        **provenance.synthetic(panel),
        **provenance.reweighted(panel),
        provenance.OF_INTERVALS: methods[0] if methods else provenance.NOTHING,
        provenance.SEED: str(SEED),
    }
    return provenance.in_one_line(entries)


def _answers(questions: Range, facts: dict[str, Any]) -> Range:
    """Return a range of questions as answers to grade."""
    per_question = facts["answers"] / max(facts["clusters"], 1)
    return tuple(math.ceil(end * per_question) for end in questions)


def _more_labels(
    found: Verdicts, judged: JudgeFound, place: int, decision: Decision, look: Look
) -> tuple[Range | None, Why | None]:
    """Return the range of questions that would settle a judge's verdict, or why there is none."""
    planned, facts = decision.planned_questions, found.facts
    tested = judged.p is not None
    if judged.verdict != CANNOT_TELL:
        return None, SETTLED
    if look.number >= LOOKS_AT_MOST:
        return None, reason("all_looks_spent")
    if tested and facts["clusters"] >= planned:
        documents = facts["clusters"] != facts["questions"]
        return None, reason(
            "all_planned_documents_graded" if documents else "all_planned_questions_graded"
        )
    spent = look.shares if tested else ()
    forecast = further_questions(found.grades, place, decision, Looked(spent, planned))
    if forecast.why_none:
        return None, forecast.why_none
    if forecast.low is not None and forecast.high is not None:
        return (forecast.low, forecast.high), None
    # The reference judge is compared with none, so of it that condition would mislead.
    words = BY_KEY.get(forecast.blocked) if place or forecast.blocked != REFERENCE else None
    why = (words and words.no_labels) or NO_END
    # What is planned of a candidate may be worse than what it has reached so far.
    return None, reason("as_good_as_reference", why=why) if place else why


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
    found: Field, before: Choice, decision: Decision, shares: Sequence[float] | None
) -> set[str]:
    """The labels of the judges of an earlier look that the present grades find good enough.

    Tested without the judges that came later: these take answers and power, and no verdict of that
    look rests on them.
    """
    those = {(row.judge, row.fingerprint) for row in before.judges}
    judged = verdicts(among(found, those), decision, shares, intervals=False)
    return {one.judge for one in judged.rows.values() if one.verdict == GOOD_ENOUGH}


def _keeping(now: Choice, before: Choice, good: set[str]) -> Choice:
    """The look with the verdicts of an earlier one, and its conditions, as they were.

    `good` are the judges whose verdict of good enough the present grades confirm.
    """
    rows = {(row.judge, row.fingerprint): row for row in before.judges}
    of_look = ("verdict", "winner", "winner_by", "about", "looks", "level", "shares")
    of_verdict = ("verdict", "why", "p", "vetoes", "conditions", "decided_by")
    final = {"more_labels": None, "more_labels_why_none": SETTLED, "more_questions": None}

    def kept(row: JudgeFound) -> JudgeFound:
        old = rows.get((row.judge, row.fingerprint))
        if old is None:  # it came after that look
            return replace(
                row,
                verdict=CANNOT_TELL,
                why=(NOT_COMPARED,),
                p=None,
                vetoes=(),
                decided_by=None,
                conditions={
                    name: one if one.state == "none" else replace(one, **_UNTESTED)
                    for name, one in row.conditions.items()
                },
                more_labels_why_none=None if row.more_labels else NOT_COMPARED,
            )
        return replace(
            row,
            **{name: getattr(old, name) for name in of_verdict},
            confirmed=old.verdict != GOOD_ENOUGH or row.judge in good,
            **({} if old.verdict == CANNOT_TELL else final),
        )

    first = {name: getattr(before, name) for name in _KEPT}
    return replace(
        now,
        judges=tuple(map(kept, now.judges)),
        **{name: getattr(before, name) for name in of_look},
        kept_from=before.kept_from or first,
        new_look=False,
        **({} if before.verdict == CANNOT_TELL else final),
    )


_KEPT = ("looked_at", "answers", "questions", "clusters")
_UNTESTED = {"state": "untested", "p": None, "p_not": None, "interval": (None, None)}


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
    _check(terms, extent_of(panel))
    field(panel, name, against)
    shown = {key: getattr(terms, key) for key in Terms._fields}
    shown["planned_questions"] = terms.planned_questions or planned(store, panel, against, name)
    return Decision(
        id=0,
        sheet_id=panel.sheet.id,
        rubric_id=rubric_versions.register(store, panel.rubric, "app"),
        criterion=name,
        **shown,
        against=against.label(),
        fixed_after_sight=could_be_seen(panel, name),
        created_at="",
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
        return Terms(**{key: getattr(first, key) for key in Terms._fields} | named)
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
    level = constant(between.pairs.tables(scale).sum(axis=(0, 2)), scale)
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
    repriced = False
    if last:
        those = {row.judge for row in last.judges}
        now = stated_prices(store, panel.sheet, panel.judges.values())
        by_label = {panel.labels[i]: price for i, price in now.items() if panel.labels[i] in those}
        repriced = by_label != decisions.stated_prices(last.to_json())
    return Standing(
        _next(store, decision, found),
        last,
        read(before[-1]) if before else None,
        found.on.panel.uncounted,
        repriced,
    )


def is_final(panel: Panel, decision: Decision) -> bool:
    """Return whether all planned questions are graded, so that the next look is the last one."""
    return _questions(_field(panel, decision)) >= decision.planned_questions


def look(store: Store, panel: Panel, decision: Decision) -> Choice:
    """Compare the judges under a decision and store the look.

    A look without new planned questions spends nothing: it describes the grades as they are now,
    with the verdicts of the last look that had some.
    """
    result = described(store, panel, decision)
    decisions.look(store, decision, result.grades_digest, result.to_json(), included(panel))
    return result


def described(store: Store, panel: Panel, decision: Decision) -> Choice:
    """Return what a look would find now, without storing it: for one that spends nothing."""
    return _compared(store, decision, _field(panel, decision))


def _compared(store: Store, decision: Decision, found: Field) -> Choice:
    this = _next(store, decision, found)
    return compared_look(store, found, decision, this, _decisive(store, decision, found, this))


def _next(store: Store, decision: Decision, found: Field) -> Look:
    """The look at the questions of a field, after all that share the decision's error.

    A look at too few grades for a verdict tests nothing, and spends nothing.
    """
    every = decisions.looks_on(store, decision.sheet_id, decision.criterion, decision.against)
    seen = [
        one.result["clusters"]
        for one in every
        if any(row.get("p") is not None for row in one.result["judges"])
    ]
    enough = too_few(found, FIGURES[decision.figure]) is None
    return next_look(seen, _questions(found), decision.planned_questions, enough)


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
    return panel.rubric.criterion(criterion or panel.rubric.heaviest().name).name


def _check(terms: Terms, extent: Extent) -> None:
    """Raise a Problem where terms are invalid, or no verdict can come of them on the sheet."""
    figure = FIGURES.get(terms.figure)
    if figure is None:
        raise Problem(
            "There is no deciding figure “{figure}”. Name one of: {known}.",
            figure=terms.figure,
            known=joined(", ", FIGURES),
        )
    own = ("margin", "minimum")
    for name in (*own, "failure_recall", "failure_precision"):
        value, option = getattr(terms, name), f"--{name.replace('_', '-')}"
        share = figure.kind == "share" or name not in own
        if value is None or (math.isfinite(value) and 0 <= value <= (1 if share else math.inf)):
            continue
        if share:
            raise Problem(
                "{option} takes a share from 0 to 1, as 0.1 for ten points; not {share}.",
                option=option,
                share=value,
            )
        raise Problem(
            "{option} takes a number from 0 on, not {number}.", option=option, number=value
        )
    if terms.margin == 0:
        raise Problem(
            "With a margin of 0 no number of answers can show non-inferiority. Name an acceptable "
            "loss, for example 0.1 for ten points."
        )
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
