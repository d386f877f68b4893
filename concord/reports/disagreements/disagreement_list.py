"""The list of disagreements: the command `disagreements`."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from concord.grading.disagreement_causes import CAUSES, newest
from concord.language.grade_statuses import reason
from concord.messages import Problem, counted, joined, said
from concord.reports.disagreements import disagreements
from concord.reports.disagreements.disagreements import (
    TAGGED,
    UNTAGGED,
    DisagreementFilter,
    DisagreementRow,
    Key,
)
from concord.reports.document import Document
from concord.reports.panel.candidates import judge_of
from concord.reports.panel.criterion_comparison import EACH, NOBODY, NOT_BLIND, reference
from concord.reports.panel.panel import Panel
from concord.reports.panel.provenance import named
from concord.reports.panel.unit_words import heading
from concord.reports.work_list import Choice, Filter, WorkList, seen_by
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.text.display import one_line


def sentence(found: Counter, total: int) -> str:
    """Return how many are tagged and with what, as in “14 of 40 tagged: 9 rubric unclear”."""
    tagged = found.total()
    if not total:
        return "This list contains no disagreements."
    if not tagged:
        return said("{total}, none tagged yet.", total=counted(total, "disagreement"))
    causes = [
        said("{count} {cause}", count=count, cause=CAUSES[cause])
        for cause, count in found.most_common()
    ]
    return said(
        "{tagged} of {total:,} tagged: {causes}.",
        tagged=tagged,
        total=total,
        causes=joined(", ", causes),
    )


def meaning(found: Counter) -> str:
    """Return what to do about the causes; '' under five tags, which are too few.

    Working worst first does not tag a random sample, so no share of the total is claimed.
    """
    tagged = found.total()
    if tagged < ENOUGH:
        return ""
    (cause, count), *_ = found.most_common(1)
    if 2 * count <= tagged:
        return "No single cause explains most of the tagged disagreements."
    return said("Most common cause: {remedy}", remedy=_REMEDIES[cause])


def why_left_out(panel: Panel, wanted: DisagreementFilter) -> str:
    """Return a sentence per reason why answers or grades are not in the list; '' without any."""
    judges = [wanted.judge] if wanted.judge is not None else list(panel.judges)
    names = [criterion.name for criterion in panel.rubric.criteria]
    wanting = [wanted.criterion] if wanted.criterion else names
    found = _without_reference(panel, wanting)
    given = [panel.numbers(name, judge) for judge in judges for name in wanting]
    unscored = [one.status > 0 for one in given]  # continuous grades have a note of their own
    annotators = [panel.of(name, person) for person in panel.annotators for name in wanting]
    seen = [one.scored & ~one.blind for one in annotators]
    notes = [_excluded(counted(count, "answer"), reason(why)) for why, count in found.items()]
    without, late = (
        sum(int(np.sum(mask & panel.open)) for mask in masks) for masks in (unscored, seen)
    )
    grades = ((without, "no score"), (late, "given after seeing the judges"))
    notes += [_excluded(counted(count, "grade"), why) for count, why in grades if count]
    return joined(" ", notes)


def _without_reference(panel: Panel, names: Sequence[str]) -> Counter[str]:
    """Count the answers without an annotator's score on any of the criteria, by reason.

    Grades given after seeing the judges are counted as grades.
    """
    whys = [reference(panel, name, EACH).why for name in names]
    lacks = np.all([why != "" for why in whys], axis=0)
    found = Counter(whys[0][lacks].tolist())
    del found[NOT_BLIND]
    return found if panel.annotators else found - Counter({NOBODY: found[NOBODY]})


def _excluded(what: str, why: str) -> str:
    return said("Left out: {what} ({why}).", what=what, why=why)


ENOUGH = 5
_REMEDIES = {
    "judge_wrong": (
        "the judge misreads the rubric. Change its prompt or give it examples from the few-shot "
        "pool."
    ),
    "person_wrong": (
        "annotators made mistakes. Their grades are kept; the same annotators may regrade these "
        "answers."
    ),
    "rubric_unclear": (
        "the rubric is unclear. Reword the criterion before changing the judge; "
        "what must then be graded again can be listed."
    ),
    "bad_question": "question or context is faulty. Correct the sheet; no judge can do better.",
    "both_defensible": "both are defensible. The criterion is ambiguous, which limits agreement.",
}


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
    causes = {UNTAGGED: "Not tagged yet", TAGGED: "Tagged", **CAUSES}
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
        known = joined(", ", panel.answer_models) or "none that the sheet names"
        raise Problem(
            "There is no answering model “{name}”. Available: {known}.", name=name, known=known
        )
    return name


LIST: WorkList[Key] = WorkList(
    "disagreements",
    "entry",
    key=Key.text,
    columns=(
        ("item", "item"),
        ("criterion", "criterion"),
        ("judge", "judge"),
        ("annotator", "annotator_score"),
        ("judge's", "judge_score"),
        ("given by", "annotators"),
        ("cause", lambda one: CAUSES.get(one.cause, "")),
        ("question", lambda one: one_line(one.question_text, _SHORT)),
    ),
    filters=(
        Filter(
            "judge",
            "Judge",
            "All judges",
            lambda scope, _: (
                Choice(label, named(label, scope.panel.judges[judge].simulated), judge)
                for judge, label in scope.panel.labels.items()
            ),
            lambda store, panel, name: judge_of(store, panel, name).id,
        ),
        Filter(
            "criterion",
            "Criterion",
            "All criteria",
            lambda scope, _: (
                Choice(name, words, name) for name, words in scope.panel.rubric.headings().items()
            ),
            lambda store, panel, name: panel.rubric.criterion(name).name,
        ),
        Filter("cell", "Scores", "Any", _cells, _cell),
        Filter("size", "Points apart", "Any", _sizes),
        Filter(
            "answer_model",
            "Answering model",
            "All models",
            lambda scope, _: (Choice(*[one] * 3) for one in scope.panel.answer_models),
            _model,
        ),
        Filter("cause", "Cause", "Any", _causes),
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
    tags = disagreements.tags_of(store, panel)
    every = disagreements.every(panel, filters._replace(cause=None))
    counts = disagreements.counts(panel, every, tags)
    rows = disagreements.with_cause(panel, every, tags, filters.cause, newest(store))
    listed = rows.iloc[:limit]
    seen_by(store, by, {key.item_id for key in disagreements.keys(panel, listed)})
    words = (sentence(counts, len(every)), meaning(counts))
    left_out = why_left_out(panel, filters), panel.continuous_note(filters.judge)
    return Disagreements(
        sheet=panel.sheet.name,
        rubric=panel.rubric.name,
        total=len(rows),
        compared=not disagreements.why_not_compared(panel, filters),
        left_out=joined(" ", filter(None, left_out)),
        causes=dict(counts),
        sentence=joined(" ", words),
        disagreements=disagreements.in_full(store, panel, listed, tags),
        synthetic=panel.sheet.synthetic,
    )


def document(found: Disagreements, rubric: Rubric) -> Document:
    """Return what is shown of the list; criteria by their titles."""
    if not found.disagreements:
        notes = (found.left_out,) if found.left_out else ()
        return Document(NOTHING if found.compared else NOT_COMPARED, notes=notes)
    rows = [replace(one, criterion=heading(rubric, one.criterion)) for one in found.disagreements]
    return LIST.document(rows, found.sentence, found.total, (found.left_out,))
