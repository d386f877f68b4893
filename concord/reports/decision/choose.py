"""Choose: which judge is the cheapest that is good enough, under terms that were fixed before.

`fix` writes the terms down; `look` compares the judges under them, which is stored and counted.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from concord.messages import Problem, joined
from concord.model import Grader
from concord.reports.decision.compared_look import compared_look
from concord.reports.decision.cost import stated_prices
from concord.reports.decision.first_terms import included
from concord.reports.decision.looks import Look, next_look, opening, terms_of, tested
from concord.reports.decision.results import OPENED, Choice, Reasons, Terms, read
from concord.reports.decision.robustness import Robustness, holds
from concord.reports.decision.verdict import too_few
from concord.reports.panel.candidates import (
    Field,
    check_scores,
    could_be_seen,
    digest,
    field,
    of_decision,
)
from concord.reports.panel.criterion_comparison import ground
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.reference_standard import EACH
from concord.reports.planning.extent import Extent, extent_of, least_questions
from concord.stats.decision.deciding_figure import EXACT, FIGURES, MARGIN, QWK
from concord.stats.majority_baseline import constant
from concord.store import decisions
from concord.store.database import Store
from concord.store.decisions import Decision
from concord.store.rubrics import rubric_versions

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
    counted = of_decision(panel, decision.annotators)
    return field(counted, decision.criterion, reference_of(panel, decision))


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
    if (terms.planned_questions or least) >= min(least, extent.clusters):
        return
    if least > figure.questions:
        raise Problem(
            "A verdict on this figure requires {n} answers, which are about {least} questions of "
            "this sheet, so fewer cannot be planned.",
            n=figure.answers,
            least=least,
        )
    raise Problem(
        "A verdict on this figure requires {n} questions, so fewer cannot be planned.", n=least
    )
