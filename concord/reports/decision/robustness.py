"""Robustness: the verdict on a judge, replayed over the stored grades under other choices.

The verdict is recomputed leaving out each annotator and each answering model, alone and together,
and one by one with another margin, reference judge, criterion and treatment of failures. No API
calls; does not count as an interim look.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from concord.messages import capital, joined, said
from concord.model import BASELINE, Grader
from concord.reports.decision.looks import terms_of
from concord.reports.decision.results import (
    GOOD_ENOUGH,
    NOT,
    VERDICTS,
    Changed,
    Terms,
    Verdicts,
    WithoutAnnotator,
)
from concord.reports.decision.terms import margin_text
from concord.reports.decision.verdict import verdicts
from concord.reports.document import Column, Document, Table
from concord.reports.panel.candidates import Field, field, of_decision
from concord.reports.panel.panel import Marks, Panel
from concord.reports.panel.reference_standard import CONSENSUS, EACH, Reference, reference
from concord.stats.decision.procedure import ONCE
from concord.store.decisions import Decision

NOT_COMPARED = "not_compared"


@dataclass(frozen=True)
class Analysis:
    """One replay.

    Attributes:
        changed: What differs from the decision, one phrase each; empty as decided.
        verdict: `good_enough`, `not`, `cannot_tell`, or `not_compared` where too few answers of
            the judge are left.
        answers: On how many answers.
        questions: Of how many questions.
    """

    changed: tuple[str, ...]
    verdict: str
    answers: int
    questions: int


@dataclass(frozen=True)
class Turned:
    """A single change that turns the verdict, and into which one."""

    changed: str
    verdict: str


@dataclass(frozen=True)
class Robustness:
    """A sensitivity analysis of the verdict on a judge.

    Attributes:
        judge: Its label.
        verdict: As decided; `same` in so many `of` the analyses that could be compared.
        falls: The single changes that turn it.
        analyses: All replays, as decided first.
    """

    judge: str
    verdict: str
    same: int
    of: int
    falls: tuple[Turned, ...]
    analyses: tuple[Analysis, ...]


@dataclass(frozen=True)
class _Setting:
    """Inputs of one replay."""

    panel: Panel
    against: Grader
    criterion: str
    terms: Terms
    kind: str = EACH
    changed: tuple[str, ...] = ()

    def but(self, differs: str, **changes) -> "_Setting":
        return replace(self, **changes, changed=(*self.changed, differs))


def holds(
    panel: Panel,
    decision: Decision,
    against: Grader,
    judge: Grader,
    looks: Sequence[float] | None = ONCE,
) -> Robustness:
    """Replay the verdict on a judge.

    Args:
        panel: The panel the decision was looked at on.
        decision: Its terms.
        against: The reference judge.
        judge: The judge whose verdict is replayed.
        looks: As for `verdict.verdicts`.
    """
    terms, panel = terms_of(decision), of_decision(panel, decision.annotators)
    start = _Setting(panel, against, decision.criterion, terms)
    found = tuple(_replayed(setting, judge, looks) for setting in settings(start, judge))
    verdict = found[0].verdict
    # Where too little is left for a comparison, nothing was found that could differ.
    replayed = [one for one in found if one.verdict in (verdict, *VERDICTS)]
    turned = [one for one in replayed if one.verdict != verdict]
    return Robustness(
        judge=panel.labels[judge.id],
        verdict=verdict,
        same=len(replayed) - len(turned),
        of=len(replayed),
        falls=tuple(Turned(*one.changed, one.verdict) for one in turned if len(one.changed) == 1),
        analyses=found,
    )


def without_each(
    found: Field, terms: Terms, judged: Verdicts, looks: Sequence[float] | None
) -> tuple[WithoutAnnotator, ...]:
    """Return the judges on which the verdict differs without an annotator.

    Args:
        found: The judges that were compared and the answers.
        terms: The terms.
        judged: What was found with all annotators.
        looks: As for `verdict.verdicts`.
    """
    panel, annotators = found.on.panel, found.on.panel.graded_by
    with_all = {one.judge.id: one.verdict for one in judged.judges}
    rows = []
    for person in annotators if len(annotators) > 1 and looks else ():
        rest = panel.choosing([one.name for one in annotators if one.id != person.id])
        left = field(rest, found.on.name, found.reference)
        changed = tuple(
            Changed(panel.labels[one.judge.id], with_all[one.judge.id], one.verdict)
            for one in verdicts(left, terms, looks).judges
            if one.verdict != with_all.get(one.judge.id, one.verdict)
        )
        rows += [WithoutAnnotator(person.name, changed)] if changed else []
    return tuple(rows)


def document(found: Robustness) -> Document:
    """Return what is shown of a sensitivity analysis."""
    values = {"verdict": capital(word(found.verdict)), "same": found.same, "of": found.of}
    opposite = _REVERSED.get(found.verdict)
    headline = (
        said("“{verdict}” in {same} of {of} sensitivity analyses.", **values)
        if opposite is None
        else said(
            "“{verdict}” in {same} of {of} sensitivity analyses; “{opposite}” in {times}.",
            **values,
            opposite=word(opposite),
            times=sum(one.verdict == opposite for one in found.analyses),
        )
    )
    columns = (
        Column(said("what differs")),
        Column(said("verdict")),
        Column(said("answers"), "count"),
        Column(said("questions"), "count"),
    )
    rows = (
        (
            joined(", ", one.changed) or said("nothing: as decided"),
            word(one.verdict),
            one.answers,
            one.questions,
        )
        for one in found.analyses
    )
    return Document(headline, tables=(Table("robustness", columns, tuple(rows)),))


def settings(start: _Setting, judge: Grader) -> Iterator[_Setting]:
    """Yield every setting to replay, beginning with the decided one."""
    for who in _annotators(start):
        yield who
        yield from _models(who)
    yield from _failures(start, judge)
    yield from _references(start, judge)
    yield from _margins(start)
    yield from _criteria(start)


def _annotators(start: _Setting) -> Iterator[_Setting]:
    """Everyone, and everyone but one."""
    yield start
    annotators = start.panel.graded_by
    for person in annotators if len(annotators) > 1 else ():
        rest = [one.name for one in annotators if one.id != person.id]
        yield start.but(
            said("without {person}", person=person.name), panel=start.panel.choosing(rest)
        )


def _models(start: _Setting) -> Iterator[_Setting]:
    models = start.panel.answer_models
    for model in models if len(models) > 1 else ():
        text = said("without the answers of {model}", model=model)
        yield start.but(text, panel=start.panel.without(model))


def _failures(start: _Setting, judge: Grader) -> Iterator[_Setting]:
    marked = _with_failures(start.panel, start.criterion, (judge, start.against))
    if marked is not None:
        yield start.but(said("with failures counted as disagreements"), panel=marked)


def _references(start: _Setting, judge: Grader) -> Iterator[_Setting]:
    if len(start.panel.graded_by) > 1:
        yield start.but(said("with the annotators' consensus as the reference"), kind=CONSENSUS)
    for other in start.panel.judges.values():
        same_kind = other.simulated == judge.simulated and other.name != BASELINE
        # A choice rests on exact scores, so continuous numbers are no reference.
        able = same_kind and not start.panel.is_continuous(start.criterion, other.id)
        if able and other.id not in (judge.id, start.against.id):
            label = start.panel.labels[other.id]
            text = said("with {judge} as the reference judge", judge=label)
            yield start.but(text, against=other)


def _margins(start: _Setting) -> Iterator[_Setting]:
    for factor in (0.5, 1.5):
        margin = start.terms.margin * factor
        terms = start.terms._replace(margin=margin)
        text = said("with a margin of {margin}", margin=margin_text(terms.figure, margin))
        yield start.but(text, terms=terms)


def _criteria(start: _Setting) -> Iterator[_Setting]:
    """Yield every other criterion as the deciding one: the choice is a matter of weights."""
    for criterion in start.panel.rubric.criteria:
        numbers = start.panel.is_continuous(criterion.name, start.against.id)
        if criterion.name != start.criterion and not numbers:
            text = said("decided on {criterion}", criterion=criterion.name)
            yield start.but(text, criterion=criterion.name)


def _replayed(setting: _Setting, judge: Grader, looks: Sequence[float] | None) -> Analysis:
    found = field(setting.panel, setting.criterion, setting.against, setting.kind)
    judged = verdicts(found, setting.terms, looks)
    verdict = next((one.verdict for one in judged.judges if one.judge.id == judge.id), NOT_COMPARED)
    return Analysis(setting.changed, verdict, judged.answers, judged.questions)


def _with_failures(panel: Panel, criterion: str, judges: tuple[Grader, ...]) -> Panel | None:
    """The panel with each failure as a score that no annotator gave; None where nothing failed."""
    each = reference(panel, criterion, EACH)
    changed = {}
    for judge in judges:
        marks = panel.of(criterion, judge.id)
        failed = np.flatnonzero((marks.status > 0) & (each.why == ""))
        if len(failed):
            score, status = marks.score.copy(), marks.status.copy()
            score[failed], status[failed] = _disagreeing(panel, each, failed), 0
            changed[criterion, judge.id] = Marks(score, status, marks.blind)
    return replace(panel, marks=panel.marks | changed, _composites={}) if changed else None


def _disagreeing(panel: Panel, annotators: Reference, items: np.ndarray) -> np.ndarray:
    """Return each item's score that fewest annotators gave, ties to the farthest from the mean."""
    scale = np.array(panel.rubric.scale)
    given = np.zeros((len(panel.items), len(scale)))
    np.add.at(given, (annotators.item, np.searchsorted(scale, annotators.score)), 1)
    given = given[items]
    mean = given @ scale / given.sum(axis=1)
    apart = np.abs(scale - mean[:, None]) / (scale[-1] - scale[0] + 1)
    return scale[np.argmin(given - apart, axis=1)].astype(float)


_REVERSED = {GOOD_ENOUGH: NOT, NOT: GOOD_ENOUGH}


def word(verdict: str) -> str:
    """Return a verdict as text."""
    return said("cannot be compared") if verdict == NOT_COMPARED else VERDICTS[verdict]
