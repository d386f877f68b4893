"""Choose: which judge is the cheapest that is good enough, under terms that were fixed before.

`fix` writes the terms down; `look` compares the judges under them, which is stored and counted. A
look is complete: verdicts, costs, warnings and the finding. `replayed` is the sensitivity analysis
of a verdict: it is recomputed from the stored grades under eight other choices, which makes no API
calls and is no look.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from concord.clock import now
from concord.exporting.reason_codes import with_reasons
from concord.grading.annotators import counting, state_of
from concord.messages import Problem, capital, joined
from concord.model import Grader
from concord.reports.decision.cost import cost
from concord.reports.decision.document import caveats, headline, margin_text
from concord.reports.decision.verdict import (
    CANNOT_TELL,
    GOOD_ENOUGH,
    NOT,
    UNTESTED,
    VERDICTS,
    Choice,
    Row,
    Terms,
    Verdicts,
    doubted,
    read,
    too_few,
    verdicts,
)
from concord.reports.document import Column, Document, as_json, table_of
from concord.reports.panel.choice import (
    BY_KEY,
    SPARSE,
    Field,
    among,
    check_scores,
    could_be_seen,
    digest,
    field,
    of_decision,
    pairs_of,
)
from concord.reports.panel.criterion_comparison import CONSENSUS, EACH, ground, reference
from concord.reports.panel.panel import Marks, Panel
from concord.reports.panel.wording import counted_annotators, named
from concord.reports.plan import Extent, extent_of, least_questions
from concord.reports.reliability import annotator_alerts
from concord.reports.reliability.annotator_alerts import COPIED
from concord.stats.baselines import constant
from concord.stats.core.estimate import Why, reason
from concord.stats.core.tables import NEGLIGIBLE
from concord.stats.decision.conditions import REFERENCE, VETOES
from concord.stats.decision.deciding_figure import EXACT, FIGURES, MARGIN, QWK
from concord.stats.intervals.group_sequential import LOOKS_AT_MOST, level
from concord.stats.planning import Looked, further_questions
from concord.store import decisions, grade_table, graders
from concord.store.database import Store
from concord.store.decisions import Decision
from concord.store.graders import EXCLUDED, PENDING
from concord.store.rubrics import rubric_versions

FAILURE_RECALL = 0.5
EXACT_LEVELS = 4  # of a scale, on which exact agreement may be proposed
MARGIN_STEP = 0.05  # of a proposed margin of QWK


def default_terms(
    store: Store, panel: Panel, against: Grader, criterion: str | None = None, **named: Any
) -> Terms:
    """Return terms: those named, the first ones where the reference judge is theirs, or proposed.

    `named` are fields of `Terms`; what is None is not named. Figure and margin are proposed from
    the annotators' grades and the reference judge alone: exact agreement on a scale of at most four
    levels where inter-annotator agreement is shown to lie above always giving one score; else QWK
    with half the reference judge's as the margin. Exact agreement, too, while that QWK is
    undefined, or on a sheet too small for a verdict on it.

    Raises:
        Problem: No decision about this judge is possible, or the figure named has no usual margin.
    """
    name, named = criterion_of(panel, criterion), {k: v for k, v in named.items() if v is not None}
    check_scores(panel, name, against)
    first = decisions.first(store, panel.sheet.id, name)
    same_figure = first and named.get("figure", first.figure) == first.figure
    if same_figure and first.against == against.label():
        return Terms(**{key: getattr(first, key) for key in Terms._fields} | named)
    on, scale = ground(panel, name, EACH), panel.rubric.scale
    between = on.ceiling(np.ones(len(panel.items), bool))
    always = constant(between.pairs.tables(scale).sum(axis=(0, 2)), scale)
    ceiling, qwk = between.figures[EXACT].low, on.judged(against).figures[QWK].value
    separates = always is not None and ceiling is not None and ceiling > always.exact
    small = qwk is None or extent_of(panel).answers < FIGURES[QWK].answers
    figure = EXACT if small or (len(scale) <= EXACT_LEVELS and separates) else QWK
    chosen, margin = named.setdefault("figure", figure), MARGIN
    if chosen == figure == QWK:
        margin = max(MARGIN_STEP, MARGIN_STEP * round(qwk / 2 / MARGIN_STEP))
    elif "margin" not in named and chosen in FIGURES and FIGURES[chosen].margin is None:
        raise Problem("Name the margin of {figure} with --margin, in its own unit.", figure=chosen)
    proposal = {"margin": margin, "failure_recall": FAILURE_RECALL}
    return Terms(**proposal | {"planned_questions": _planned(panel, first)} | named)


def _planned(panel: Panel, first: Decision | None) -> int:
    """Return how many questions are planned: as first, else all that count in figures."""
    return first.planned_questions if first else extent_of(panel).clusters


def proposed(
    store: Store, panel: Panel, against: Grader, terms: Terms, criterion: str | None = None
) -> Decision:
    """Return the decision that fixing these terms would store, for confirmation; id 0.

    Where the panel is restricted to some annotators, the decision names these.

    Raises:
        Problem: The criterion is not in the rubric, the baseline is the reference, or a share is
            invalid.
    """
    name = criterion_of(panel, criterion)
    _check(terms, extent_of(panel))
    field(panel, name, against)
    planned = terms.planned_questions or _planned(
        panel, decisions.first(store, panel.sheet.id, name)
    )
    return Decision(
        id=0,
        sheet_id=panel.sheet.id,
        rubric_id=rubric_versions.register(store, panel.rubric, "app"),
        criterion=name,
        **terms._replace(planned_questions=planned)._asdict(),
        against=against.label(),
        fixed_after_sight=could_be_seen(panel, name),
        created_at="",
        annotators=tuple(sorted(panel.annotators)) if panel.restricted else None,
    )


def fix(
    store: Store, panel: Panel, against: Grader, terms: Terms, criterion: str | None = None
) -> Decision:
    """Store what is `proposed` before its result is shown; identical terms return the same one."""
    return decisions.fix(store, proposed(store, panel, against, terms, criterion))


def criterion_of(panel: Panel, criterion: str | None) -> str:
    """Return the name of the criterion named, else of the heaviest; the composite is none."""
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
    for name in ("margin", "minimum", "failure_recall", "failure_precision"):
        value = getattr(terms, name) or 0
        share = figure.kind == "share" or name in ("failure_recall", "failure_precision")
        if not (math.isfinite(value) and 0 <= value <= (1 if share else math.inf)):
            raise Problem(
                "{option} takes a share from 0 to 1, as 0.1 for ten points; not {value}."
                if share
                else "{option} takes a number from 0 on, not {value}.",
                option=f"--{name.replace('_', '-')}",
                value=value,
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


def included(panel: Panel) -> set[int]:
    """Return the annotators who count where nobody is named, by id."""
    return {*counting(panel.persons.values(), panel.states)[0]}


def offered(panel: Panel) -> list[str]:
    """Return the deciding figures of which a sheet has enough questions and answers."""
    extent = extent_of(panel)
    return [
        key
        for key, one in FIGURES.items()
        if extent.clusters >= one.questions and extent.answers >= one.answers
    ]


def changed_now(store: Store, panel: Panel, decision: Decision) -> tuple[str, ...]:
    """Return which first terms a look at a decision now would not keep; it may not be stored."""
    first = decisions.first(store, decision.sheet_id, decision.criterion) or decision

    def as_strict(name: str, sign: int = 1) -> bool:
        before, after = getattr(first, name), getattr(decision, name)
        return not before or (bool(after) and sign * (after - before) > -NEGLIGIBLE)

    who = _who(store, panel, decision.criterion)
    kept = {
        "figure": first.figure == decision.figure,
        "against": first.against == decision.against,
        "margin": decision.margin < first.margin + NEGLIGIBLE,
        "minimum": as_strict("minimum", FIGURES[decision.figure].sign),
        "failure_recall": as_strict("failure_recall"),
        "failure_precision": as_strict("failure_precision"),
        "planned": first.planned_questions == decision.planned_questions,
        "annotators": annotators_kept(first.annotators, **who),
    }
    return tuple(name for name, holds in kept.items() if not holds)


def annotators_kept(
    named: Collection[int] | None,
    counted: Collection[int],
    included: Collection[int],
    first_grades: Mapping[int, str],
    for_alert: Collection[int] = frozenset(),
    at_first_look: Collection[int] | None = None,
    first_look: str = "",
) -> bool:
    """Return whether the annotators who count are those of the first terms.

    Who first graded after the first look joins. Nobody else does, and nobody is left out but for an
    open alert.

    Args:
        named: The only ones that the first terms name; None for all who are included.
        counted: Those whose grades count in the look.
        included: Those who are included on the sheet.
        first_grades: The moment of the first grade of each who graded and is not pending.
        for_alert: Those excluded while an alert on them was open.
        at_first_look: Those included at the first look at the criterion; None before it.
        first_look: When that was; '' before it.
    """
    expected = {*(included if named is None else named)}
    if named is None and at_first_look is not None:
        expected = {*at_first_look, *(i for i, at in first_grades.items() if at > first_look)}
    return {*counted} == expected - {*for_alert}


def _who(store: Store, panel: Panel, criterion: str) -> dict[str, Any]:
    """Return the annotators of a panel; simulated ones are nobody, as they are never certified."""
    sheet_id = panel.sheet.id
    looks = decisions.looks_on(store, sheet_id, criterion)
    people = {i: one for i, one in panel.persons.items() if not (one.simulated or one.is_mean)}
    states = {i: state_of(one, panel.states) for i, one in people.items()}
    given = grade_table.first_grades(
        store,
        decisions.family(store, sheet_id, criterion),
        [*rubric_versions.criteria(store, panel.rubric)],
    )
    who = {
        "counted": panel.annotators.keys() & people.keys(),
        "included": included(panel) & people.keys(),
        "first_grades": {i: at for i, at in given.items() if states.get(i, PENDING) != PENDING},
        "for_alert": {i for i, one in states.items() if one == EXCLUDED and panel.states[i].alert},
    }
    if looks:
        others = panel.persons.keys() - people.keys()
        who |= {"at_first_look": looks[0].annotators - others, "first_look": looks[0].created_at}
    return who


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


def _next(store: Store, decision: Decision, found: Field) -> Look:
    """The look at the questions of a field, after all that share the decision's error.

    A look at too few grades for a verdict tests nothing, and spends nothing.
    """
    every = decisions.looks_on(store, decision.sheet_id, decision.criterion, decision.against)
    seen = [
        one.result["clusters"]
        for one in every
        if any(row["p"] is not None for row in one.result["judges"])
    ]
    enough = too_few(found, FIGURES[decision.figure]) is None
    return next_look(seen, _questions(found), decision.planned_questions, enough)


def _questions(found: Field) -> int:
    return len(set(found.on.panel.cluster[found.common].tolist()))


class Standing(NamedTuple):
    """The state of a decision before another look.

    Attributes:
        look: What a look now would be.
        result: The newest look at these very grades, else at other ones; None before any.
        current: It is at these grades.
    """

    look: Look
    result: Choice | None
    current: bool


def standing(store: Store, panel: Panel, decision: Decision) -> Standing:
    """Return a decision's status without a comparison; it does not count as an interim look."""
    found, taken = _field(panel, decision), decisions.looks(store, decision)
    grades = digest(found)
    same = [one for one in taken if one.grades_digest == grades]
    result = read((same or taken)[-1].result) if taken else None
    return Standing(_next(store, decision, found), result, bool(same))


def look(store: Store, panel: Panel, decision: Decision) -> Choice:
    """Compare the judges under a decision and store the look.

    A look without new planned questions spends nothing: it describes the grades as they are now,
    with the verdicts of the last look that had some.
    """
    result = compare(store, panel, decision)
    stored = with_reasons(as_json(result))
    decisions.look(store, decision, result.grades_digest, stored, included(panel))
    return result


def compare(store: Store, panel: Panel, decision: Decision, opened: int = 0) -> Choice:
    """Return what a look would find now, without storing it.

    On held-out questions it is which opening of them, `opened` from 1; each spends error as a look
    does, as if a quarter of what was planned were new, and none has further labels.
    """
    found = _field(panel, decision)
    panel, before = found.on.panel, None
    if opened:
        shares = tuple(place / LOOKS_AT_MOST for place in range(1, opened + 1))
        this = Look(opened, True, shares, level(shares) if opened <= LOOKS_AT_MOST else None)
    else:
        this = _next(store, decision, found)
        before = _decisive(store, decision, found, this)
    shares = this.shares if this.level or before else None
    judged = verdicts(found, decision, shares)
    rows = _rows(store, found, decision, judged, None if opened else this)
    verdict, focus = _overall(rows, decision.figure, found)
    result = Choice(
        criterion=decision.criterion,
        **{name: getattr(decision, name) for name in Terms._fields},
        **judged.facts,
        against=rows[0].judge,
        fixed_at=decision.created_at,
        fixed_after_sight=decision.fixed_after_sight,
        decision={"id": decision.id},
        verdict=verdict,
        winner=focus.judge if focus and verdict == GOOD_ENOUGH else None,
        about=focus and focus.judge,
        looks=this.number,
        new_look=this.new,
        level=this.level,
        shares=this.shares,
        judges=tuple(rows),
        left_out=found.left_out,
        sheet=panel.sheet.name,
        rubric=panel.rubric.name,
        uncounted=panel.uncounted,
        annotators=counted_annotators(panel.graded_by),
        simulated=found.reference.simulated,
        synthetic=panel.sheet.synthetic,
        alerts=[as_json(one) for one in annotator_alerts.open_alerts(store, panel)],
        grades_digest=digest(found),
        looked_at=now(),
        kept_from=None,
    )
    result["without_annotators"] = _without_annotators(found, decision, judged, result, shares)
    if before:
        _keep(result, before, found, decision, shares)
    none = {"more_labels_why_none": reason("no_candidate")}
    forecast = ("more_labels", "more_labels_why_none", "more_questions")
    result.update({name: (result.focus or none).get(name) for name in forecast})
    origin = decisions.first(store, decision.sheet_id, decision.criterion)
    then = result.verdict
    if origin.id != decision.id:
        taken = decisions.looks(store, origin)
        then = taken[-1].result["verdict"] if taken else None
    names = origin.annotators and sorted(graders.get(store, i).name for i in origin.annotators)
    changed = changed_now(store, panel, decision)
    result.update(
        first_terms={name: getattr(origin, name) for name in ("figure", "margin", "minimum")}
        | {
            "against": origin.against,
            "annotators": "all included" if names is None else names,
            "planned": origin.planned_questions,
            "verdict": then,
            "when": origin.created_at,
        },
        changed_terms=changed,
        confirmatory=not changed,
    )
    title = headline(result)
    result.update(headline=title, sentence=" ".join([f"{title}.", *caveats(result)]))
    return read(with_reasons(as_json(result)))


def _rows(
    store: Store, found: Field, decision: Decision, judged: Verdicts, this: Look | None
) -> list[Row]:
    """Return every judge with price and forecast.

    No forecast without `this` look, on held-out questions.
    """
    panel, on, rows = found.on.panel, found.on, []
    open_to = panel.open & (on.annotators.why == "")
    for place, judge in enumerate(found.judges):
        row = judged.rows[judge.id]
        failing = on.measured(pairs_of(found, judge), names=VETOES).statistics
        # One that is a condition has the interval of its test's estimate.
        tested = {key: row.conditions[key].estimate for key in VETOES if key in row.conditions}
        more, why = None, reason("held_out_opened_once")
        if this:
            more, why = _more_questions(judged, row, place, decision, this)
        per_question = row.n / max(judged.facts["clusters"], 1)
        status, price = panel.of(on.name, judge.id).status, cost(store, panel.sheet, judge)
        row.update(
            replace(failing, by_key=failing.by_key | tested).to_json(),
            more_labels=more and tuple(math.ceil(end * per_question) for end in more),
            more_labels_why_none=why,
            more_questions=more,
            failed=int(((status > 0) & open_to).sum()),
            not_graded=int(((status < 0) & open_to).sum()),
            cost_per_1000=price.per_1000,
            stated_on=price.stated_on,
            seconds=price.seconds,
        )
        rows.append(row)
    return rows


def _decisive(store: Store, decision: Decision, found: Field, this: Look) -> Choice | None:
    """The look whose verdicts stay, since this one has no new planned questions; None where new."""
    now, planned = _questions(found), decision.planned_questions
    kept = [
        one
        for one in (read(one.result) for one in decisions.looks(store, decision))
        if one.level
        and not one.too_few
        and (not this.level or min(one.clusters, planned) >= min(now, planned))
    ]
    # The look at these very grades gives its own verdicts again, with the prices of today.
    last = kept[-1] if kept else None
    same = last and last.grades_digest == digest(found) and not last.kept_from
    return None if same and this.level else last


def _without_annotators(
    found: Field,
    decision: Decision,
    judged: Verdicts,
    looked: Choice,
    shares: Sequence[float] | None,
) -> tuple[dict[str, str], ...]:
    """Return the verdicts with and without each annotator on whom an alert is open."""
    panel, rows = found.on.panel, []
    for name in doubted(looked):
        rest = [one.name for one in panel.graded_by if named(one.name, one.simulated) != name]
        if rest and len(rest) < len(panel.graded_by):
            left = field(panel.choosing(rest), found.on.name, found.reference)
            for i, one in verdicts(left, decision, shares, intervals=False).rows.items():
                if i in judged.rows:
                    then = {"verdict": judged.rows[i].verdict, "without": one.verdict}
                    rows.append({"annotator": name, "judge": one.judge} | then)
    return tuple(rows)


def _overall(rows: Sequence[Row], figure: str, found: Field) -> tuple[str, Row | None]:
    """The verdict of the choice, and the judge it is about.

    The cheapest that is good enough wins. One that is known to be dearer than the reference judge
    settles nothing as long as one that is not may still be good enough. Where none is, the choice
    is about the one that it would take the fewest further labels to tell, else about the one that
    agrees most; there is no verdict on all where some scored too few answers to be compared.
    """
    reference, *candidates = rows

    def agrees(one: Row) -> float:
        value = one.value.value
        return -math.inf if value is None else FIGURES[figure].sign * value

    def dearer(one: Row) -> bool:
        ours, theirs = one.cost_per_1000, reference.cost_per_1000
        return ours is not None and theirs is not None and ours > theirs

    def promise(one: Row) -> tuple:
        price = one.cost_per_1000
        return not one.more_labels, (one.more_labels or (0, 0))[1], price is None, price or 0

    good = [one for one in candidates if one.verdict == GOOD_ENOUGH]
    priced = [one for one in good if one.cost_per_1000 is not None]
    first = max(good, key=agrees, default=None)
    if priced:
        first = min(priced, key=lambda one: (one.cost_per_1000, -agrees(one)))
    pending = [one for one in candidates if one.verdict == CANNOT_TELL]
    if first and dearer(first):
        pending = [one for one in pending if not dearer(one)]
    if first and not (pending and dearer(first)):
        return GOOD_ENOUGH, first
    if pending:
        return CANNOT_TELL, min(pending, key=promise)
    if not candidates or any(one.code == SPARSE for one in found.left_out.values()):
        return CANNOT_TELL, None
    return NOT, max(candidates, key=agrees)


def _more_questions(
    found: Verdicts, judged: Row, place: int, decision: Decision, look: Look
) -> tuple[tuple[int, int] | None, Why | None]:
    """Return the range of questions that would settle a judge's verdict, or why there is none."""
    planned, tested = decision.planned_questions, judged.p is not None
    if judged.verdict != CANNOT_TELL:
        return None, reason("verdict_final")
    if look.number >= LOOKS_AT_MOST:
        return None, reason("all_looks_spent")
    if tested and found.facts["clusters"] >= planned:
        return None, reason("all_planned_questions_graded")
    spent = look.shares if tested else ()
    forecast = further_questions(found.grades, place, decision, Looked(spent, planned))
    if forecast.why_none:
        return None, forecast.why_none
    if forecast.low is not None and forecast.high is not None:
        return (forecast.low, forecast.high), None
    # The reference judge is compared with none, so of it that condition would mislead.
    words = BY_KEY.get(forecast.blocked) if place or forecast.blocked != REFERENCE else None
    why = (words and words.no_labels) or reason("more_than_100_000_questions")
    # What is planned of a candidate may be worse than what it has reached so far.
    return None, reason("as_good_as_reference", why=why) if place else why


def _keep(
    now: Choice, before: Choice, found: Field, decision: Decision, shares: Sequence[float] | None
) -> None:
    """Give a look the verdicts of an earlier one, and its conditions, as they were.

    A verdict of good enough is confirmed where the present grades find it too, without the judges
    that came later: these take answers and power, and no verdict of that look rests on them.
    """

    def identity(row: Row) -> tuple[str, str | None]:
        return row.judge.partition("@")[0], row.fingerprint

    rows = {identity(row): row for row in before.judges}
    kept = [(row, rows[identity(row)]) for row in now.judges if identity(row) in rows]
    same = among(found, {(row.judge, row.fingerprint) for row, _ in kept})
    present = verdicts(same, decision, shares, intervals=False).rows.values()
    good = {one.judge for one in present if one.verdict == GOOD_ENOUGH}
    late = reason("not_compared_at_look")
    for row in now.judges:
        if identity(row) not in rows:
            row.update(verdict=CANNOT_TELL, why=(late,), p=None, decided_by=None)
            row["more_labels_why_none"] = None if row.more_labels else late
            for one in row.conditions.values():
                one.update(UNTESTED if one.state != "none" else {})
    for row, old in kept:
        own = ("verdict", "why", "p", "conditions", "decided_by")
        row.update({name: old[name] for name in own})
        if old.verdict != CANNOT_TELL:
            row.update(more_labels=None, more_questions=None)
            row["more_labels_why_none"] = reason("verdict_final")
        row["confirmed"] = old.verdict != GOOD_ENOUGH or row.judge in good
    labels = {old.judge: row.judge for row, old in kept}  # a namesake that came later changes them
    now.update({name: before[name] for name in ("verdict", "looks", "level", "shares")})
    now.update({name: labels.get(before[name], before[name]) for name in ("winner", "about")})
    first = {name: before[name] for name in ("looked_at", "answers", "questions", "clusters")}
    now.update(kept_from=before.kept_from or first, new_look=False)


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


NOT_COMPARED = "not_compared"
_WORDS = VERDICTS | {NOT_COMPARED: "cannot be compared"}
# Of several replays the worst is the one that says most against the verdict.
_AGAINST = {
    GOOD_ENOUGH: (NOT, CANNOT_TELL),
    NOT: (GOOD_ENOUGH, CANNOT_TELL),
    CANNOT_TELL: (NOT, GOOD_ENOUGH),
    NOT_COMPARED: (),
}


def replayed(
    store: Store, panel: Panel, decision: Decision, against: Grader, judge: Grader, looked: Choice
) -> Row:
    """Replay the verdict on a judge as a look at the panel gave it; `against` is the reference.

    Returns:
        judge: Its label.
        verdict: As decided; `same` in so many `of` the analyses that could be compared.
        analyses: At most eight, each with what is `changed`, the `verdict` (`not_compared` where
            too few answers are left), and of how many `answers`.
    """
    panel, criterion = of_decision(panel, decision.annotators), decision.criterion

    def replay(
        changed: str, panel: Panel = panel, terms: Decision = decision, kind: str = EACH
    ) -> dict[str, Any]:
        judged = verdicts(field(panel, criterion, against, kind), terms, looked.spending, False)
        verdict = judged.rows[judge.id].verdict if judge.id in judged.rows else NOT_COMPARED
        return {"changed": changed, "verdict": verdict, "answers": judged.facts["answers"]}

    decided = replay("")["verdict"]
    order = (*_AGAINST[decided], decided, NOT_COMPARED, *VERDICTS)
    names, found = [one.name for one in panel.graded_by], []
    for what, every, left in (
        ("an annotator", names, lambda name: panel.choosing([n for n in names if n != name])),
        ("an answering model", panel.answer_models, panel.without),
    ):
        if len(every) > 1:
            rows = [replay(f"without {what} (worst: {name})", left(name)) for name in every]
            found.append(min(rows, key=lambda one: order.index(one["verdict"])))
    for factor in (0.5, 1.5):
        other = decision._replace(margin=decision.margin * factor)
        found.append(replay(f"margin {margin_text(other.figure, other.margin)}", terms=other))
    if len(names) > 1:
        found.append(replay("annotators' consensus as the reference", kind=CONSENSUS))
    if failed := _with_failures(panel, criterion, (judge, against)):
        found.append(replay("failures as disagreements", failed))
    if blind := _known_blind(store, panel, criterion):
        found.append(replay("grades known to be blind only", blind))
    copied = doubted(looked, COPIED)
    left = [one.name for one in panel.graded_by if named(one.name, one.simulated) not in copied]
    if copied and left:
        found.append(replay("without suspected copies", panel.choosing(left)))
    # Where too little is left for a comparison, nothing was found that could differ.
    compared = [one["verdict"] for one in found if one["verdict"] in (decided, *VERDICTS)]
    return Row(
        judge=panel.labels[judge.id],
        verdict=decided,
        same=compared.count(decided),
        of=len(compared),
        analyses=found,
    )


def robustness_document(found: Row) -> Document:
    """Return what is shown of a sensitivity analysis."""
    parts = (
        ("what differs", "changed"),
        ("verdict", lambda one: _WORDS[one["verdict"]]),
        (Column("answers", "count"), "answers"),
    )
    verdict = capital(_WORDS[found.verdict])
    title = f"“{verdict}” in {found.same} of {found.of} sensitivity analyses."
    return Document(title, tables=(table_of("robustness", found.analyses, parts),))


def _known_blind(store: Store, panel: Panel, criterion: str) -> Panel | None:
    """The panel without scores of which it is unknown if they were blind; None where none is."""
    named = rubric_versions.criteria(store, panel.rubric).items()
    versions = [version for version, name in named if name == criterion]
    rows = decisions.not_known_blind(store, panel.sheet.id, versions, bool(panel.rubric.units))
    ids, changed = panel.items["id"].to_numpy(), {}
    for person in panel.annotators:
        unknown = np.isin(ids, [row["graded"] for row in rows if row["grader"] == person])
        if (unknown & panel.counted(criterion, person)).any():
            own = panel.of(criterion, person)
            changed[criterion, person] = own._replace(blind=own.blind & ~unknown)
    return _with(panel, changed)


def _with_failures(panel: Panel, criterion: str, judges: tuple[Grader, ...]) -> Panel | None:
    """The panel with each failure as a disagreement; None where nothing failed.

    That is the end of the scale farther from the annotators' mean.
    """
    each, scale, size = reference(panel, criterion, EACH), panel.rubric.scale, len(panel.items)
    times = np.maximum(np.bincount(each.item, minlength=size), 1)
    mean = np.bincount(each.item, each.score, size) / times
    farthest, changed = np.where(mean < (scale[0] + scale[-1]) / 2, scale[-1], scale[0]), {}
    for judge in judges:
        own = panel.of(criterion, judge.id)
        failed = (own.status > 0) & (each.why == "")
        if failed.any():
            score, status = np.where(failed, farthest, own.score), np.where(failed, 0, own.status)
            changed[criterion, judge.id] = own._replace(score=score, status=status)
    return _with(panel, changed)


def _with(panel: Panel, marks: dict[tuple[str, int], Marks]) -> Panel | None:
    return replace(panel, marks=panel.marks | marks, _composites={}) if marks else None
