"""Contradicted claims: the units that judges call contradicted, for annotators to review.

The reviews give the precision of a judge's refutations. They change no grade and enter no
reference, since the reviewer has seen the verdict.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from concord.messages import Problem, joined
from concord.metrics.prompts.ask import all_of
from concord.model import Sheet
from concord.reports.cells import reasons, written
from concord.reports.document import Document, listing
from concord.reports.document import Part as DocumentPart
from concord.reports.units.evidence import Part
from concord.rubrics.model import Rubric
from concord.sampling import splits
from concord.stats.agreement.coefficients import refutation_precision
from concord.store import graders, grades, items
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.store.units import unit_verdicts
from concord.store.units.unit_verdicts import CONFIRMED, OVERTURNED, Refutation
from concord.text import quotations
from concord.text.display import one_line

CONTRADICTED = "contradicted"
NOTHING = "No contradiction to show."
WORDS = {"confirmed": CONFIRMED, "overturned": OVERTURNED, "taken": ""}
_SHORT = 60  # of a unit or its evidence in a column, in characters


def rubrics(store: Store, sheet: Sheet) -> list[Rubric]:
    """The rubrics of units whose verdicts may be `contradicted`, of those that are graded here."""
    graded = rubric_versions.units_graded(store, sheet.id)
    return [
        rubric
        for name, rubric in rubric_versions.of_parts(store).items()
        if name in graded and _score(rubric) is not None
    ]


def _score(rubric: Rubric) -> int | None:
    """The score whose label says contradicted; None where a rubric has none."""
    levels = rubric.criteria[0].levels
    return next((level.score for level in levels if level.label == CONTRADICTED), None)


def read(
    store: Store, sheet: Sheet, rubric: Rubric, judge: str | None = None
) -> tuple[list[Refutation], int]:
    """Return judges' refutations under a rubric, oldest first; `judge` is one, by name or label.

    Returns:
        Those shown, and how many are of questions that are held out or that judges were shown.
    """
    version = rubric.version(rubric.criteria[0])
    every = unit_verdicts.refutations(store, sheet.id, version, _score(rubric))
    shut = splits.held_out(store, sheet.id) | splits.leaked(store, sheet.id)
    wanted = [one for one in every if judge in (None, one.judge, label(one))]
    free = [one for one in wanted if one.question_id not in shut]
    return free, len(wanted) - len(free)


def label(one: Refutation) -> str:
    """The judge's name with its fingerprint."""
    return f"{one.judge}@{one.fingerprint}" if one.fingerprint else one.judge


def precision(listed: Sequence[Refutation]) -> dict[str, Any]:
    """Return how many refutations annotators confirmed and overturned, and the confirmed share.

    `open` ones are unchecked. A unit that several judges refute is several refutations: `units`
    counts it once.
    """
    reviewed = [one for one in listed if one.word]
    right = np.array([one.word == CONFIRMED for one in reviewed], bool)
    by_question = [str(one.cluster or f"question {one.question_id}") for one in reviewed]
    hits = int(right.sum())
    return {
        "confirmed": hits,
        "overturned": len(reviewed) - hits,
        "open": len(listed) - len(reviewed),
        "precision": refutation_precision(right, np.array(by_question, dtype=str)),
        "units": len({one.unit_id for one in listed}),
    }


def headline(found: Mapping[str, Any]) -> str:
    """Return how many refutations were confirmed, their precision, and how many are open."""
    reviewed = found["confirmed"] + found["overturned"]
    if not reviewed:
        return f"{found['open']:,} contradicted claims, none reviewed yet"
    confirmed = f"{found['confirmed']:,} of {reviewed:,} contradicted claims confirmed"
    precision = written(found["precision"], "value")
    return f"{confirmed}: precision {precision}; {found['open']:,} open"


def notes(figures: Mapping[str, Any], closed: int) -> tuple[str, ...]:
    """Return why there is no CI, and how many refutations the list leaves out."""
    found = figures["precision"]
    left_out = f"{closed:,} on held-out or few-shot questions are not shown." if closed else ""
    return (*reasons([found.why_none if found.value is not None else None]), left_out)


def passages(store: Store, one: Refutation, rubric: Rubric) -> list[Part]:
    """Return the texts the judge saw with its quote marked; first the quote if it is in none."""
    shown = [part for part in rubric.shown if part != "question"]
    chunk = one.position if "chunk" in rubric.shown else None
    found, numbers = [], Counter()
    for name, text in all_of(shown, items.item(store, one.item_id).item, chunk):
        numbers[name] += 1
        span = quotations.find(one.quote, text) if one.quote else None
        spans = ((*span, one.unit_id),) if span else ()
        found.append(Part(f"{name.capitalize()} {numbers[name]}", text, spans))
    if not one.quote or any(part.spans for part in found):
        return found
    return [Part("Quote not found in any text", one.quote), *found]


_PARTS: tuple[DocumentPart, ...] = (
    ("id", "id"),
    ("answer", "item"),
    ("judge", "judge"),
    ("review", "word"),
    ("unit", lambda row: one_line(row["unit"], _SHORT)),
    ("evidence", lambda row: one_line(row["quote"], _SHORT)),
)


def refutations(
    store: Store, sheet: Sheet, rubric: str | None, judge: str | None, limit: int, by: str | None
) -> dict[str, Any]:
    """Return the list, those without a review first, after recording who now sees it.

    `total` is how many there are; `left_out` are on held-out questions, or on those that judges
    were shown.
    """
    chosen = _rubric(store, sheet, rubric)
    found, closed = read(store, sheet, chosen, judge)
    if judge and not found:
        raise Problem("“{judge}” calls nothing contradicted here.", judge=judge)
    listed = sorted(found, key=lambda one: (bool(one.word), one.grade_id))[:limit]
    reader = by and graders.ensure_annotator(store, by).id
    grades.open_items(store, [one.item_id for one in listed], reader)
    names = items.answer_names(store, sheet.id)
    about = ("answer_model", "question", "unit", "reason", "quote", "word", "note", "who")
    return {
        "sheet": sheet.name,
        "synthetic": sheet.synthetic,
        "total": len(found),
        "rubric": chosen.name,
        "left_out": closed,
        **precision(found),
        "refutations": [
            {
                "id": one.grade_id,
                "item": names[one.item_id],
                "judge": label(one),
                "simulated": bool(one.simulated),
                **{key: getattr(one, key) for key in about},
            }
            for one in listed
        ],
    }


def review(
    store: Store,
    sheet: Sheet,
    rubric: str | None,
    reviews: Mapping[str, Sequence[int]],
    by: str,
    note: str,
) -> None:
    """Store an annotator's reviews by id; raise a Problem where one is not in the list."""
    found, _ = read(store, sheet, _rubric(store, sheet, rubric))
    ids = [one for those in reviews.values() for one in those]
    if unknown := {*ids} - {one.grade_id for one in found}:
        listed = joined(", ", map(str, sorted(unknown)))
        raise Problem(
            "No verdict in this list has the id {listed}. The list shows the ids.", listed=listed
        )
    if len(ids) != len({*ids}):
        raise Problem("One verdict is named twice. Confirm it, overturn it, or withdraw it.")
    who = graders.ensure_annotator(store, by)
    with store.write():
        for name, those in reviews.items():
            for one in those:
                unit_verdicts.review_refutation(store, one, WORDS[name], who.id, note)


def document(found: Mapping[str, Any]) -> Document:
    """Return what is shown of the list."""
    told = notes(found, found["left_out"])
    rows = found["refutations"]
    what = headline(found) if rows else NOTHING
    return listing("refutations", rows, _PARTS, what, found["total"], told)


def _rubric(store: Store, sheet: Sheet, name: str | None) -> Rubric:
    known = {rubric.name: rubric for rubric in rubrics(store, sheet)}
    if not known:
        raise Problem("No judge has checked claims yet. Run one: `judge rag-metrics`.")
    if name is None and len(known) == 1:
        return next(iter(known.values()))
    if name not in known:
        names = joined(", ", known)
        raise Problem("Name a rubric with contradictions by --rubric: {names}.", names=names)
    return known[name]
