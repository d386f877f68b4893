"""Gold answers: answers to questions of the few-shot pool, with scores agreed before grading.

They are for the training round (`training_round`), or mixed into queues (`grading.gold_items`).
The few-shot pool is excluded from every figure, so grades of these answers never count.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from concord.grading import grading_sets
from concord.grading.grading_sets import GradingSet
from concord.messages import Problem, Said, joined, said
from concord.model import FEW_SHOT
from concord.rubrics.model import Rubric
from concord.sampling import splits
from concord.store import items
from concord.store.database import Row, Store, marks
from concord.store.rubrics import rubric_versions
from concord.text.normal_form import text_hash

NEWEST = (
    "not exists (select 1 from {table} later where later.set_id = t.set_id"
    " and later.item_id = t.item_id and later.id > t.id{same})"
)

_NO_POOL = said(
    "No answers are available. Move some questions to the few-shot pool under Splits; their "
    "answers are excluded from all figures."
)
_WHOLE = said(
    "No answers are available: gold and training items come from the few-shot pool, and this set "
    "was created with every answer of the sheet. Move some questions to the few-shot pool under "
    "Splits, then create a new set: it leaves the pool out."
)
_ALL_IN_SET = said(
    "Every answer of the few-shot pool is in this set already, for grading or as a gold or "
    "training item. Move questions to the pool that the set does not have, or create a set after "
    "the move."
)


class AgreedScore(NamedTuple):
    """The agreed score of one criterion of one answer, and why."""

    item_id: int
    criterion: str
    score: int
    reason: str = ""


class Purpose(NamedTuple):
    """The purpose of answers with known scores: gold items, or the training round.

    Attributes:
        other: The table of the other purpose, which may hold none of the answers.
        add: Adds answers with their scores, or changes the scores of some.
        take_out: Removes an answer.
        chosen: The scores of the answers chosen so far, under the current wording.
    """

    other: str
    add: Callable[[Store, GradingSet, Sequence[AgreedScore], str], None]
    take_out: Callable[[Store, GradingSet, int, str], None]
    chosen: Callable[[Store, GradingSet], list[AgreedScore]]


class PoolAnswer(NamedTuple):
    """An answer that may become a gold or training item; its name does not tell the model."""

    id: int
    name: str
    question_id: int
    question: str
    answer: str


def candidates(store: Store, grading_set: GradingSet, purpose: Purpose) -> list[PoolAnswer]:
    """Return the answers that may be chosen for a purpose and are not: what is available."""
    chosen = {one.item_id for one in purpose.chosen(store, grading_set)}
    return [row for row in offered(store, grading_set, purpose) if row.id not in chosen]


def offered(store: Store, grading_set: GradingSet, purpose: Purpose) -> list[PoolAnswer]:
    """Return the answers of the few-shot pool to choose from, in the order of the sheet.

    Those chosen for this purpose are among them, and those that were and are removed.
    """
    examples = _examples(store, grading_set)
    tables = (purpose.other, "grading_set_items")
    taken = " union ".join(f"select item_id from {one} where set_id = ?" for one in tables)
    rows = store.rows(
        "select i.id, i.question_id, q.text as question, i.answer from items i"
        " join questions q on q.id = i.question_id"
        f" where q.id in ({marks(examples)}) and i.id not in ({taken}) order by i.id",
        (*examples, *[grading_set.id] * len(tables)),
    )
    names = items.names_of(store, grading_set.sheet_id, [row["id"] for row in rows])
    return [PoolAnswer(row["id"], names[row["id"]], *row[1:]) for row in rows]


def why_none(store: Store, grading_set: GradingSet) -> Said:
    """Return why no answer is offered, and the remedy."""
    outside = store.has(
        "select 1 from items i where i.sheet_id = ?"
        " and i.id not in (select item_id from grading_set_items where set_id = ?)",
        (grading_set.sheet_id, grading_set.id),
    )
    if not outside:
        return _WHOLE
    return _ALL_IN_SET if _examples(store, grading_set) else _NO_POOL


def _examples(store: Store, grading_set: GradingSet) -> list[int]:
    questions = splits.of_sheet(store, grading_set.sheet_id)
    return [row["id"] for row in questions if row["split"] == FEW_SHOT]


def check(
    store: Store, grading_set: GradingSet, known: Iterable[AgreedScore], other: str
) -> Rubric:
    """Return the set's rubric; a Problem for an answer that cannot be a gold or training item.

    Each answer has to belong to a question of the few-shot pool and needs every criterion once,
    with a score of the scale. `other` is the table of the other kind (gold or training), which may
    hold none of them.
    """
    known = list(known)
    if grading_sets.kind_of(store, grading_set):
        raise Problem(
            "Gold and training items are whole answers, but this set is graded unit by unit."
        )
    if not known:
        raise Problem("No agreed score is given. Give one for each criterion of each answer.")
    for _, why_not in faults(store, grading_set, known, other):
        raise Problem(why_not)
    return rubric_versions.get(store, grading_set.rubric_id)


def faults(
    store: Store, grading_set: GradingSet, known: Sequence[AgreedScore], other: str
) -> Iterator[tuple[AgreedScore, Said]]:
    """Yield each agreed score that cannot be taken, with what is wrong and the remedy.

    An answer that cannot be chosen is named with each of its scores, one that lacks a score with
    its first.
    """
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    allowed = {row["id"]: row["split"] for row in splits.of_sheet(store, grading_set.sheet_id)}
    by_item: dict[int, list[AgreedScore]] = {}
    for one in known:
        by_item.setdefault(one.item_id, []).append(one)
    found = _items(store, grading_set, by_item, other)
    names = items.names_of(store, grading_set.sheet_id, [*by_item])
    for item_id, own in by_item.items():
        why_not = _unfit(found.get(item_id), names.get(item_id), allowed)
        if why_not:
            yield from ((one, why_not) for one in own)
        else:
            yield from _wrong_scores(names[item_id], own, rubric)


def _unfit(row: Row | None, name: str | None, allowed: dict[int, str]) -> Said | None:
    """Why an answer cannot be chosen; None where it can."""
    if row is None or row["question_id"] not in allowed:
        return said("An answer is not of this set's sheet. Choose from its few-shot pool.")
    if allowed[row["question_id"]] != FEW_SHOT:
        return said(
            "Answer {answer} is to a question that the figures include. Move the question to "
            "the few-shot pool, or choose another answer.",
            answer=name,
        )
    if row["to_grade"]:
        return said(
            "Answer {answer} was in this set to be graded before it moved to the few-shot pool, so "
            "it cannot be a gold or training item of it. Choose another, or create a new set: it "
            "leaves the pool out.",
            answer=name,
        )
    if row["elsewhere"]:
        return said(
            "Answer {answer} is already a gold or training item of this set. Choose another.",
            answer=name,
        )
    return None


def named(store: Store, grading_set: GradingSet, name: str) -> int:
    """The id of an answer of a set's sheet by name; a Problem where none or several have it."""
    found = items.answer_names(store, grading_set.sheet_id).find(name)
    if found is None:
        raise Problem("The sheet has no answer {answer}. Correct item_id.", answer=name)
    return found


def example_scores(rubric: Rubric, question: str, answer: str) -> dict[str, tuple[int, str]]:
    """Score and reason by criterion, where an example of the rubric is this very answer."""
    asked = text_hash(question), answer.strip()
    return {
        criterion.name: (level.score, example.why)
        for criterion in rubric.criteria
        for level in criterion.levels
        for example in level.examples
        if (text_hash(example.question), example.answer.strip()) == asked
    }


def _items(store: Store, grading_set: GradingSet, ids: Iterable[int], other: str) -> dict[int, Row]:
    ids = [*ids]
    rows = store.rows(
        "select i.id, i.question_id,"
        f" exists (select 1 from {other} t where t.item_id = i.id and t.set_id = ?) as elsewhere,"
        " exists (select 1 from grading_set_items m where m.item_id = i.id and m.set_id = ?)"
        f" as to_grade from items i where i.id in ({marks(ids)})",
        (grading_set.id, grading_set.id, *ids),
    )
    return {row["id"]: row for row in rows}


def _wrong_scores(
    name: str, known: list[AgreedScore], rubric: Rubric
) -> Iterator[tuple[AgreedScore, Said]]:
    """Yield the scores of one answer that no criterion or scale of the rubric has, or too few."""
    names = [criterion.name for criterion in rubric.criteria]
    for one in known:
        if one.criterion not in names:
            yield (
                one,
                said(
                    "The rubric has no criterion {criterion}. It has: {criteria}.",
                    criterion=one.criterion,
                    criteria=joined(", ", names),
                ),
            )
    given = [one.criterion for one in known]
    missing = [name for name in names if given.count(name) != 1]
    if missing:
        yield (
            known[0],
            said(
                "Answer {answer} must have exactly one agreed score for each criterion. Check "
                "{missing}.",
                answer=name,
                missing=joined(" and ", missing),
            ),
        )
    for one in known:
        if one.score not in rubric.scale:
            yield (
                one,
                said(
                    "{score} for {criterion} of answer {answer} is not on the scale {low} to "
                    "{high}.",
                    score=one.score,
                    criterion=one.criterion,
                    answer=name,
                    low=rubric.scale[0],
                    high=rubric.scale[-1],
                ),
            )


def choose(rows: list[PoolAnswer], count: int, seed: int) -> list[PoolAnswer]:
    """Return `count` candidates by seed, from as many different questions as possible. Pure."""
    shuffled = random.Random(f"known {seed}").sample(rows, len(rows))
    taken: dict[int, int] = {}
    rounds = []
    for row in shuffled:
        rounds.append(taken.get(row.question_id, 0))
        taken[row.question_id] = rounds[-1] + 1
    order = sorted(range(len(rows)), key=lambda place: rounds[place])
    return [shuffled[place] for place in order[:count]]
