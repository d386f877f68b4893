"""Robustness: the verdict on a judge, recomputed from the stored grades under eight other choices.

No API calls; does not count as an interim look.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from concord.messages import capital
from concord.model import Grader
from concord.reports.decision.document import margin_text
from concord.reports.decision.verdict import (
    CANNOT_TELL,
    GOOD_ENOUGH,
    NOT,
    VERDICTS,
    Choice,
    Row,
    doubted,
    verdicts,
)
from concord.reports.document import Column, Document, table_of
from concord.reports.panel.choice import field, of_decision
from concord.reports.panel.criterion_comparison import CONSENSUS, EACH, reference
from concord.reports.panel.panel import Marks, Panel
from concord.reports.panel.wording import named
from concord.reports.reliability.annotator_alerts import COPIED
from concord.store import decisions
from concord.store.database import Store
from concord.store.decisions import Decision
from concord.store.rubrics import rubric_versions

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
            too few answers are left), and of how many `answers` and `questions`.
    """
    panel, criterion = of_decision(panel, decision.annotators), decision.criterion

    def replay(
        changed: str, panel: Panel = panel, terms: Decision = decision, kind: str = EACH
    ) -> dict[str, Any]:
        judged = verdicts(field(panel, criterion, against, kind), terms, looked.spending, False)
        row, sizes = judged.rows.get(judge.id), ("answers", "questions")
        return {
            "changed": changed,
            "verdict": row.verdict if row else NOT_COMPARED,
            **{name: judged.facts[name] for name in sizes},
        }

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


def document(found: Row) -> Document:
    """Return what is shown of a sensitivity analysis."""
    parts = (
        ("what differs", lambda one: one["changed"]),
        ("verdict", lambda one: _WORDS[one["verdict"]]),
        (Column("answers", "count"), lambda one: one["answers"]),
        (Column("questions", "count"), lambda one: one["questions"]),
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
