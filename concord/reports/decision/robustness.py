"""Robustness: the verdict on a judge, recomputed from the stored grades under eight other choices.

No API calls; does not count as an interim look.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from concord.messages import Said, capital, said
from concord.model import Grader
from concord.reports.decision.looks import terms_of
from concord.reports.decision.results import (
    CANNOT_TELL,
    GOOD_ENOUGH,
    NOT,
    VERDICTS,
    Changed,
    Choice,
    Terms,
    Verdicts,
    WithoutAnnotator,
    doubted,
)
from concord.reports.decision.terms import margin_text
from concord.reports.decision.verdict import verdicts
from concord.reports.document import Column, Document, Table
from concord.reports.panel.candidates import Field, field, of_decision
from concord.reports.panel.criterion_comparison import CONSENSUS, EACH, Reference, reference
from concord.reports.panel.panel import Marks, Panel
from concord.reports.panel.provenance import named
from concord.reports.reliability.annotator_alerts import COPIED
from concord.store import certificates
from concord.store.database import Store
from concord.store.decisions import Decision
from concord.store.rubrics import rubric_versions

NOT_COMPARED = "not_compared"
# Of several replays the worst is the one that says most against the verdict.
_AGAINST = {
    GOOD_ENOUGH: (NOT, CANNOT_TELL),
    NOT: (GOOD_ENOUGH, CANNOT_TELL),
    CANNOT_TELL: (NOT, GOOD_ENOUGH),
}


@dataclass(frozen=True)
class Analysis:
    """One replay.

    Attributes:
        changed: What differs from the decision.
        verdict: `good_enough`, `not`, `cannot_tell`, or `not_compared` where too few answers of
            the judge are left.
        answers: On how many answers.
        questions: Of how many questions.
    """

    changed: str
    verdict: str
    answers: int
    questions: int


@dataclass(frozen=True)
class Robustness:
    """A sensitivity analysis of the verdict on a judge.

    Attributes:
        judge: Its label.
        verdict: As decided; `same` in so many `of` the analyses that could be compared.
        analyses: At most eight; those that apply.
    """

    judge: str
    verdict: str
    same: int
    of: int
    analyses: tuple[Analysis, ...]

    @property
    def falls(self) -> list[Analysis]:
        """The analyses with another verdict."""
        return [one for one in self.analyses if one.verdict not in (self.verdict, NOT_COMPARED)]


def holds(
    store: Store, panel: Panel, decision: Decision, against: Grader, judge: Grader, looked: Choice
) -> Robustness:
    """Replay the verdict on a judge as a look at the panel gave it; `against` is the reference."""
    terms, panel = terms_of(decision), of_decision(panel, decision.annotators)
    criterion = decision.criterion

    def replayed(
        changed: Said, panel: Panel = panel, terms: Terms = terms, kind: str = EACH
    ) -> Analysis:
        judged = verdicts(field(panel, criterion, against, kind), terms, looked.spending)
        found = (one.verdict for one in judged.judges if one.judge.id == judge.id)
        return Analysis(changed, next(found, NOT_COMPARED), judged.answers, judged.questions)

    def worst(rows: Sequence[Analysis]) -> Iterator[Analysis]:
        order = (*_AGAINST.get(decided, ()), decided, NOT_COMPARED, *VERDICTS)
        yield from sorted(rows, key=lambda one: order.index(one.verdict))[:1]

    def analyses() -> Iterator[Analysis]:
        annotators, models = panel.graded_by, panel.answer_models
        if len(annotators) > 1:
            yield from worst(
                [
                    replayed(
                        said("without an annotator (worst: {name})", name=one.name),
                        panel.choosing([other.name for other in annotators if other is not one]),
                    )
                    for one in annotators
                ]
            )
        if len(models) > 1:
            yield from worst(
                [
                    replayed(
                        said("without an answering model (worst: {name})", name=one),
                        panel.without(one),
                    )
                    for one in models
                ]
            )
        for factor in (0.5, 1.5):
            other = terms._replace(margin=terms.margin * factor)
            text = margin_text(terms.figure, other.margin)
            yield replayed(said("with a margin of {margin}", margin=text), terms=other)
        if len(annotators) > 1:
            text = "with the annotators' consensus as the reference"
            yield replayed(text, kind=CONSENSUS)
        if failed := _with_failures(panel, criterion, (judge, against)):
            yield replayed("with failures counted as disagreements", failed)
        if blind := _known_blind(store, panel, criterion):
            yield replayed("with grades known to be blind only", blind)
        copied = doubted(looked, COPIED)
        left = [one.name for one in annotators if named(one.name, one.simulated) not in copied]
        if copied and left:
            yield replayed("without suspected copies", panel.choosing(left))

    decided = replayed("").verdict
    found = tuple(analyses())
    # Where too little is left for a comparison, nothing was found that could differ.
    compared = [one for one in found if one.verdict in (decided, *VERDICTS)]
    same = sum(one.verdict == decided for one in compared)
    return Robustness(panel.labels[judge.id], decided, same, len(compared), found)


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
    columns = (
        Column("what differs"),
        Column("verdict"),
        Column("answers", "count"),
        Column("questions", "count"),
    )
    rows = ((one.changed, word(one.verdict), one.answers, one.questions) for one in found.analyses)
    headline = said(
        "“{verdict}” in {same} of {of} sensitivity analyses.",
        verdict=capital(word(found.verdict)),
        same=found.same,
        of=found.of,
    )
    return Document(headline, tables=(Table("robustness", columns, tuple(rows)),))


def _known_blind(store: Store, panel: Panel, criterion: str) -> Panel | None:
    """The panel without scores of which it is unknown if they were blind; None where none is."""
    versions = rubric_versions.criteria(store, panel.rubric)
    versions = [version for version, name in versions.items() if name == criterion]
    rows = certificates.not_known_blind(store, panel.sheet.id, versions, bool(panel.rubric.units))
    ids, changed = panel.items["id"].to_numpy(), {}
    for person in panel.annotators:
        unknown = np.isin(ids, [row["graded"] for row in rows if row["grader"] == person])
        if (unknown & panel.counted(criterion, person)).any():
            own = panel.of(criterion, person)
            changed[criterion, person] = own._replace(blind=own.blind & ~unknown)
    return replace(panel, marks=panel.marks | changed, _composites={}) if changed else None


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


def word(verdict: str) -> str:
    """Return a verdict as text."""
    return "cannot be compared" if verdict == NOT_COMPARED else VERDICTS[verdict]
