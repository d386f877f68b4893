"""Gold answers: answers to questions of the few-shot pool, with scores agreed before grading.

They are for the training round (`training_round`), or mixed into queues (`grading.gold_items`).
The few-shot pool is excluded from every figure, so grades of these answers never count.
"""

import random
from collections.abc import Iterable
from typing import NamedTuple

from concord.grading import grading_sets
from concord.grading.grading_sets import GradingSet
from concord.messages import Problem, counted, joined
from concord.model import FEW_SHOT
from concord.rubrics.model import Rubric
from concord.sampling import splits
from concord.store.database import Row, Store, marks
from concord.store.rubrics import rubric_versions
from concord.text.normal_form import text_hash

NEWEST = (
    "not exists (select 1 from {table} later where later.set_id = t.set_id"
    " and later.item_id = t.item_id and later.id > t.id{same})"
)


class AgreedScore(NamedTuple):
    """The agreed score of one criterion of one answer, and why."""

    item_id: int
    criterion: str
    score: int
    reason: str = ""


def candidates(store: Store, grading_set: GradingSet) -> list[Row]:
    """Return the answers of a set's sheet that may become gold items of it.

    Rows of id, own_id, question_id, question, answer; in the order of the sheet.
    """
    questions = splits.of_sheet(store, grading_set.sheet_id)
    examples = [row["id"] for row in questions if row["split"] == FEW_SHOT]
    return store.rows(
        "select i.id, coalesce(i.own_id, i.id) as own_id, i.question_id, q.text as question,"
        " i.answer from items i join questions q on q.id = i.question_id"
        f" where q.id in ({marks(examples)}) and i.id not in"
        " (select item_id from practice_answers where set_id = ? union"
        "  select item_id from gold_answers where set_id = ? union"
        "  select item_id from grading_set_items where set_id = ?) order by i.id",
        (*examples, *[grading_set.id] * 3),
    )


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
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    allowed = {row["id"]: row["split"] for row in splits.of_sheet(store, grading_set.sheet_id)}
    found = _items(store, grading_set, {one.item_id for one in known}, other)
    names = [criterion.name for criterion in rubric.criteria]
    for item_id in dict.fromkeys(one.item_id for one in known):
        row = found.get(item_id)
        if row is None or row["question_id"] not in allowed:
            raise Problem("An answer is not of this set's sheet. Choose from its few-shot pool.")
        if allowed[row["question_id"]] != FEW_SHOT:
            raise Problem(
                "Answer {answer} is to a question that the figures include. Move the question to "
                "the few-shot pool, or choose another answer.",
                answer=row["own_id"],
            )
        if row["elsewhere"]:
            raise Problem(
                "Answer {answer} is already in this set, for grading or as a gold or training "
                "item. Choose another.",
                answer=row["own_id"],
            )
        _check_criteria(row["own_id"], [one for one in known if one.item_id == item_id], names)
    for one in known:
        if one.score not in rubric.scale:
            raise Problem(
                "{score} for {criterion} of answer {answer} is not on the scale {low} to {high}.",
                score=one.score,
                criterion=one.criterion,
                answer=found[one.item_id]["own_id"],
                low=rubric.scale[0],
                high=rubric.scale[-1],
            )
    return rubric


def named(store: Store, grading_set: GradingSet, own_id: str) -> int:
    """The id of an answer of a set's sheet by the sheet's own id, else its number."""
    item_id = store.value(
        "select id from items where sheet_id = ? and coalesce(own_id, cast(id as text)) = ?",
        (grading_set.sheet_id, own_id),
    )
    if item_id is None:
        raise Problem("The sheet has no answer {answer}. Correct item_id.", answer=own_id)
    return item_id


def told_by_rubric(rubric: Rubric, question: str, answer: str) -> dict[str, tuple[int, str]]:
    """Score and reason by criterion, where an example of the rubric is this very answer."""
    asked = text_hash(question), answer.strip()
    return {
        criterion.name: (level.score, example.why)
        for criterion in rubric.criteria
        for level in criterion.levels
        for example in level.examples
        if (text_hash(example.question), example.answer.strip()) == asked
    }


def _items(store: Store, grading_set: GradingSet, ids: set[int], other: str) -> dict[int, Row]:
    rows = store.rows(
        "select i.id, coalesce(i.own_id, i.id) as own_id, i.question_id, exists"
        f" (select 1 from {other} t where t.item_id = i.id and t.set_id = ?"
        " union select 1 from grading_set_items m where m.item_id = i.id and m.set_id = ?)"
        f" as elsewhere from items i where i.id in ({marks(ids)})",
        (grading_set.id, grading_set.id, *ids),
    )
    return {row["id"]: row for row in rows}


def _check_criteria(own_id, known: list[AgreedScore], names: list[str]) -> None:
    given = [one.criterion for one in known]
    for name in given:
        if name not in names:
            raise Problem(
                "The rubric has no criterion {criterion}. It has: {criteria}.",
                criterion=name,
                criteria=joined(", ", names),
            )
    missing = [name for name in names if given.count(name) != 1]
    if missing:
        raise Problem(
            "Answer {answer} needs one agreed score for {missing}. {criteria} must each have one.",
            answer=own_id,
            missing=joined(" and ", missing),
            criteria=counted(len(names), "criterion", "criteria"),
        )


def choose(rows: list[Row], count: int, seed: int) -> list[Row]:
    """Return `count` candidates by seed, from as many different questions as possible. Pure."""
    shuffled = random.Random(f"known {seed}").sample(rows, len(rows))
    taken: dict[int, int] = {}
    rounds = []
    for row in shuffled:
        rounds.append(taken.get(row["question_id"], 0))
        taken[row["question_id"]] = rounds[-1] + 1
    order = sorted(range(len(rows)), key=lambda place: rounds[place])
    return [shuffled[place] for place in order[:count]]
