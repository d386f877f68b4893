"""The list of contradicted claims: `disagreements --contradicted`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from concord.messages import Problem, joined, on_command_line, said
from concord.model import Sheet
from concord.reports.document import FLAT, Column, Document
from concord.reports.units import contradicted_claims as contradicted
from concord.reports.units.contradicted_claims import Precision, RubricRefutations, label
from concord.reports.work_list import WorkList, seen_by
from concord.rubrics.model import Rubric
from concord.store import graders, items
from concord.store.database import Store
from concord.store.units import unit_verdicts
from concord.store.units.unit_verdicts import CONFIRMED, OVERTURNED, Refutation
from concord.text.display import one_line

_SHORT = 60  # of a unit or its evidence in a column, in characters
WORDS = {"confirmed": CONFIRMED, "overturned": OVERTURNED, "taken": ""}
_REVIEWS = {CONFIRMED: said("confirmed"), OVERTURNED: said("overturned")}


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
        (Column("id"), lambda one: one.id),
        (Column("answer"), lambda one: one.item),
        (Column("judge"), lambda one: one.judge),
        (Column(said("review")), lambda one: _REVIEWS.get(one.word) or _elsewhere(one)),
        (Column(said("unit")), lambda one: one_line(one.unit, _SHORT)),
        (Column(said("evidence")), lambda one: one_line(one.quote, _SHORT)),
    ),
    order=lambda one: (bool(one.word), one.grade_id),
)


def refutations(
    store: Store, sheet: Sheet, rubric: str | None, judge: str | None, limit: int, by: str | None
) -> Refutations:
    """Return the list and its precision, after recording who now sees it."""
    found = contradicted.read(store, sheet, _rubric(store, sheet, rubric), judge)
    if judge and not found.listed:
        raise Problem(
            "No judge “{judge}” calls anything contradicted here. Leave --judge out.", judge=judge
        )
    listed = LIST.of(found.listed).items[:limit]
    seen_by(store, by, (one.item_id for one in listed))
    names = items.answer_names(store, sheet.id)
    figures = contradicted.precision(found.listed)
    return Refutations(
        sheet=sheet.name,
        synthetic=sheet.synthetic,
        total=len(found.listed),
        rubric=found.rubric.name,
        sentence=contradicted.headline(figures),
        counts_often=contradicted.counts_often(figures, found.rubric) or None,
        left_out=found.closed,
        figures=figures,
        refutations=tuple(_row(found, one, names[one.item_id]) for one in listed),
    )


def _row(found: RubricRefutations, one: Refutation, name: str) -> ContradictedClaim:
    others = contradicted.elsewhere(found, one)
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
    found = contradicted.read(store, sheet, _rubric(store, sheet, rubric))
    _check(found, [one for ids in reviews.values() for one in ids])
    who = graders.ensure_annotator(store, by)
    with store.write():
        for name, ids in reviews.items():
            for one in ids:
                unit_verdicts.review_refutation(store, one, WORDS[name], who.id, note)


def document(found: Refutations) -> Document:
    """Return what is shown of the list."""
    closed = [note for note in [contradicted.not_shown(found.left_out)] if note]
    if not found.refutations:
        return Document(contradicted.nothing(found.left_out), notes=tuple(closed))
    notes = [*contradicted.notes(found.figures.precision, found.counts_often), *closed]
    return LIST.document(found.refutations, found.sentence, found.total, notes)


def _rubric(store: Store, sheet: Sheet, name: str | None) -> Rubric:
    known = {rubric.name: rubric for rubric in contradicted.rubrics(store, sheet)}
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
