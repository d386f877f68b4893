"""Grading workspace: all that one annotator's grading screen may read and write.

Blind by construction: nothing here reads a judge's grade, another annotator's grade, the answering
model or an item's metadata. The screen knows places in the grader's own queue by their ids and
never an item's id, so it cannot distinguish hidden repeats or gold items from other answers. The
agreed scores of a training answer are sent once all its criteria are on disk, with all comments.
"""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from concord.grading import (
    annotators,
    assignments,
    campaigns,
    comments,
    gold_items,
    grade_history,
    grading_sets,
)
from concord.grading.assignments import Assigned
from concord.grading.campaigns import TRAINING
from concord.grading.comments import Answered as Answered
from concord.grading.comments import At
from concord.grading.comments import Own as Own
from concord.grading.gold_items import Revealed
from concord.grading.grade_history import UNDO, HistoryEntry, Slot, Step
from concord.grading.grading_sets import GradingSet
from concord.grading.item_view import NO_ACCESS
from concord.grading.keypress import REMARKS, fault
from concord.grading.keypress import Key as Key
from concord.messages import N_, Problem, said
from concord.rubrics import list_check
from concord.rubrics.model import Rubric
from concord.store import graders, grades
from concord.store.database import Refused, Row, Store
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions
from concord.store.units import list_checks

AHEAD = 40
BACK = 15

CLOSED = N_("This grading set is closed. Your grades are saved and no longer change.")
PAUSED = N_("A lead has paused your grading. Your grades are saved. Ask the lead how to continue.")


class QueuePosition(NamedTuple):
    """A place in the grader's queue with the grades given there, by slot (see `steps`).

    `steps` are the place's own, and `list_id` the list they are of, where the set's rubric is for
    units; else every place has the rubric's criteria for steps. `training` marks an answer of the
    training round, and `revealed` is its feedback, once it is graded. `own` is what the annotator
    wrote on the answer, with the lead's replies. `number` counts answers from 1, training left out.
    """

    id: int
    item_id: int
    given: dict[str, HistoryEntry]
    steps: tuple[Step, ...] = ()
    list_id: int | None = None
    training: bool = False
    revealed: Revealed | None = None
    own: Own = Own()
    number: int = 0
    block: int = 0


class Window(NamedTuple):
    """The part of the queue a screen needs now; `whole`: nothing is left to grade beyond it.

    `training` is the number of training answers, which `total` leaves out; `answered` are places
    where a lead replied to a flag. The grades shown are those up to the id `newest`, or later.
    `spent` are the seconds that the block at the place and the next one took so far, by block.
    """

    places: list[QueuePosition]
    whole: bool
    done: int
    total: int
    training: int = 0
    answered: Sequence[Answered] = ()
    newest: int = 0
    spent: Mapping[int, float] = MappingProxyType({})


class Saved(NamedTuple):
    """The press ids that are on disk now, and those that never can be, each with the reason."""

    on_disk: list[str]
    refused: dict[str, str]


def window(
    store: Store, grading_set: GradingSet, grader_id: int, rubric: Rubric, at: int | None
) -> Window:
    """The next answers to grade, those around the place `at`, and those before either.

    A Problem for an annotator who is paused, or was removed from the set.
    """
    _must_have_access(store, grading_set, grader_id)
    newest = grades.newest(store, grader_id)  # before the grades are read, so that all are seen
    versions = list(rubric.versions().values())
    queue = assignments.queue(store, grading_set, grader_id, versions, AHEAD + 1)
    # Ahead are only answers without grades; those before stay reachable by going back.
    waiting = [index for index, place in enumerate(queue) if not place.done]
    places = [queue[index] for index in _needed(queue, waiting[:AHEAD], at)]
    progress = assignments.progress(store, grading_set, grader_id, versions, queue)
    if rubric.units:
        read = _of_units(store, grader_id, rubric, places)
    else:
        read = _of_answers(store, grading_set, grader_id, rubric, places)
    own = comments.of_annotator(store, grading_set.id, grader_id, [p.item_id for p in places])
    of_place = {place.id: own.get((place.item_id, place.repeat), Own()) for place in places}
    in_training = sum(place.is_training for place in queue)
    graded_before = progress.done - sum(place.done and not place.is_training for place in queue)
    numbers = {p.id: n for n, p in enumerate(queue, 1 + graded_before - in_training)}
    blocks = {place.id: place.block for place in queue}
    read = [p._replace(own=of_place[p.id], number=numbers[p.id], block=blocks[p.id]) for p in read]
    here = {blocks[one] for one in (at, *(queue[n].id for n in waiting[:1])) if one in blocks}
    spent = assignments.seconds_spent(store, grading_set.id, grader_id, here)
    replied = comments.answered(store, grading_set.id, grader_id)
    return Window(read, len(waiting) <= AHEAD, *progress, in_training, replied, newest, spent)


def save(
    store: Store, grading_set: GradingSet, grader_id: int, rubric: Rubric, keys: list[Key]
) -> Saved:
    """Put keys on disk in the order they were pressed; a key sent before is saved once.

    A key that is refused, by whatever part of the database, holds up none of those behind it.
    A Problem as for `window`.
    """
    on_disk, refused = [], {}
    with store.write():
        # Under the write lock: a page opened before holds answers to grade.
        _must_have_access(store, grading_set, grader_id)
        # In the order of the presses, in one transaction: a later key may undo an earlier one.
        for key in keys:
            try:
                # A savepoint per key: one refused key must not roll back those around it.
                with store.attempt():
                    why_not = fault(key) or _save(store, grading_set, grader_id, rubric, key)
            except Refused:
                why_not = said("the database denies this grader access")
            if why_not:
                refused[key.press_id] = why_not
            else:
                on_disk.append(key.press_id)
    return Saved(on_disk, refused)


def _must_have_access(store: Store, grading_set: GradingSet, grader_id: int) -> None:
    if grading_sets.closing(store, grading_set.id):
        raise Problem(CLOSED)
    if campaigns.has_left(store, grading_set, grader_id):
        raise Problem(NO_ACCESS)
    if annotators.pause_of(store, grader_id):
        raise Problem(PAUSED)


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


def _of_answers(
    store: Store,
    grading_set: GradingSet,
    grader_id: int,
    rubric: Rubric,
    places: list[Assigned],
) -> list[QueuePosition]:
    versions = list(rubric.versions().values())
    found = grade_history.read(store, grader_id, [place.item_id for place in places])
    done = [place.item_id for place in places if place.is_training and place.done]
    revealed = gold_items.revealed(store, grading_set.id, done, versions) if done else {}
    return [
        QueuePosition(
            p.id,
            p.item_id,
            _at(found, p, versions),
            training=p.is_training,
            revealed=revealed.get(p.item_id),
        )
        for p in places
    ]


def _of_units(
    store: Store, grader_id: int, rubric: Rubric, places: list[Assigned]
) -> list[QueuePosition]:
    steps = grade_history.of_items(store, rubric, list({place.item_id for place in places}))
    found = grade_history.read(store, grader_id, list(steps.of_item))
    return [
        QueuePosition(
            place.id,
            place.item_id,
            _at(found, place, [step.slot for step in steps.of_item[place.item_id]]),
            tuple(steps.of_item[place.item_id]),
            steps.lists[place.item_id].id,
        )
        for place in places
        if place.item_id in steps.of_item
    ]


def _at(found, place: Assigned, slots: Collection[str]) -> dict[str, HistoryEntry]:
    """Return the grades given at one place, for its own slots."""
    there = found.get((place.item_id, place.repeat), {})
    return {slot: there[slot] for slot in slots if slot in there}


def _save(store: Store, grading_set: GradingSet, grader_id: int, rubric: Rubric, key: Key) -> str:
    """Put one key on disk; why it never can be where it cannot, else ''."""
    place = assignments.assigned(store, grading_set.id, grader_id, key.place_id)
    if not rubric.units:
        rubric = rubric_versions.of_version(store, rubric, key.slot)
    why_not = _why_not(store, key, place, rubric)
    if why_not:
        return why_not
    if key.status == "later":
        assignments.postpone(store, grading_set.id, grader_id, key.place_id)
    elif key.status == "comment" or key.status in REMARKS:
        kind = comments.TRAINING if key.status == "comment" else key.status
        at = At(grading_set.id, place["item_id"], grader_id, place["repeat"])
        name = graders.get(store, grader_id).name
        comments.add(store, kind, at, name, key.note, key.press_id)
    else:
        return _grade(store, key, place, grader_id, rubric)
    return ""


def _why_not(store: Store, key: Key, place: Row | None, rubric: Rubric) -> str:
    """Return why a key press can never be saved; '' where it can."""
    if place is None:
        return said("its answer was deleted or assigned to another annotator")
    if key.status == "later" or key.status in REMARKS:
        return ""
    if key.status == "comment":
        in_training = place["block"] == TRAINING
        return "" if in_training else said("comments are for the training round")
    slot = grade_history.slot(key.slot)
    if rubric.units:
        why_not = grade_history.why_not_gradable(store, place["item_id"], slot, rubric)
        if why_not:
            return why_not
    elif slot not in map(Slot, rubric.versions().values()):
        return said("its criterion is not in the rubric of this set")
    scale = rubric.scale if slot.list_id is None else list_check.rubric(rubric.units).scale
    if key.status == "scored" and key.score not in scale:
        return said("{score} is not on the scale", score=key.score)
    return ""


def _grade(store: Store, key: Key, place: Row, grader_id: int, rubric: Rubric) -> str:
    """Put one grade on disk, and with a check the list it is of; return why not, else ''."""
    slot = grade_history.slot(key.slot)
    press = _press(key, place, grader_id, slot, rubric)
    if key.since is not None and grades.replaces_unseen(store, press, key.since, key.after):
        return said("you graded it meanwhile in another window, and that grade is kept")
    if slot.list_id is None:
        grades.grade_blind(store, [press])
        return ""
    # Before the grade: it needs the criterion that this creates on first use.
    list_checks.begin(store, rubric.units)
    grades.grade_blind(store, [press])
    list_checks.keep(store, key.press_id, slot.list_id)
    return ""


def _press(key: Key, place: Row, grader_id: int, slot: Slot, rubric: Rubric) -> Press:
    score = key.score if key.status == "scored" else None
    label = None
    if score is not None and slot.list_id is not None:
        label, score = list_check.label(score), None
    elif score is not None and slot.unit_id is not None:
        levels = {level.score: level.label for level in rubric.criteria[0].levels}
        label = levels[score]
    is_marked = slot.list_id is None and key.status == "scored"
    return Press(
        place["item_id"],
        slot.version,
        grader_id,
        key.status,
        score,
        key.note,
        key.seconds,
        place["repeat"],
        press_id=key.press_id,
        unit_id=slot.unit_id,
        label=label,
        why=UNDO if key.undo else "",
        quote=key.quote if is_marked else "",
        rubric_language=key.language,
        marked_passages=key.marked_passages if is_marked else "",
    )
