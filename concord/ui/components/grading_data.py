"""Data of the grading component for one annotator's queue: places, texts and progress."""

from dataclasses import dataclass, field
from functools import lru_cache

from concord.grading import assignments, campaigns, grading_sets, item_view, workspace
from concord.grading.gold_items import Revealed
from concord.grading.grade_history import HistoryEntry
from concord.grading.grading_sets import GradingSet
from concord.grading.item_view import DisplayedItem
from concord.grading.workspace import Answered, Own, QueuePosition, Window
from concord.reports.units import decomposition
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.ui.components import grading_rubric
from concord.ui.components.grading_rubric import ShownRubric, ShownStep
from concord.ui.components.payload import OPTIONAL
from concord.ui.language import language, say
from concord.ui.markup import safe_html


@dataclass(frozen=True)
class SentPlace:
    """A place with its grades; where its steps are units, the slots that are to be graded.

    `number` is its place in the queue, from 1, and `own` is what the annotator wrote on the answer,
    with the lead's replies.
    """

    id: int
    number: int
    given: dict[str, HistoryEntry]
    slots: list[str] | None = field(default=None, metadata=OPTIONAL)
    own: Own | None = field(default=None, metadata=OPTIONAL)


@dataclass(frozen=True)
class TrainingPlace(SentPlace):
    """A place of the training round; `revealed` is what was agreed on it, once it is graded."""

    training: bool = True
    revealed: Revealed | None = None


@dataclass(frozen=True)
class SentText:
    """The texts of a place; `token` tells them from those that it had before an edit."""

    question: str
    contexts: list[str]
    answer: str
    reference: list[str]
    reference_contexts: list[str]
    date: str
    turns: str
    token: str
    html: str
    steps: list[ShownStep] | None = field(default=None, metadata=OPTIONAL)


@dataclass(frozen=True)
class GradingData:
    """A grading set as the pane shows it to one annotator.

    Attributes:
        database: Identifies the database, since ids repeat between databases.
        set: Identifies the set, since SQLite reuses the id of a deleted one.
        whole: Nothing is left to grade beyond the places.
        texts: Texts the browser does not have yet, by place id.
        training: Number of answers in the training round.
        waiting: Why there are no more answers: not decomposed into units yet, or none assigned;
            '' for none.
        until: By when, in words; '' without a deadline.
        pace: Median seconds per answer; None where unknown.
        sets: Number of sets open to a signed-in annotator; 0 for others.
        answered: Places where a lead replied to a flag.
        newest: Id up to which the annotator's grades are shown.
    """

    database: str
    set: str
    grader: str
    grader_id: int
    rubric: ShownRubric
    places: list[SentPlace]
    texts: dict[str, SentText]
    whole: bool
    done: int
    total: int
    training: int
    waiting: str
    until: str
    pace: float | None
    sets: int
    answered: list[Answered]
    newest: int


def read(
    store: Store,
    grading_set: GradingSet,
    grader: tuple[int, str],
    rubric: Rubric,
    at: int | None,
    have: set[str],
) -> GradingData:
    """Return the part of the queue that the pane needs now.

    `grader` is the annotator's id and name, `at` the place on screen, and `have` the tokens of the
    texts that the browser has.
    """
    grader_id, name = grader
    window = workspace.window(store, grading_set, grader_id, rubric, at)
    campaign = campaigns.find(store, grading_set.id)
    waiting = decomposition.waiting(store, grading_set, rubric.units) if rubric.units else ""
    if campaign and not window.total:
        waiting = campaigns.NONE_ASSIGNED
    return GradingData(
        database=store.identity(),
        set=set_token(grading_set),
        grader=name,
        grader_id=grader_id,
        rubric=grading_rubric.shown_rubric(rubric),
        places=[_place(place) for place in window.places],
        texts=_texts(store, window, rubric, have),
        whole=window.whole,
        done=window.done,
        total=window.total,
        training=window.training,
        waiting=say(waiting) if waiting else "",
        until=say(campaign.until()) if campaign else "",
        pace=assignments.pace(store, grader_id),
        sets=len(grading_sets.sets_of(store, grader_id)) if store.who else 0,
        answered=list(window.answered),
        newest=window.newest,
    )


def set_token(grading_set: GradingSet) -> str:
    """Return a token that distinguishes a set from a later one with the id of a deleted set."""
    return f"{grading_set.id}.{grading_set.created_at}"


def _place(place: QueuePosition) -> SentPlace:
    own = place.own if place.own != Own() else None
    if place.training:
        return TrainingPlace(place.id, place.number, place.given, own=own, revealed=place.revealed)
    slots = [step.slot for step in place.steps] if place.list_id else None
    return SentPlace(place.id, place.number, place.given, slots, own)


def _texts(store: Store, window: Window, rubric: Rubric, have: set[str]) -> dict[str, SentText]:
    """The texts of the places the browser does not have yet, by place id."""
    wanted: list[QueuePosition] = [place for place in window.places if _token(place) not in have]
    source = grading_rubric.source(rubric)
    shown = item_view.shown(store, [place.item_id for place in wanted], rubric, source)
    return {
        str(place.id): _text(place, shown[place.item_id], rubric)
        for place in wanted
        if place.item_id in shown
    }


def _token(place: QueuePosition) -> str:
    """Return a token of the texts of a place, which an edit of its list changes.

    What its steps are called is in the language of who reads it.
    """
    return f"{place.id}.{place.list_id or ''}.{language()}"


def _text(place: QueuePosition, shown: DisplayedItem, rubric: Rubric) -> SentText:
    held = shown._asdict() | {"reference": [html(text) for text in shown.reference]}
    steps = grading_rubric.steps(place, rubric) if rubric.units else None
    return SentText(**held, token=_token(place), html=html(shown.answer), steps=steps)


html = lru_cache(maxsize=512)(safe_html)
