"""Data of the grading component for one annotator's queue: places, texts and progress."""

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from concord.clock import day_of
from concord.grading import assignments, campaigns, grading_sets, item_view, workspace
from concord.grading.gold_items import Revealed
from concord.grading.grade_history import HistoryEntry
from concord.grading.grading_sets import GradingSet
from concord.grading.item_view import DisplayedItem
from concord.grading.workspace import Answered, Own, QueuePosition, Window
from concord.messages import N_, joined
from concord.reports.units import decomposition
from concord.reports.units.decomposition import as_read, is_by_rule
from concord.reports.units.decomposition import source as kind_of
from concord.rubrics import list_check
from concord.rubrics.model import Criterion, Rubric
from concord.store.database import Store
from concord.ui.language import language, say
from concord.ui.markup import safe_html

_MOST_KEYS = 11
_PAIRS = "_chunk"
# Kinds with long texts: these are shown next to the rubric, and a step is named by its kind.
_READ = {"chunk": N_("Context"), "answer": N_("Answer")}
_ONE = {
    "claim": N_("claim"),
    "reference_claim": N_("reference claim"),
    "fact": N_("fact"),
    "answer": N_("answer"),
    "chunk": N_("context"),
    "sentence": N_("sentence"),
    "reference_sentence": N_("reference sentence"),
    "context_sentence": N_("context sentence"),
    "reference_entity": N_("reference entity"),
    "context_entity": N_("context entity"),
}


@dataclass(frozen=True)
class ShownLevel:
    """A score with its key; `short` is what it is called where a list is checked."""

    score: int
    key: str
    label: str
    meaning: str
    examples: list[dict[str, Any]]
    short: str | None = None


@dataclass(frozen=True)
class Original:
    """The texts of a criterion before translation; `meanings` in the order of its scores."""

    title: str
    question: str
    meanings: list[str]


@dataclass(frozen=True)
class ShownCriterion:
    """A criterion; `range` names the keys of a criterion with keys of its own.

    `original` has its texts before translation, where they are others.
    """

    version: str
    title: str
    question: str
    levels: list[ShownLevel]
    range: str | None = None
    original: Original | None = None


@dataclass(frozen=True)
class UnitNames:
    """Singular and plural noun of units, and the text they are taken from."""

    one: str
    several: str
    source: str


@dataclass(frozen=True)
class ShownRubric:
    """A rubric.

    Attributes:
        shown: The parts of an item that graders see.
        range: The keys that grade, in short.
        entry: Scores are typed and entered, since there are more than keys.
        list: What is asked of a list of units; None for whole answers.
        units: What the units are called; None for whole answers.
    """

    shown: tuple[str, ...]
    range: str
    entry: bool
    criteria: list[ShownCriterion]
    list: ShownCriterion | None = None
    units: UnitNames | None = None


@dataclass(frozen=True)
class ShownStep:
    """One step of a place that is graded unit by unit.

    Attributes:
        slot: The slot that the grade fills.
        self: The text of a unit that is read next to the answer; None for others.
        chunk: The position of the one context that it is about, from 0; None for all of them.
        list: It is about the list of units itself.
    """

    slot: str
    title: str
    self: str | None
    chunk: int | None
    list: bool


def keys_of(scale: tuple[int, ...]) -> dict[int, str]:
    """The key of each score; empty where scores are typed and entered.

    A digit grades with itself. 10 is typed as 1 and 0; where 0 is a score, too, it is also X (the
    Roman ten). Other scales of up to ten scores take the digits 1 to 9 and 0 in their order.
    """
    if len(scale) > _MOST_KEYS:
        return {}
    if scale[0] >= 0 and scale[-1] <= 9:
        return {score: str(score) for score in scale}
    if scale[0] >= 0 and scale[-1] == 10:
        return {score: str(score) for score in scale[:-1]} | {10: "x" if scale[0] == 0 else "10"}
    return dict(zip(scale, "1234567890", strict=False)) if len(scale) <= 10 else {}


def range_of(scale: tuple[int, ...]) -> str:
    """The keys that grade, in short: 0–3, 1–10, 0–10 X, or how scores are typed."""
    keys = keys_of(scale)
    if not keys:
        return say("score, Enter")
    digits = [str(score) for score, key in keys.items() if key in (str(score), "x")]
    others = [key.upper() for score, key in keys.items() if key != str(score)]
    if others and not digits:
        return f"{others[0]}–{others[-1]}"
    return " ".join([f"{digits[0]}–{digits[-1]}", *others])


def shown_rubric(rubric: Rubric) -> ShownRubric:
    """Return a rubric as the pane shows it, in the language of the reader."""
    keys = keys_of(rubric.scale)
    read = rubric.in_language(language())
    criteria = [
        replace(
            _criterion(rubric.version(own), criterion, keys), original=_original(own, criterion)
        )
        for own, criterion in zip(rubric.criteria, read.criteria, strict=True)
    ]
    made = ShownRubric(rubric.shown, range_of(rubric.scale), not keys, criteria)
    if not rubric.units:
        return made
    return replace(made, list=_list(rubric.units), units=_names(rubric))


def rubric_steps(place: QueuePosition, rubric: Rubric) -> list[ShownStep]:
    """Return the steps of a place that is graded unit by unit."""
    return [_step(step, rubric.units) for step in place.steps]


def _step(step, kind: str) -> ShownStep:
    is_list = step.position < 0
    if kind in _READ:
        many = kind == "chunk"
        title = say("Context {n}", n=step.position + 1) if many else say(_READ[kind])
        return ShownStep(step.slot, title, step.text, None, is_list)
    chunk = step.position if kind.endswith(_PAIRS) else None
    return ShownStep(step.slot, as_read(kind, step.text), None, chunk, is_list)


def _names(rubric: Rubric) -> UnitNames:
    kind = kind_of(rubric.units)
    return UnitNames(say(_ONE[kind.name]), say(kind.plural), kind.of)


def _list(kind: str) -> ShownCriterion:
    """Return the question about a list of units, with keys of its own."""
    check = list_check.rubric(kind)
    asked = check.criteria[0]
    made = _criterion(check.version(asked), asked, list_check.KEYS)
    levels = []
    for level in made.levels:
        errors = list_check.errors(level.score) or [list_check.RIGHT]
        short = joined(", ", map(say, errors))
        meaning = list_check.meaning(level.score, kind)
        words = say("{errors}: {meaning}", errors=short, meaning=say(meaning)) if meaning else short
        levels.append(replace(level, short=short, meaning=words))
    texts = {"title": say(made.title), "question": say(made.question)}
    return replace(made, levels=levels, range=list_check.RANGE, **texts)


def _original(own: Criterion, read: Criterion) -> Original | None:
    if own == read:
        return None
    made = _criterion("", own, {})
    return Original(made.title, made.question, [level.meaning for level in made.levels])


def _named(label: str, meaning: str) -> str:
    return say("{title}: {text}", title=label, text=meaning) if label else meaning


def _criterion(version: str, criterion: Criterion, keys: dict[int, str]) -> ShownCriterion:
    levels = [
        ShownLevel(
            level.score,
            keys.get(level.score, ""),
            level.label,
            _named(level.label, level.meaning),
            [example.model_dump() for example in level.examples],
        )
        for level in criterion.levels
    ]
    return ShownCriterion(version, criterion.heading(), criterion.question, levels)


@dataclass(frozen=True)
class SentPlace:
    """A place with its grades; where its steps are units, the slots that are to be graded.

    `number` is its place in the queue, from 1, and `own` is what the annotator wrote on the answer,
    with the lead's replies.
    """

    id: int
    number: int
    given: dict[str, HistoryEntry]
    slots: list[str] | None = None
    own: Own | None = None
    block: int | None = None


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
    steps: list[ShownStep] | None = None


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
        spent: Seconds that the block on screen and the next one have taken, by block.
        agreement: The address of the agreement with judges, for who works alone; '' for others.
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
    waiting: str = ""
    until: str = ""
    training: int = 0
    pace: float | None = None
    sets: int = 0
    answered: list[Answered] = field(default_factory=list)
    newest: int = 0
    spent: dict[int, float] = field(default_factory=dict)
    agreement: str = ""


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
        waiting = say("No answer of this set is assigned to you. Ask the lead.")
    return GradingData(
        database=store.identity(),
        set=set_token(grading_set),
        grader=name,
        grader_id=grader_id,
        rubric=shown_rubric(rubric),
        places=[_place(place) for place in window.places],
        texts=_texts(store, window, rubric, have),
        whole=window.whole,
        done=window.done,
        total=window.total,
        training=window.training,
        waiting=say(waiting) if waiting else "",
        until=_until(campaign.deadline) if campaign and campaign.deadline else "",
        pace=assignments.pace(store, grader_id),
        sets=len(grading_sets.sets_of(store, grader_id)) if store.who else 0,
        answered=list(window.answered),
        newest=window.newest,
        spent=window.spent,
    )


def _until(due: str) -> str:
    """Return by when it is to be done, in words."""
    return say("was due {day}" if campaigns.is_past(due) else "by {day}", day=day_of(due))


def set_token(grading_set: GradingSet) -> str:
    """Return a token that distinguishes a set from a later one with the id of a deleted set."""
    return f"{grading_set.id}.{grading_set.created_at}"


def _place(place: QueuePosition) -> SentPlace:
    own = place.own if place.own != Own() else None
    if place.training:
        return TrainingPlace(place.id, place.number, place.given, own=own, revealed=place.revealed)
    slots = [step.slot for step in place.steps] if place.list_id else None
    return SentPlace(place.id, place.number, place.given, slots, own, place.block)


def _texts(store: Store, window: Window, rubric: Rubric, have: set[str]) -> dict[str, SentText]:
    """The texts of the places the browser does not have yet, by place id."""
    # An edit of its list changes the texts of a place, and its steps are in the reader's language.
    spoken = language()
    tokens = {place.id: f"{place.id}.{place.list_id or ''}.{spoken}" for place in window.places}
    wanted = [place for place in window.places if tokens[place.id] not in have]
    # Return the texts a model takes a rubric's units from, shown when a list is checked.
    kind = rubric.units
    by_model = kind and not is_by_rule(kind) and not kind.endswith(_PAIRS)
    source = (kind_of(kind).of,) if by_model else ()
    shown = item_view.shown(store, [place.item_id for place in wanted], rubric, source)
    return {
        str(place.id): _text(place, shown[place.item_id], rubric, tokens[place.id])
        for place in wanted
        if place.item_id in shown
    }


def _text(place: QueuePosition, shown: DisplayedItem, rubric: Rubric, token: str) -> SentText:
    held = shown._asdict() | {"reference": [html(text) for text in shown.reference]}
    steps = rubric_steps(place, rubric) if rubric.units else None
    return SentText(**held, token=token, html=html(shown.answer), steps=steps)


html = lru_cache(maxsize=512)(safe_html)
