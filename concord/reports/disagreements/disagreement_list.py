"""The list of disagreements: the command `disagreements`."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from concord.grading.disagreement_causes import CAUSES, newest
from concord.messages import Problem, counted, joined, said
from concord.reports.disagreements import disagreement, disagreements, findings
from concord.reports.disagreements.disagreement import DisagreementRow
from concord.reports.disagreements.disagreements import TAGGED, UNTAGGED, DisagreementFilter, Key
from concord.reports.document import Column, Document
from concord.reports.panel.named_judge import judge_of
from concord.reports.panel.panel import Panel
from concord.reports.panel.simulated import named
from concord.reports.panel.unit_words import heading
from concord.reports.work_list import Choice, Filter, WorkList, seen_by
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.text.display import one_line

_SHORT = 48  # of a question in a column, in characters
NOTHING = "This list contains no disagreements."
NOT_COMPARED = "Nothing was compared: no answer has both a judge's and an annotator's score."


class Scope(NamedTuple):
    """Data of the filters: the panel and its error cells."""

    panel: Panel
    cells: Callable[[int | None, str | None], Iterable[tuple[int, int, int]]]


def _cells(scope: Scope, chosen: Mapping[str, Any]) -> Iterable[Choice]:
    for score, given, n in scope.cells(chosen["judge"], chosen["criterion"]):
        words = said(
            "annotator {person}, judge {judge} ({answers})",
            person=score,
            judge=given,
            answers=counted(n, "answer"),
        )
        yield Choice(f"{score}:{given}", words, (score, given))


def _sizes(scope: Scope, _) -> Iterable[Choice]:
    """Yield every distance of two scores from 2 on."""
    scale = scope.panel.rubric.scale
    for size in sorted({b - a for a in scale for b in scale if b - a > 1}):
        yield Choice(str(size), said("{n} or more", n=size), size)


def _causes(*_) -> Iterable[Choice]:
    causes = {UNTAGGED: said("Not tagged yet"), TAGGED: said("Tagged"), **CAUSES}
    return (Choice(cause, words, cause) for cause, words in causes.items())


def _cell(store: Store, panel: Panel, text: str) -> tuple[int, int]:
    scale = panel.rubric.scale
    try:
        person, judge = map(int, text.split(":"))
    except ValueError:
        person = judge = None
    if person not in scale or judge not in scale or person == judge:
        raise Problem(
            "“{text}” names no error cell. Write the annotator's score, a colon and the judge's, "
            "two different ones of {scale}, as in {lowest}:{highest}.",
            text=text,
            scale=joined(", ", map(str, scale)),
            lowest=scale[0],
            highest=scale[-1],
        )
    return person, judge


def _model(store: Store, panel: Panel, name: str) -> str:
    if name not in panel.answer_models:
        known = joined(", ", panel.answer_models) or said("none that the sheet names")
        raise Problem(
            "There is no answering model “{name}”. Available: {known}.", name=name, known=known
        )
    return name


LIST: WorkList[Key] = WorkList(
    "disagreements",
    "entry",
    key=Key.text,
    columns=(
        (Column("item"), lambda one: one.item),
        (Column("criterion"), lambda one: one.criterion),
        (Column("judge"), lambda one: one.judge),
        (Column("annotator"), lambda one: one.annotator_score),
        (Column("judge's"), lambda one: one.judge_score),
        (Column("given by"), lambda one: one.annotators),
        (Column("cause"), lambda one: CAUSES.get(one.cause, "")),
        (Column("question"), lambda one: one_line(one.question_text, _SHORT)),
    ),
    filters=(
        Filter(
            "judge",
            said("Judge"),
            said("All judges"),
            lambda scope, _: (
                Choice(label, named(label, scope.panel.judges[judge].simulated), judge)
                for judge, label in scope.panel.labels.items()
            ),
            lambda store, panel, name: judge_of(store, panel, name).id,
        ),
        Filter(
            "criterion",
            said("Criterion"),
            said("All criteria"),
            lambda scope, _: (
                Choice(name, words, name) for name, words in scope.panel.rubric.headings().items()
            ),
            lambda store, panel, name: panel.rubric.criterion(name).name,
        ),
        Filter("cell", said("Scores"), said("Any"), _cells, _cell),
        Filter("size", said("Points apart"), said("Any"), _sizes),
        Filter(
            "answer_model",
            said("Answering model"),
            said("All models"),
            lambda scope, _: (Choice(*[one] * 3) for one in scope.panel.answer_models),
            _model,
        ),
        Filter("cause", said("Cause"), said("Any"), _causes),
    ),
)


def wanted(store: Store, panel: Panel, options: Mapping[str, Any]) -> DisagreementFilter:
    """Return the filters; raise a Problem that lists the known names where one is unknown."""
    given = [one for one in LIST.filters if options.get(one.name)]
    return DisagreementFilter(
        **{one.name: one.read(store, panel, options[one.name]) for one in given}
    )


@dataclass(frozen=True)
class Disagreements:
    """The disagreements that filters let through.

    Attributes:
        total: How many there are; `disagreements` has the first.
        compared: How many grades of a judge were compared with annotators' grades.
        left_out: What cannot be in the list, in words.
        causes: How many are tagged with each cause.
        sentence: How many are tagged, and what most of the tags mean.
    """

    sheet: str
    rubric: str
    total: int
    compared: int
    left_out: str
    causes: Mapping[str, int]
    sentence: str
    disagreements: tuple[DisagreementRow, ...]
    synthetic: int


def disagreement_list(
    store: Store, panel: Panel, filters: DisagreementFilter, limit: int, by: str | None = None
) -> Disagreements:
    """Return the list, after recording who now sees it."""
    tags = disagreement.tags_of(store, panel)
    every = disagreements.every(panel, filters._replace(cause=None))
    counts = disagreements.counts(panel, every, tags)
    rows = disagreements.with_cause(panel, every, tags, filters.cause, newest(store))
    listed = rows.iloc[:limit]
    seen_by(store, by, {key.item_id for key in disagreements.keys(panel, listed)})
    words = (findings.sentence(counts, len(every)), findings.meaning(counts))
    left_out = findings.left_out(panel, filters), panel.continuous_note(filters.judge)
    return Disagreements(
        sheet=panel.sheet.name,
        rubric=panel.rubric.name,
        total=len(rows),
        compared=not disagreements.why_not_compared(panel, filters),
        left_out=joined(" ", filter(None, left_out)),
        causes=dict(counts),
        sentence=joined(" ", words),
        disagreements=disagreement.in_full(store, panel, listed, tags),
        synthetic=panel.sheet.synthetic,
    )


def document(found: Disagreements, rubric: Rubric) -> Document:
    """Return what is shown of the list; criteria by their titles."""
    if not found.disagreements:
        notes = (found.left_out,) if found.left_out else ()
        return Document(NOTHING if found.compared else NOT_COMPARED, notes=notes)
    rows = [replace(one, criterion=heading(rubric, one.criterion)) for one in found.disagreements]
    return LIST.document(rows, found.sentence, found.total, (found.left_out,))
