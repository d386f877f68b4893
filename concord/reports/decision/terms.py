"""Terms of a decision: as rows, and which of the first terms of a sheet a look keeps.

Terms or annotators that are chosen after a result can let any judge pass, so only a look under the
first terms, or stricter ones, is confirmatory.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from concord.clock import day_of
from concord.grading.annotators import counting, state_of
from concord.messages import joined, spoken
from concord.reports.cells import plain_share
from concord.reports.document import Column, Table
from concord.reports.panel.panel import Panel
from concord.reports.panel.provenance import short_label
from concord.reports.planning.extent import extent_of
from concord.stats.core.tables import NEGLIGIBLE
from concord.stats.decision.deciding_figure import FIGURES
from concord.store import decisions, grade_table
from concord.store.database import Store
from concord.store.decisions import Decision
from concord.store.graders import EXCLUDED, PENDING
from concord.store.rubrics import rubric_versions


def label(decision: Decision) -> str:
    """Return what a decision is about; its minimums are in `terms_table`."""
    return (
        f"{decision.criterion}, {day_of(decision.created_at)}: "
        f"{margin_text(decision.figure, decision.margin)} in {FIGURES[decision.figure].title}, "
        f"against {short_label(decision.against)}"
    )


def limit_text(figure: str, limit: float) -> str:
    """Return the limit of a deciding figure in its unit, as `60%` or `0.5`."""
    return plain_share(limit) if FIGURES[figure].kind == "share" else f"{limit:g}"


def margin_text(figure: str, margin: float) -> str:
    """Return a margin in the unit of its figure, as `10 points` or `0.15`."""
    if FIGURES[figure].kind != "share":
        return f"{margin:g}"
    points = round(100 * margin, 9)
    return "1 point" if points == 1 else f"{points:g} points"


def terms_table(panel: Panel, decision: Decision, changed: Sequence[str] | None = None) -> Table:
    """Return the terms that hold for every look, a row each, with the plan and who counts.

    For confirmation, `changed` are the first terms that it does not keep.
    """
    names = [one.name for i, one in panel.persons.items() if i in (decision.annotators or ())]
    figure, of = FIGURES[decision.figure], "confirmatory"
    if changed:
        of = f"exploratory, never certified: not under the first terms ({changed_text(changed)})"
    lines = [
        ("criterion", decision.criterion),
        ("deciding figure", figure.title),
        ("reference judge", short_label(decision.against)),
        ("margin", margin_text(figure.key, decision.margin)),
        (
            "minimum" if figure.higher_is_better else "maximum",
            decision.minimum and limit_text(figure.key, decision.minimum),
        ),
        (
            "minimum recall of failing answers",
            decision.failure_recall and plain_share(decision.failure_recall),
        ),
        (
            "minimum precision of failing verdicts",
            decision.failure_precision and plain_share(decision.failure_precision),
        ),
        (planned_unit(panel), f"{decision.planned_questions:,}"),
        ("annotators", joined(", ", names) or "all who are included"),
        ("result", of if changed is not None else ""),
        ("after agreement could be seen", "yes" if decision.fixed_after_sight else ""),
    ]
    kept = tuple(line for line in lines if line[1])
    return Table("terms", (Column("term"), Column("value")), kept, "Terms")


def planned_unit(panel: Panel) -> str:
    """Return the name of the planned number: of documents where several questions share one."""
    extent = extent_of(panel)
    return f"planned {'questions' if extent.clusters == extent.questions else 'documents'}"


def offered(panel: Panel) -> list[str]:
    """Return the deciding figures of which a sheet has enough questions and answers."""
    extent = extent_of(panel)
    return [
        key
        for key, one in FIGURES.items()
        if extent.clusters >= one.questions and extent.answers >= one.answers
    ]


def changed_text(changed: Iterable[str]) -> str:
    """Return the first terms that are not kept, in words."""
    return ", ".join({"against": "reference judge"}.get(one, spoken(one)) for one in changed)


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


def included(panel: Panel) -> set[int]:
    """Return the annotators who count where nobody is named, by id."""
    return {*counting(panel.persons.values(), panel.states)[0]}
