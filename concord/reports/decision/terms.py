"""Terms of a decision: their rows and label, and the first terms of a sheet and criterion.

Terms or annotators that are chosen after a result can let any judge pass, so only a look under the
first terms, or stricter ones, is confirmatory.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from concord.clock import day_of
from concord.grading.annotators import counting, state_of
from concord.messages import Numeral, Said, said
from concord.reports.cells import plain_share
from concord.reports.document import Column, Table
from concord.reports.panel.panel import Panel
from concord.reports.panel.provenance import short_label
from concord.stats.core.tables import NEGLIGIBLE
from concord.stats.decision.deciding_figure import FIGURES, DecidingFigure
from concord.store import decisions, grade_table, graders
from concord.store.database import Store
from concord.store.decisions import Decision
from concord.store.graders import EXCLUDED, PENDING
from concord.store.rubrics import rubric_versions


def label(decision: Decision) -> str:
    """Return what a decision is about; its minimums are in `rows`."""
    return said(
        "Terms for {criterion}, fixed on {day}: non-inferior to {judge} at a margin of {margin} in "
        "{figure}.",
        criterion=decision.criterion,
        day=day_of(decision.created_at),
        judge=short_label(decision.against),
        margin=margin_text(decision.figure, decision.margin),
        figure=FIGURES[decision.figure].title,
    )


def rows_of(decision: Decision) -> tuple[tuple[str, str], ...]:
    """Return the terms of a decision, a row each."""
    return rows(
        decision.figure,
        short_label(decision.against),
        decision.margin,
        decision.minimum,
        (decision.failure_recall, decision.failure_precision),
    )


def table(decision: Decision) -> Table:
    """Return the terms of a decision as a table."""
    return Table("terms", (Column("term"), Column("value")), rows_of(decision))


def rows(
    figure: str,
    against: str,
    margin: float,
    minimum: float | None,
    of_failing: tuple[float | None, float | None],
) -> tuple[tuple[str, str], ...]:
    """Return terms, a row each; `of_failing` are the least recall and precision."""
    recall, precision = of_failing
    return (
        ("deciding figure", FIGURES[figure].title),
        ("reference judge", against),
        ("margin", margin_text(figure, margin)),
        (
            "minimum" if FIGURES[figure].higher_is_better else "maximum",
            minimum_text(FIGURES[figure], minimum) if minimum else "none",
        ),
        ("minimum recall of failing answers", share_text(recall)),
        ("minimum precision of failing verdicts", share_text(precision)),
    )


def share_text(share: float | None) -> str:
    """Return the limit of a share, as `60%`; `none` without one."""
    return plain_share(share) if share else "none"


def minimum_text(figure: DecidingFigure, minimum: float) -> str:
    """Return the limit of a deciding figure in words, as `exact agreement at least 60%`."""
    number = limit_text(figure.key, minimum)
    if not figure.higher_is_better:
        return said("{figure} at most {number}", figure=figure.title, number=number)
    return said("{figure} at least {number}", figure=figure.title, number=number)


def limit_text(figure: str, limit: float | None) -> str:
    """Return the limit of a deciding figure in its unit, as `60%` or `0.5`."""
    if not limit:
        return "none"
    return plain_share(limit) if FIGURES[figure].kind == "share" else Numeral(f"{limit:g}")


def points_text(share: float) -> str:
    """Return a share in points, as `10 points`."""
    value = round(100 * share, 9)
    return "1 point" if value == 1 else said("{n:g} points", n=value)


def margin_text(figure: str, margin: float) -> str:
    """Return a margin in the unit of its figure, as `10 points` or `0.15`."""
    return points_text(margin) if FIGURES[figure].kind == "share" else Numeral(f"{margin:g}")


ALL_INCLUDED = "all included"


@dataclass(frozen=True)
class FirstTerms:
    """The first terms of a sheet and criterion, and what came of them.

    Attributes:
        figure, margin, minimum, against, planned: As in `Choice`.
        annotators: Their names, or `all included`.
        verdict: That of the newest look under these very terms; None before any.
        when: When they were fixed.
    """

    figure: str
    margin: float
    minimum: float | None
    against: str
    annotators: str | tuple[str, ...]
    planned: int
    verdict: str | None
    when: str


class Whose(NamedTuple):
    """The annotators of a decision, by id, and what was decided about them.

    Attributes:
        counted: Those whose grades count in the look.
        included: Those who are included on the sheet.
        first_grades: The moment of the first grade of each who graded and is not pending.
        for_alert: Those excluded while an alert on them was open.
        at_first_look: Those included at the first look at the criterion; None before it.
        first_look: When that was; '' before it.
    """

    counted: Collection[int]
    included: Collection[int]
    first_grades: Mapping[int, str]
    for_alert: Collection[int] = frozenset()
    at_first_look: Collection[int] | None = None
    first_look: str = ""


class Rule(NamedTuple):
    """A term, its name in words, and whether a decision keeps the first one (first, now)."""

    title: Said
    keeps: Callable[[Decision, Decision], bool]


def _as_strict(name: str, sign: Callable[[Decision], int] = lambda _: 1) -> Callable:
    """Whether a minimum is not lower than the first one; a maximum (sign -1) not higher."""

    def keeps(first: Decision, now: Decision) -> bool:
        before, after = getattr(first, name), getattr(now, name)
        return not before or (bool(after) and sign(now) * (after - before) > -NEGLIGIBLE)

    return keeps


RULES = {
    "figure": Rule("figure", lambda first, now: first.figure == now.figure),
    "against": Rule("reference judge", lambda first, now: first.against == now.against),
    "margin": Rule("margin", lambda first, now: now.margin < first.margin + NEGLIGIBLE),
    "minimum": Rule("minimum", _as_strict("minimum", lambda now: FIGURES[now.figure].sign)),
    "failure_recall": Rule("minimum failure recall", _as_strict("failure_recall")),
    "failure_precision": Rule("minimum failure precision", _as_strict("failure_precision")),
    "planned": Rule("plan", lambda first, now: first.planned_questions == now.planned_questions),
}
ANNOTATORS = "annotators"
TITLES = {name: rule.title for name, rule in RULES.items()} | {ANNOTATORS: "annotators"}


def changed_terms(first: Decision, now: Decision, whose: Whose) -> tuple[str, ...]:
    """Return which of the first terms a look does not keep; none for a confirmatory one."""
    changed = [name for name, rule in RULES.items() if not rule.keeps(first, now)]
    return (*changed, *(() if annotators_kept(first.annotators, whose) else (ANNOTATORS,)))


def annotators_kept(named: Collection[int] | None, whose: Whose) -> bool:
    """Return whether the annotators who count are those of the first terms.

    `named` are the only ones these name; None for all who are included. Who first graded after the
    first look joins. Nobody else does, and nobody is left out but for an open alert.
    """
    if named is not None:
        expected = {*named}
    elif whose.at_first_look is None:
        expected = {*whose.included}
    else:
        later = (i for i, at in whose.first_grades.items() if at > whose.first_look)
        expected = {*whose.at_first_look, *later}
    return {*whose.counted} == expected - {*whose.for_alert}


def whose(store: Store, panel: Panel, criterion: str) -> Whose:
    """Return the annotators of a panel; simulated ones are nobody, as they are never certified."""
    sheet_id = panel.sheet.id
    looks = decisions.looks_on(store, sheet_id, criterion)
    people = {i: one for i, one in panel.persons.items() if not (one.simulated or one.is_mean)}
    states = {i: state_of(one, panel.states) for i, one in people.items()}
    for_alert = {i for i, state in states.items() if state == EXCLUDED and panel.states[i].alert}
    graded = {i for i, state in states.items() if state != PENDING}
    given = grade_table.first_grades(
        store,
        decisions.family(store, sheet_id, criterion),
        [*rubric_versions.criteria(store, panel.rubric)],
    )
    simulated = panel.persons.keys() - people.keys()
    return Whose(
        counted=panel.annotators.keys() & people.keys(),
        included=included(panel) & people.keys(),
        first_grades={i: at for i, at in given.items() if i in graded},
        for_alert=for_alert,
        at_first_look=looks[0].annotators - simulated if looks else None,
        first_look=looks[0].created_at if looks else "",
    )


def included(panel: Panel) -> set[int]:
    """Return the annotators who count where nobody is named, by id."""
    return {*counting(panel.persons.values(), panel.states)[0]}


def described(store: Store, first: Decision, verdict: str | None) -> FirstTerms:
    """Return first terms as results show them."""
    names = None
    if first.annotators is not None:
        names = tuple(sorted(graders.get(store, i).name for i in first.annotators))
    return FirstTerms(
        figure=first.figure,
        margin=first.margin,
        minimum=first.minimum,
        against=first.against,
        annotators=ALL_INCLUDED if names is None else names,
        planned=first.planned_questions,
        verdict=verdict,
        when=first.created_at,
    )


def changed_now(store: Store, panel: Panel, decision: Decision) -> tuple[str, ...]:
    """Return which first terms a look at a decision now would not keep; it may not be stored."""
    first = decisions.first(store, decision.sheet_id, decision.criterion) or decision
    return changed_terms(first, decision, whose(store, panel, decision.criterion))
