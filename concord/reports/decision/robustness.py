"""Robustness: the verdict on a judge, recomputed from the stored grades under eight other choices.

No API calls; does not count as an interim look.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from concord.messages import capital
from concord.model import Grader
from concord.reports.decision.results import (
    CANNOT_TELL,
    GOOD_ENOUGH,
    NOT,
    VERDICTS,
    Choice,
    doubted,
)
from concord.reports.decision.terms import margin_text
from concord.reports.decision.verdict import verdicts
from concord.reports.document import Column, Document, table_of
from concord.reports.panel.candidates import field, of_decision
from concord.reports.panel.criterion_comparison import CONSENSUS, EACH, reference
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
class Robustness:
    """A sensitivity analysis of the verdict on a judge.

    Attributes:
        judge: Its label.
        verdict: As decided; `same` in so many `of` the analyses that could be compared.
        analyses: At most eight, each with what is `changed`, the `verdict` (`not_compared` where
            too few answers are left), and of how many `answers` and `questions`.
    """

    judge: str
    verdict: str
    same: int
    of: int
    analyses: tuple[dict[str, Any], ...]

    @property
    def falls(self) -> list[dict[str, Any]]:
        """The analyses with another verdict."""
        return [one for one in self.analyses if one["verdict"] not in (self.verdict, NOT_COMPARED)]


def replayed(
    store: Store, panel: Panel, decision: Decision, against: Grader, judge: Grader, looked: Choice
) -> Robustness:
    """Replay the verdict on a judge as a look at the panel gave it; `against` is the reference."""
    panel, criterion = of_decision(panel, decision.annotators), decision.criterion

    def replay(
        changed: str, panel: Panel = panel, terms: Decision = decision, kind: str = EACH
    ) -> dict[str, Any]:
        judged = verdicts(field(panel, criterion, against, kind), terms, looked.spending, False)
        row = judged.rows.get(judge.id)
        return {
            "changed": changed,
            "verdict": row.verdict if row else NOT_COMPARED,
            "answers": judged.facts["answers"],
            "questions": judged.facts["questions"],
        }

    decided = replay("")["verdict"]

    def worst(rows: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        order = (*_AGAINST.get(decided, ()), decided, NOT_COMPARED, *VERDICTS)
        yield from sorted(rows, key=lambda one: order.index(one["verdict"]))[:1]

    def analyses() -> Iterator[dict[str, Any]]:
        annotators, models = panel.graded_by, panel.answer_models
        names = [one.name for one in annotators]
        if len(names) > 1:
            yield from worst(
                [
                    replay(
                        f"without an annotator (worst: {name})",
                        panel.choosing([other for other in names if other != name]),
                    )
                    for name in names
                ]
            )
        if len(models) > 1:
            yield from worst(
                [
                    replay(f"without an answering model (worst: {one})", panel.without(one))
                    for one in models
                ]
            )
        for factor in (0.5, 1.5):
            other = decision._replace(margin=decision.margin * factor)
            yield replay(f"margin {margin_text(other.figure, other.margin)}", terms=other)
        if len(names) > 1:
            yield replay("annotators' consensus as the reference", kind=CONSENSUS)
        if failed := _with_failures(panel, criterion, (judge, against)):
            yield replay("failures as disagreements", failed)
        if blind := _known_blind(store, panel, criterion):
            yield replay("grades known to be blind only", blind)
        copied = doubted(looked, COPIED)
        left = [one.name for one in annotators if named(one.name, one.simulated) not in copied]
        if copied and left:
            yield replay("without suspected copies", panel.choosing(left))

    found = tuple(analyses())
    # Where too little is left for a comparison, nothing was found that could differ.
    compared = [one for one in found if one["verdict"] in (decided, *VERDICTS)]
    same = sum(one["verdict"] == decided for one in compared)
    return Robustness(panel.labels[judge.id], decided, same, len(compared), found)


def document(found: Robustness) -> Document:
    """Return what is shown of a sensitivity analysis."""
    parts = [
        (Column("what differs"), lambda one: one["changed"]),
        (Column("verdict"), lambda one: VERDICTS.get(one["verdict"], "cannot be compared")),
        (Column("answers", "count"), lambda one: one["answers"]),
        (Column("questions", "count"), lambda one: one["questions"]),
    ]
    verdict = capital(VERDICTS.get(found.verdict, "cannot be compared"))
    title = f"“{verdict}” in {found.same} of {found.of} sensitivity analyses."
    return Document(title, tables=(table_of("robustness", found.analyses, parts),))


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


def _disagreeing(panel: Panel, annotators: Any, items: np.ndarray) -> np.ndarray:
    """Return each item's score that fewest annotators gave, ties to the farthest from the mean."""
    scale = np.array(panel.rubric.scale)
    given = np.zeros((len(panel.items), len(scale)))
    np.add.at(given, (annotators.item, np.searchsorted(scale, annotators.score)), 1)
    given = given[items]
    mean = given @ scale / given.sum(axis=1)
    apart = np.abs(scale - mean[:, None]) / (scale[-1] - scale[0] + 1)
    return scale[np.argmin(given - apart, axis=1)].astype(float)
