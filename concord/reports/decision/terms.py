"""Terms of a decision: as rows, and reviewed before they are fixed; and the first terms of a sheet.

Terms or annotators that are chosen after a result can let any judge pass, so only a look under the
first terms, or stricter ones, is confirmatory. The review rests on the annotators' grades and the
size of the sheet alone, never on a judge's agreement.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from concord.clock import day_of
from concord.grading.annotators import counting, state_of
from concord.messages import capital, counted, joined
from concord.reports.cells import plain_share
from concord.reports.document import Column, Table
from concord.reports.panel.candidates import field
from concord.reports.panel.criterion_comparison import EACH, ground, reference
from concord.reports.panel.panel import Panel
from concord.reports.panel.provenance import named, short_label
from concord.reports.planning.interval_width import Extent, extent_of, least_questions
from concord.stats.core.tables import NEGLIGIBLE, positions
from concord.stats.decision.deciding_figure import FIGURES, DecidingFigure
from concord.store import decisions, grade_table
from concord.store.database import Store
from concord.store.decisions import Decision
from concord.store.graders import EXCLUDED, PENDING
from concord.store.rubrics import rubric_versions

ALL_INCLUDED = "all included"


def label(decision: Decision) -> str:
    """Return what a decision is about; its minimums are in `terms_table`."""
    return (
        f"Terms for {decision.criterion}, fixed on {day_of(decision.created_at)}: non-inferior to "
        f"{short_label(decision.against)} at a margin of "
        f"{margin_text(decision.figure, decision.margin)} in {FIGURES[decision.figure].title}."
    )


def rows(terms: Any, against: str) -> list[tuple[str, str]]:
    """Return the terms of a decision, or of a look, a row each."""
    figure = FIGURES[terms.figure]
    limits = [
        plain_share(one) if one else "none"
        for one in (terms.failure_recall, terms.failure_precision)
    ]
    return [
        ("deciding figure", figure.title),
        ("reference judge", against),
        ("margin", margin_text(terms.figure, terms.margin)),
        (
            "minimum" if figure.higher_is_better else "maximum",
            minimum_text(figure, terms.minimum) if terms.minimum else "none",
        ),
        ("minimum recall of failing answers", limits[0]),
        ("minimum precision of failing verdicts", limits[1]),
    ]


def minimum_text(figure: DecidingFigure, minimum: float) -> str:
    """Return the limit of a deciding figure in words, as `exact agreement at least 60%`."""
    end = "at least" if figure.higher_is_better else "at most"
    return f"{figure.title} {end} {limit_text(figure.key, minimum)}"


def limit_text(figure: str, limit: float | None) -> str:
    """Return the limit of a deciding figure in its unit, as `60%` or `0.5`."""
    if not limit:
        return "none"
    return plain_share(limit) if FIGURES[figure].kind == "share" else f"{limit:g}"


def margin_text(figure: str, margin: float) -> str:
    """Return a margin in the unit of its figure, as `10 points` or `0.15`."""
    if FIGURES[figure].kind != "share":
        return f"{margin:g}"
    points = round(100 * margin, 9)
    return "1 point" if points == 1 else f"{points:g} points"


def _as_strict(name: str) -> Any:
    """Whether a minimum is not lower than the first one; a maximum not higher."""

    def keeps(first: Decision, now: Decision) -> bool:
        before, after = getattr(first, name), getattr(now, name)
        sign = FIGURES[now.figure].sign if name == "minimum" else 1
        return not before or (bool(after) and sign * (after - before) > -NEGLIGIBLE)

    return keeps


# The words for each term, and whether a decision keeps the first one (first, now).
RULES = {
    "figure": ("figure", lambda first, now: first.figure == now.figure),
    "against": ("reference judge", lambda first, now: first.against == now.against),
    "margin": ("margin", lambda first, now: now.margin < first.margin + NEGLIGIBLE),
    "minimum": ("minimum", _as_strict("minimum")),
    "failure_recall": ("minimum failure recall", _as_strict("failure_recall")),
    "failure_precision": ("minimum failure precision", _as_strict("failure_precision")),
    "planned": ("plan", lambda first, now: first.planned_questions == now.planned_questions),
}


def changed_text(changed: Iterable[str]) -> str:
    """Return the first terms that are not kept, in words; `annotators` is one of them."""
    return joined(", ", [RULES[one][0] if one in RULES else one for one in changed])


def changed_now(store: Store, panel: Panel, decision: Decision) -> tuple[str, ...]:
    """Return which first terms a look at a decision now would not keep; it may not be stored."""
    first = decisions.first(store, decision.sheet_id, decision.criterion) or decision
    changed = [name for name, (_, keeps) in RULES.items() if not keeps(first, decision)]
    kept = annotators_kept(first.annotators, **_who(store, panel, decision.criterion))
    return (*changed, *(() if kept else ("annotators",)))


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
    if named is not None:
        expected = {*named}
    elif at_first_look is None:
        expected = {*included}
    else:
        later = (i for i, at in first_grades.items() if at > first_look)
        expected = {*at_first_look, *later}
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
    return {
        "counted": panel.annotators.keys() & people.keys(),
        "included": included(panel) & people.keys(),
        "first_grades": {i: at for i, at in given.items() if states.get(i, PENDING) != PENDING},
        "for_alert": {i for i, one in states.items() if one == EXCLUDED and panel.states[i].alert},
        "at_first_look": looks[0].annotators - (panel.persons.keys() - people.keys())
        if looks
        else None,
        "first_look": looks[0].created_at if looks else "",
    }


def included(panel: Panel) -> set[int]:
    """Return the annotators who count where nobody is named, by id."""
    return {*counting(panel.persons.values(), panel.states)[0]}


def terms_table(panel: Panel, decision: Decision, changed: Sequence[str] | None = None) -> Table:
    """Return the terms that hold for every look, a row each, with the plan and who counts.

    For confirmation, `changed` are the first terms that it does not keep.
    """
    names = [one.name for i, one in panel.persons.items() if i in (decision.annotators or ())]
    lines = [
        *rows(decision, short_label(decision.against)),
        (planned_unit(panel), f"{decision.planned_questions:,}"),
        ("annotators", joined(", ", names) or "all who are included"),
    ]
    title = "Terms"
    if changed is not None:
        title = "These terms become final"
        result = "confirmatory"
        if changed:
            kept = changed_text(changed)
            result = f"exploratory, never certified: not under the first terms ({kept})"
        seen = "yes" if decision.fixed_after_sight else "no"
        lines = [("criterion", decision.criterion), *lines, ("result", result)]
        lines.append(("after agreement could be seen", seen))
    return Table("terms", (Column("term"), Column("value")), tuple(lines), title)


def offered(panel: Panel) -> dict[str, str | None]:
    """Return why each deciding figure is not offered on a sheet; None where it is.

    A sheet must have as many independent questions, and answers, as a verdict on the figure takes.
    """
    extent = extent_of(panel)
    return {key: _too_small(one, extent) for key, one in FIGURES.items()}


def _too_small(figure: DecidingFigure, extent: Extent) -> str | None:
    for needs, has, unit in (
        (figure.questions, extent.clusters, "independent questions"),
        (figure.answers, extent.answers, "answers"),
    ):
        if has < needs:
            title = capital(figure.title)
            return f"{title} requires {needs} {unit} for a verdict; this sheet has {has}."
    return None


def countable_questions(panel: Panel) -> int:
    """Return how many independent questions of a sheet count in figures."""
    return extent_of(panel).clusters


def least_planned(panel: Panel, figure: DecidingFigure) -> int:
    """Return the fewest independent questions that a decision on a figure can plan here."""
    return least_questions(figure, extent_of(panel))


def planned_unit(panel: Panel) -> str:
    """Return the name of the planned number: of documents where several questions share one."""
    extent = extent_of(panel)
    return f"planned {'questions' if extent.clusters == extent.questions else 'documents'}"


def warnings(panel: Panel, decision: Decision, final: bool) -> list[str]:
    """Return what is to be known before terms are fixed; `final` where the next look is the last.

    As `choose.is_final` has it.
    """
    extent, planned = extent_of(panel), decision.planned_questions
    (alone,) = (one for one in panel.judges.values() if one.label() == decision.against)
    other = len(field(panel, decision.criterion, alone).judges) > 1
    documents = extent.clusters != extent.questions
    too_many = planned > extent.clusters and (
        _too_small(FIGURES[decision.figure], extent)
        or f"{counted(planned, 'document' if documents else 'question')} are planned, but only "
        f"{extent.clusters:,} of this sheet can count. Plan fewer, or import more."
    )
    every = (
        not other and no_other_judge(named(panel.labels[alone.id], alone.simulated)),
        cannot_separate(panel, decision),
        too_many,
        final and final_look(documents),
    )
    return [one for one in every if one]


def no_other_judge(judge: str) -> str:
    """Say that the reference judge, by its name as shown, is compared with none."""
    return f"No judge other than {judge} can be compared."


def final_look(documents: bool) -> str:
    """Say what follows where the planned questions, or documents, are all graded."""
    unit = "documents" if documents else "questions"
    return (
        f"All planned {unit} are graded, so the verdicts are final. A further confirmatory verdict "
        f"requires a sheet of new {unit}."
    )


def cannot_separate(panel: Panel, decision: Decision) -> str | None:
    """Warn where a figure cannot tell judges apart at the margin; None before there are grades.

    It cannot where always giving one score lies within the margin of a perfect judge, or where too
    few answers fail, or pass, for the figure. It hardly can where that lies within the margin of
    inter-annotator agreement, which is what a good judge reaches.
    """
    scale, criterion = panel.rubric.scale, panel.rubric.criterion(decision.criterion)
    figure, margin = FIGURES[decision.figure], margin_text(decision.figure, decision.margin)
    # The weight of each score of the scale, and how many answers any annotator gave it.
    graded = reference(panel, decision.criterion, EACH)
    item, size = graded.item, len(panel.items)
    weight = panel.weight[item] / np.bincount(item, minlength=size)[item]
    place = positions(graded.score, scale)
    used = np.bincount(place, weights=weight, minlength=len(scale))
    answers = np.bincount(np.unique(place * size + item) // size, minlength=len(scale))
    if not answers.any():
        return None
    title, levels = capital(figure.title), panel.rubric.failing(criterion)
    failing = np.isin(scale, list(levels))
    failed, passed = int(answers[failing].sum()), int(answers[~failing].sum())
    if min(failed, passed) < figure.of_each_class:
        n = figure.of_each_class
        return (
            f"{title} requires {n} failing and {n} passing answers; annotators failed {failed} and "
            f"passed {passed} so far."
        )

    def level(value: float) -> str:
        return plain_share(value) if figure.kind == "share" else f"{value:.2f}"

    baseline = float(figure.baselines(used, scale))
    reached = f"on this sheet: always giving one score reaches {level(baseline)}"
    if figure.best - figure.sign * baseline <= decision.margin:
        return (
            f"{title} cannot separate judges {reached}, within the margin ({margin}) of a perfect "
            "judge. Choose another figure, or a smaller margin."
        )
    on = ground(panel, decision.criterion, EACH)
    between = on.between_annotators()
    if on.no_ceiling(between):
        return None
    ceiling = float(figure.of(between.tables(scale).sum(axis=0), scale, levels))
    if np.isnan(ceiling) or figure.sign * (ceiling - baseline) > decision.margin:
        return None
    return (
        f"{title} can hardly separate judges {reached}, within the margin ({margin}) of "
        f"inter-annotator agreement ({level(ceiling)}). Check the annotators, or choose another "
        "figure or a smaller margin."
    )
