"""Grading: all that one person's grading screen may ask of the store, and what it may write.

Blind by construction: nothing here reads a judge's grade, another person's grade, the answering
model or an item's metadata. The screen knows places in the grader's own queue by their ids and
never an item's id, so it cannot tell a hidden repeat from an answer it has not seen.
"""

import json
from typing import NamedTuple

from data import graders, grades, queues
from data.grades import Press
from data.grading_sets import GradingSet
from data.queues import Assigned
from data.store import Row, Store, marks
from rubrics.model import Rubric

AHEAD = 40
BACK = 15


class Given(NamedTuple):
    """A grade the person gave; `order` rises with the time it was given."""

    order: int
    status: str
    score: float | None
    note: str


class Place(NamedTuple):
    """A place in the grader's queue with the grades given there, by criterion version."""

    id: int
    item_id: int
    given: dict[str, Given]


class Window(NamedTuple):
    """The part of the queue a screen needs now; `whole`: nothing is left to grade beyond it."""

    places: list[Place]
    whole: bool
    done: int
    total: int


class Shown(NamedTuple):
    """What is shown of an item; a part that the rubric does not show is empty."""

    question: str
    contexts: list[str]
    answer: str
    reference: list[str]


class Key(NamedTuple):
    """One key of the screen: a grade for a place, or `later`, which postpones the place.

    `status` is scored, cannot_grade, withdrawn or later; `version` is '' for later.
    """

    press_id: str
    place_id: int
    version: str
    status: str
    score: int | None = None
    note: str = ""
    seconds: float | None = None


class Saved(NamedTuple):
    """The press ids that are on disk now, and those that never can be, each with the reason."""

    on_disk: list[str]
    refused: dict[str, str]


def window(
    store: Store, grading_set: GradingSet, grader_id: int, rubric: Rubric, at: int | None
) -> Window:
    """The next answers to grade, those around the place `at`, and those before either."""
    versions = list(rubric.versions().values())
    queue = queues.queue(store, grading_set, grader_id, versions, AHEAD + 1)
    waiting = [index for index, place in enumerate(queue) if not place.done]
    places = [queue[index] for index in _needed(queue, waiting[:AHEAD], at)]
    progress = queues.progress(store, grading_set, grader_id, queue)
    return Window(
        _with_grades(store, grader_id, versions, places), len(waiting) <= AHEAD, *progress
    )


def shown(store: Store, item_ids: list[int], rubric: Rubric) -> dict[int, Shown]:
    """What the rubric shows of some items, by item id; those deleted since are left out."""
    rows = store.rows(
        "select i.id, q.text as question, i.contexts, i.answer, i.reference from items i"
        f" join questions q on q.id = i.question_id where i.id in ({marks(item_ids)})",
        item_ids,
    )
    return {row["id"]: _shown(row, set(rubric.shown)) for row in rows}


def save(
    store: Store, grading_set: GradingSet, grader_id: int, rubric: Rubric, keys: list[Key]
) -> Saved:
    """Put keys on disk in the order they were pressed; a key sent before is saved once."""
    on_disk, refused = [], {}
    with store.write():
        for key in keys:
            place = queues.assigned(store, grading_set.id, grader_id, key.place_id)
            why_not = _why_not(key, place, rubric)
            if why_not:
                refused[key.press_id] = why_not
                continue
            if key.status == "later":
                queues.postpone(store, grading_set.id, grader_id, key.place_id)
            else:
                grades.grade_blind(store, [_press(key, place, grader_id)])
            on_disk.append(key.press_id)
    return Saved(on_disk, refused)


def person(store: Store, name: str) -> graders.Grader | None:
    """The person of that name, however it is capitalised or spaced; None where there is none."""
    wanted = graders.find(store, "person", name.strip())
    folded = " ".join(name.split()).casefold()
    others = [g for g in graders.of_kind(store, "person") if g.name.casefold() == folded]
    return wanted or next(iter(others), None)


def _needed(queue: list[Assigned], waiting: list[int], at: int | None) -> list[int]:
    """The indexes of a queue that a screen at the place `at` needs, in order."""
    ends = [waiting[0] if waiting else len(queue)]
    ends += [index for index, place in enumerate(queue) if place.id == at]
    around = {
        index
        for end in ends
        for index in range(max(0, end - BACK), min(len(queue), end + BACK + 1))
    }
    return sorted(around.union(waiting))


def _with_grades(
    store: Store, grader_id: int, versions: list[str], places: list[Assigned]
) -> list[Place]:
    given: dict[tuple[int, int], dict[str, Given]] = {}
    for row in grades.of_grader(store, grader_id, [p.item_id for p in places], versions):
        grade = Given(row["id"], row["status"], row["score"], row["reason"])
        given.setdefault((row["item_id"], row["repeat"]), {})[row["version"]] = grade
    return [Place(p.id, p.item_id, given.get((p.item_id, p.repeat), {})) for p in places]


def _shown(row: Row, parts: set[str]) -> Shown:
    contexts = json.loads(row["contexts"]) if "contexts" in parts else []
    return Shown(
        question=row["question"] if "question" in parts else "",
        contexts=[context["text"] for context in contexts],
        answer=row["answer"],
        reference=json.loads(row["reference"]) if "reference" in parts else [],
    )


def _why_not(key: Key, place: Row | None, rubric: Rubric) -> str:
    """Why a key can never be saved; '' where it can."""
    if place is None:
        return "its answer was deleted"
    if key.status == "later":
        return ""
    if key.version not in rubric.versions().values():
        return "its criterion is not in the rubric of this set"
    if key.status == "scored" and key.score not in rubric.scale:
        return f"{key.score} is not on the scale"
    return ""


def _press(key: Key, place: Row, grader_id: int) -> Press:
    return Press(
        place["item_id"],
        key.version,
        grader_id,
        key.status,
        key.score if key.status == "scored" else None,
        key.note,
        key.seconds,
        place["repeat"],
        press_id=key.press_id,
    )
