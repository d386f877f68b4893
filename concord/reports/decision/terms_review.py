"""Review of terms before they are fixed: what becomes final, and what the figure can show.

It rests on the annotators' grades and the size of the sheet alone, never on a judge's agreement.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from concord.messages import Numeral, Said, capital, counted, joined, said
from concord.reports.cells import plain_share
from concord.reports.decision.finding import final_look, no_other_judge
from concord.reports.decision.terms import TITLES, margin_text, table
from concord.reports.document import Table
from concord.reports.panel.candidates import field
from concord.reports.panel.criterion_comparison import EACH, ground, reference
from concord.reports.panel.panel import Panel
from concord.reports.panel.provenance import named
from concord.reports.planning.interval_width import Extent, extent_of, least_questions
from concord.stats.core.tables import positions
from concord.stats.decision.deciding_figure import FIGURES, DecidingFigure
from concord.store.decisions import Decision


def final_terms(panel: Panel, decision: Decision, changed: Sequence[str] = ()) -> Table:
    """Return what becomes final when terms are fixed, a row each, for confirmation.

    `changed` are the first terms that it does not keep.
    """
    rows = (
        ("criterion", decision.criterion),
        *fixed_terms(panel, decision).rows,
        (
            "result",
            "confirmatory"
            if not changed
            else said(
                "exploratory, never certified: not under the first terms ({changed})",
                changed=joined(", ", [TITLES[one] for one in changed]),
            ),
        ),
        (
            "after agreement could be seen",
            "yes" if decision.fixed_after_sight else "no",
        ),
    )
    return replace(table(decision), rows=rows, title="These terms become final")


def fixed_terms(panel: Panel, decision: Decision) -> Table:
    """Return the terms that hold for every look, a row each, with the plan and who counts."""
    rows = (
        *table(decision).rows,
        (planned_unit(panel), Numeral(f"{decision.planned_questions:,}")),
        ("annotators", annotators_text(panel, decision)),
    )
    return replace(table(decision), rows=rows)


def annotators_text(panel: Panel, decision: Decision) -> Said:
    """Return the names of the annotators whose grades count in a decision."""
    names = [one.name for i, one in panel.persons.items() if i in (decision.annotators or ())]
    return joined(", ", names) or "all who are included"


def offered(panel: Panel) -> dict[str, Said | None]:
    """Return why each deciding figure is not offered on a sheet; None where it is.

    A sheet must have as many independent questions, and answers, as a verdict on the figure takes.
    """
    extent = extent_of(panel)
    return {key: _too_small(one, extent) for key, one in FIGURES.items()}


def _too_small(figure: DecidingFigure, extent: Extent) -> Said | None:
    if extent.clusters < figure.questions:
        return said(
            "{figure} requires {n} independent questions for a verdict; this sheet has {has}.",
            figure=capital(figure.title),
            n=figure.questions,
            has=extent.clusters,
        )
    if extent.answers < figure.answers:
        return said(
            "{figure} requires {n} answers for a verdict; this sheet has {has}.",
            figure=capital(figure.title),
            n=figure.answers,
            has=extent.answers,
        )
    return None


def questions(panel: Panel) -> int:
    """Return how many independent questions of a sheet count in figures."""
    return extent_of(panel).clusters


def least_planned(panel: Panel, figure: DecidingFigure) -> int:
    """Return the fewest independent questions that a decision on a figure can plan here."""
    return least_questions(figure, extent_of(panel))


def planned_unit(panel: Panel) -> Said:
    """Return the name of the planned number: of documents where several questions share one."""
    extent = extent_of(panel)
    shared = extent.clusters != extent.questions
    return "number of planned documents" if shared else "number of planned questions"


def warnings(panel: Panel, decision: Decision, final: bool) -> list[Said]:
    """Return what is to be known before terms are fixed; `final` where the next look is the last.

    As `choose.is_final` has it.
    """
    extent = extent_of(panel)
    last = final_look(extent.clusters != extent.questions) if final else None
    every = (
        _no_other_judge(panel, decision),
        cannot_separate(panel, decision),
        plans_too_many(panel, decision),
        last,
    )
    return [one for one in every if one]


def plans_too_many(panel: Panel, decision: Decision) -> Said | None:
    """Warn where more questions are planned than can count, so that no look can be the last one.

    It is no error, as questions may still be imported.
    """
    extent, planned = extent_of(panel), decision.planned_questions
    if planned <= extent.clusters:
        return None
    return _too_small(FIGURES[decision.figure], extent) or said(
        "{planned} are planned, but only {n:,} of this sheet can count. Plan at most {n:,}, or "
        "import more.",
        planned=counted(planned, "document" if extent.clusters != extent.questions else "question"),
        n=extent.clusters,
    )


def _no_other_judge(panel: Panel, decision: Decision) -> Said | None:
    """Warn where the reference judge is the only one that can be compared."""
    (alone,) = (one for one in panel.judges.values() if one.label() == decision.against)
    if len(field(panel, decision.criterion, alone).judges) > 1:
        return None
    return no_other_judge(named(panel.labels[alone.id], alone.simulated))


def cannot_separate(panel: Panel, decision: Decision) -> Said | None:
    """Warn where a figure cannot tell judges apart at the margin; None before there are grades.

    It cannot where always giving one score lies within the margin of a perfect judge, or where too
    few answers fail, or pass, for the figure. It hardly can where that lies within the margin of
    inter-annotator agreement, which is what a good judge reaches.
    """
    scale, criterion = panel.rubric.scale, panel.rubric.criterion(decision.criterion)
    used, answers = _scores(panel, decision.criterion)
    figure = FIGURES[decision.figure]
    if not answers.any():
        return None
    failing = np.isin(scale, list(panel.rubric.failing(criterion)))
    fewest = min(answers[failing].sum(), answers[~failing].sum())
    if fewest < figure.of_each_class:
        return said(
            "{figure} requires {n} failing and {n} passing answers; annotators failed {failed} and "
            "passed {passed} so far.",
            figure=capital(figure.title),
            n=figure.of_each_class,
            failed=int(answers[failing].sum()),
            passed=int(answers[~failing].sum()),
        )
    baseline = float(figure.baselines(used, scale))
    ceiling = _ceiling(panel, decision.criterion, figure)
    given = {
        "figure": capital(figure.title),
        "baseline": _level(figure, baseline),
        "margin": margin_text(decision.figure, decision.margin),
    }
    if figure.best - figure.sign * baseline <= decision.margin:
        return said(
            "{figure} cannot separate judges on this sheet: always giving one score reaches "
            "{baseline}, within the margin ({margin}) of a perfect judge. Choose another figure, "
            "or a smaller margin.",
            **given,
        )
    if ceiling is None or figure.sign * (ceiling - baseline) > decision.margin:
        return None
    return said(
        "{figure} can hardly separate judges on this sheet: always giving one score reaches "
        "{baseline}, but inter-annotator agreement ({ceiling}) should be better by more than the "
        "margin ({margin}). Check the annotators, or choose another figure or a smaller margin.",
        **given,
        ceiling=_level(figure, ceiling),
    )


def _level(figure: DecidingFigure, value: float) -> Said | Numeral:
    return plain_share(value) if figure.kind == "share" else Numeral(f"{value:.2f}")


def _ceiling(panel: Panel, criterion: str, figure: DecidingFigure) -> float | None:
    """The figure of the annotators with one another; None where they share too few questions."""
    on = ground(panel, criterion, EACH)
    between = on.between_annotators()
    if on.no_ceiling(between):
        return None
    scale, failing = panel.rubric.scale, panel.rubric.failing(panel.rubric.criterion(criterion))
    value = float(figure.of(between.tables(scale).sum(axis=0), scale, failing))
    return None if np.isnan(value) else value


def _scores(panel: Panel, criterion: str) -> tuple[np.ndarray, np.ndarray]:
    """(K,) the weight of each score of the scale, and how many answers any annotator gave it."""
    graded, scale = reference(panel, criterion, EACH), panel.rubric.scale
    item = graded.item
    weight = panel.weight[item] / np.bincount(item, minlength=len(panel.items))[item]
    place = positions(graded.score, scale)
    used = np.bincount(place, weights=weight, minlength=len(scale))
    pairs = np.unique(place * len(panel.items) + item)
    return used, np.bincount(pairs // len(panel.items), minlength=len(scale))
