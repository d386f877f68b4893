"""Contradicted claims: the units that judges call contradicted, for annotators to review.

The reviews give the precision of a judge's refutations. They change no grade and enter no
reference, since the reviewer has seen the verdict.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from concord.messages import Problem, counted, joined, on_command_line, said
from concord.metrics.prompts.ask import all_of
from concord.model import Sheet
from concord.reports.cells import reasons, written
from concord.reports.document import FLAT, Document
from concord.reports.panel import unit_words
from concord.reports.units.evidence import Part
from concord.reports.work_list import WorkList, seen_by
from concord.rubrics.model import Rubric
from concord.sampling import splits
from concord.stats.agreement.failure_recall import refutation_precision
from concord.stats.core.estimate import Estimate
from concord.store import graders, items
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.store.units import unit_verdicts
from concord.store.units.unit_verdicts import CONFIRMED, OVERTURNED, Refutation
from concord.text import quotations
from concord.text.display import one_line

CONTRADICTED = "contradicted"


class RubricRefutations(NamedTuple):
    """The refutations of one rubric of units, oldest first.

    `closed` is how many are on questions that are held out or that judges were shown; `others` are
    those of judges that are not in the list.
    """

    rubric: Rubric
    listed: tuple[Refutation, ...]
    closed: int
    others: tuple[Refutation, ...] = ()


@dataclass(frozen=True)
class Precision:
    """Precision of refutations: how many annotators confirmed and overturned.

    `precision` is the confirmed share of both, 0 to 1; `open` are unchecked and in neither. A unit
    contradicted for several judges is several refutations: `units` counts them once.
    """

    confirmed: int
    overturned: int
    open: int
    precision: Estimate
    units: int


def rubrics(store: Store, sheet: Sheet) -> list[Rubric]:
    """The rubrics of units whose verdicts may be `contradicted`, of those that are graded here."""
    graded = rubric_versions.units_graded(store, sheet.id)
    return [
        rubric
        for name, rubric in rubric_versions.of_parts(store).items()
        if name in graded and _score(rubric) is not None
    ]


def read(store: Store, sheet: Sheet, rubric: Rubric, judge: str | None = None) -> RubricRefutations:
    """Return judges' refutations under a rubric; `judge` restricts to one, by name or label."""
    version = rubric.version(rubric.criteria[0])
    every = unit_verdicts.refutations(store, sheet.id, version, _score(rubric))
    shut = splits.held_out(store, sheet.id) | splits.leaked(store, sheet.id)
    wanted, others = [], []
    for one in every:
        (wanted if judge in (None, one.judge, label(one)) else others).append(one)
    free, beside = (
        tuple(one for one in some if one.question_id not in shut) for some in (wanted, others)
    )
    return RubricRefutations(rubric, free, len(wanted) - len(free), beside)


def precision(listed: Sequence[Refutation]) -> Precision:
    """Return the precision of refutations, by annotators' checks."""
    reviewed = [one for one in listed if one.word]
    right = np.array([one.word == CONFIRMED for one in reviewed], bool)
    by_question = [one.cluster or f"question {one.question_id}" for one in reviewed]
    share = refutation_precision(right, np.array(by_question, dtype=object).astype(str))
    hits = int(right.sum())
    units = len({one.unit_id for one in listed})
    return Precision(hits, len(reviewed) - hits, len(listed) - len(reviewed), share, units)


def headline(found: Precision) -> str:
    """Return how many reviewed refutations were confirmed, and their precision."""
    reviewed = found.confirmed + found.overturned
    if not reviewed:
        refutations = counted(found.open, "“contradicted” verdict", "“contradicted” verdicts")
        return said("{refutations}, none reviewed yet.", refutations=refutations)
    return said(
        "{n} of {refutations} confirmed: precision {figure}.",
        n=found.confirmed,
        refutations=counted(reviewed, "“contradicted” verdict", "“contradicted” verdicts"),
        figure=written(found.precision, "value"),
    )


def not_shown(closed: int) -> str:
    """Note how many refutations the list leaves out; '' without any."""
    if not closed:
        return ""
    return said(
        "{refutations} on held-out questions or in the few-shot pool is not shown."
        if closed == 1
        else "{refutations} on held-out questions or in the few-shot pool are not shown.",
        refutations=counted(closed, "“contradicted” verdict", "“contradicted” verdicts"),
    )


def nothing(closed: int) -> str:
    """Say that the list is empty; `closed` is how many it leaves out."""
    if closed:
        return "No contradiction to show."
    return "No judge found a contradiction here."


def _notes(found: Estimate, often: str | None) -> list[str]:
    """Return the reason for a missing CI, and that a unit counts more than once where it does."""
    why = found.why_none if found.value is not None else None
    return [*reasons([why]), *([often] if often else [])]


def counts_often(found: Precision, rubric: Rubric) -> str:
    """Note that a unit counts for each judge that refutes it; '' where none is refuted twice."""
    every = found.confirmed + found.overturned + found.open
    if found.units == every:
        return ""
    return said(
        "All {refutations} concern {units}; {unit} counts once for each judge that "
        "calls it contradicted.",
        refutations=counted(every, "“contradicted” verdict", "“contradicted” verdicts"),
        units=unit_words.how_many(unit_words.of_rubric(rubric), found.units),
        unit=unit_words.one(rubric),
    )


def elsewhere(found: RubricRefutations, one: Refutation) -> list[Refutation]:
    """Return annotators' checks of the same unit as refuted by other judges."""
    every = (*found.listed, *found.others)
    same = [other for other in every if other.unit_id == one.unit_id and other.word]
    return [other for other in same if other.judge_id != one.judge_id]


def label(one: Refutation) -> str:
    """The judge's name with its fingerprint."""
    return f"{one.judge}@{one.fingerprint}" if one.fingerprint else one.judge


def _score(rubric: Rubric) -> int | None:
    """The score whose label says contradicted; None where a rubric has none."""
    levels = rubric.criteria[0].levels
    return next((level.score for level in levels if level.label == CONTRADICTED), None)


_TITLES = {
    "QUESTION": "Question {n}",
    "ANSWER": "Answer {n}",
    "CONTEXT": "Context {n}",
    "REFERENCE": "Reference {n}",
    "DOCUMENT": "Document {n}",
}


def passages(store: Store, one: Refutation, rubric: Rubric) -> list[Part]:
    """Return the texts the judge saw with its quote marked; first the quote if it is in none."""
    item = items.item(store, one.item_id).item
    shown = [part for part in rubric.shown if part != "question"]
    chunk = one.position if "chunk" in rubric.shown else None
    texts = all_of(shown, item, chunk)
    names = [name for name, _ in texts]
    found = [
        _part(said(_TITLES[name], n=names[: place + 1].count(name)), text, one)
        for place, (name, text) in enumerate(texts)
    ]
    if not one.quote or any(part.spans for part in found):
        return found
    return [Part("Quote not found in any text", one.quote, ()), *found]


def _part(name: str, text: str, one: Refutation) -> Part:
    span = quotations.find(one.quote, text) if one.quote else None
    return Part(name, text, ((*span, one.unit_id),) if span else ())


_SHORT = 60  # of a unit or its evidence in a column, in characters
WORDS = {"confirmed": CONFIRMED, "overturned": OVERTURNED, "taken": ""}
_REVIEWS = {CONFIRMED: "confirmed", OVERTURNED: "overturned"}


@dataclass(frozen=True)
class OtherReview:
    """A review of the same unit, as another judge refutes it."""

    judge: str
    word: str
    who: str


@dataclass(frozen=True)
class ContradictedClaim:
    """A unit that a judge calls contradicted.

    `item` names the answer; `word`, `note` and `who` are the review, empty without one.
    """

    id: int
    item: str
    answer_model: str
    question: str
    unit: str
    judge: str
    simulated: bool
    reason: str
    quote: str
    word: str
    note: str
    who: str
    elsewhere: tuple[OtherReview, ...]


@dataclass(frozen=True)
class Refutations:
    """The refutations of a rubric, those without a review first, and their precision.

    Attributes:
        total: How many there are; `refutations` has the first.
        left_out: On held-out questions, or on those that judges were shown.
    """

    sheet: str
    synthetic: int
    total: int
    rubric: str
    sentence: str
    counts_often: str | None
    left_out: int
    figures: Precision = field(metadata=FLAT)
    refutations: tuple[ContradictedClaim, ...]


def _elsewhere(one: ContradictedClaim) -> str | None:
    """The reviews of the same unit for other judges; None without any."""
    found = (
        said("{word} for {judge}", word=_REVIEWS[other.word], judge=other.judge.partition("@")[0])
        for other in one.elsewhere
    )
    others = joined("; ", dict.fromkeys(found))
    return said("({others})", others=others) if one.elsewhere else None


LIST: WorkList[Refutation] = WorkList(
    "refutations",
    "entry",
    key=lambda one: one.grade_id,
    is_open=lambda one: not one.word,
    columns=(
        ("id", "id"),
        ("answer", "item"),
        ("judge", "judge"),
        ("review", lambda one: _REVIEWS.get(one.word) or _elsewhere(one)),
        ("unit", lambda one: one_line(one.unit, _SHORT)),
        ("evidence", lambda one: one_line(one.quote, _SHORT)),
    ),
    order=lambda one: (bool(one.word), one.grade_id),
)


def refutations(
    store: Store, sheet: Sheet, rubric: str | None, judge: str | None, limit: int, by: str | None
) -> Refutations:
    """Return the list and its precision, after recording who now sees it."""
    found = read(store, sheet, _rubric(store, sheet, rubric), judge)
    if judge and not found.listed:
        raise Problem(
            "No judge “{judge}” calls anything contradicted here. Leave --judge out.", judge=judge
        )
    listed = LIST.of(found.listed).items[:limit]
    seen_by(store, by, (one.item_id for one in listed))
    names = items.answer_names(store, sheet.id)
    figures = precision(found.listed)
    return Refutations(
        sheet=sheet.name,
        synthetic=sheet.synthetic,
        total=len(found.listed),
        rubric=found.rubric.name,
        sentence=headline(figures),
        counts_often=counts_often(figures, found.rubric) or None,
        left_out=found.closed,
        figures=figures,
        refutations=tuple(_row(found, one, names[one.item_id]) for one in listed),
    )


def _row(found: RubricRefutations, one: Refutation, name: str) -> ContradictedClaim:
    others = elsewhere(found, one)
    return ContradictedClaim(
        id=one.grade_id,
        item=name,
        answer_model=one.answer_model,
        question=one.question,
        unit=one.unit,
        judge=label(one),
        simulated=bool(one.simulated),
        reason=one.reason,
        quote=one.quote,
        word=one.word,
        note=one.note,
        who=one.who,
        elsewhere=tuple(OtherReview(label(other), other.word, other.who) for other in others),
    )


def review(
    store: Store,
    sheet: Sheet,
    rubric: str | None,
    reviews: Mapping[str, Sequence[int]],
    by: str,
    note: str,
) -> None:
    """Store an annotator's reviews by id; raise a Problem where one is not in the list."""
    found = read(store, sheet, _rubric(store, sheet, rubric))
    _check(found, [one for ids in reviews.values() for one in ids])
    who = graders.ensure_annotator(store, by)
    with store.write():
        for name, ids in reviews.items():
            for one in ids:
                unit_verdicts.review_refutation(store, one, WORDS[name], who.id, note)


def document(found: Refutations) -> Document:
    """Return what is shown of the list."""
    closed = [note for note in [not_shown(found.left_out)] if note]
    if not found.refutations:
        return Document(nothing(found.left_out), notes=tuple(closed))
    notes = [*_notes(found.figures.precision, found.counts_often), *closed]
    return LIST.document(found.refutations, found.sentence, found.total, notes)


def _rubric(store: Store, sheet: Sheet, name: str | None) -> Rubric:
    known = {rubric.name: rubric for rubric in rubrics(store, sheet)}
    if not known:
        raise Problem(
            "No judge has checked claims of this sheet yet. Run a metric judge under "
            "Judges{on_command_line}.",
            on_command_line=on_command_line("`judge rag-metrics`"),
        )
    if name is None and len(known) == 1:
        return next(iter(known.values()))
    names = joined(", ", known)
    if name is None:
        raise Problem("Name a rubric with --rubric: {names}.", names=names)
    if name not in known:
        raise Problem(
            "No judge found a contradiction here under a rubric “{name}”. Available: {names}.",
            name=name,
            names=names,
        )
    return known[name]


def _check(found: RubricRefutations, ids: Sequence[int]) -> None:
    unknown = set(ids) - {one.grade_id for one in found.listed}
    if unknown:
        listed = joined(", ", map(str, sorted(unknown)))
        raise Problem(
            "No verdict in this list has the id {listed}. The list shows the ids.", listed=listed
        )
    if len(ids) != len(set(ids)):
        raise Problem("One verdict is named twice. Confirm it, overturn it, or withdraw it.")
