"""Data of the disagreements component: entries, their texts, and the criteria."""

from dataclasses import dataclass, replace
from functools import lru_cache

from concord.language.grade_statuses import status_words
from concord.reports.disagreements import sent_prompt
from concord.reports.disagreements.disagreement import Disagreement, Side
from concord.reports.disagreements.disagreements import NO_TAG, Held
from concord.reports.panel.panel import Panel
from concord.reports.panel.simulated import named
from concord.rubrics.model import Criterion
from concord.store.database import Store
from concord.text.display import visible
from concord.ui.language import say, word
from concord.ui.markup import safe_html


@dataclass(frozen=True)
class ShownSide:
    """One who graded: the score or the status, and the reason, as text."""

    name: str
    score: float | None
    status: str
    reason: str


@dataclass(frozen=True)
class ShownEntry:
    """A disagreement as the component shows it; texts are text, the answer is safe HTML."""

    id: str
    model: str
    question: str
    answer: str
    contexts: int
    criterion: str
    title: str
    person: int
    said: int
    judge: ShownSide
    annotators: list[ShownSide]
    others: list[ShownSide]
    cause: str
    note: str
    who: str


@dataclass(frozen=True)
class Passage:
    """A text with what it is called."""

    label: str
    text: str


@dataclass(frozen=True)
class SentPrompt:
    """The prompt as it was sent, or why none is known."""

    messages: list[dict[str, str]]
    rest: str
    source: str


@dataclass(frozen=True)
class LongTexts:
    """Texts sent in a second message: contexts, references, and the prompt once requested."""

    contexts: list[Passage]
    reference: list[str]
    prompt: SentPrompt | None


@dataclass(frozen=True)
class ShownLevel:
    """A score of a criterion."""

    score: int
    meaning: str
    fails: bool


@dataclass(frozen=True)
class ShownCriterion:
    """A criterion of the rubric."""

    title: str
    question: str
    levels: list[ShownLevel]


def shown_entry(panel: Panel, one: Disagreement, tags: list[Held] | None) -> ShownEntry:
    """Return a disagreement with its newest tag."""
    item = one.stored.item
    held = tags[-1] if tags else NO_TAG
    judge = word(named(panel.labels[one.key.judge], one.judge.simulated))
    return ShownEntry(
        id=one.key.text(),
        model=item.answer_model or "",
        question=visible(item.question),
        answer=_html(item.answer),
        contexts=len(item.contexts),
        criterion=one.key.criterion,
        title=panel.rubric.criterion(one.key.criterion).heading(),
        person=one.key.person,
        said=one.key.said,
        judge=replace(_side(one.judge), name=judge),
        annotators=[_side(side) for side in one.annotators],
        others=[_side(side) for side in one.others],
        cause=held.cause,
        note=held.note,
        who=held.who,
    )


def _side(side: Side) -> ShownSide:
    return ShownSide(
        name=word(named(side.name, side.simulated)),
        score=side.score,
        status=word(status_words(side.status)),
        reason=visible(side.reason),
    )


def long_texts(
    store: Store,
    panel: Panel,
    shown: list[Disagreement],
    here: Disagreement | None,
    prompt: bool,
) -> dict[str, LongTexts]:
    """Contexts and reference of the disagreement on screen and of its neighbours, by id."""
    if here is None:
        return {}
    place = shown.index(here)
    near = shown[max(0, place - 1) : place + 2]
    return {one.key.text(): _long(store, panel, one, prompt and one is here) for one in near}


def _long(store: Store, panel: Panel, one: Disagreement, prompt: bool) -> LongTexts:
    item = one.stored.item
    return LongTexts(
        contexts=[
            Passage(say("Context {n}", n=context.rank), visible(context.text))
            for context in item.contexts
        ],
        reference=[visible(text) for text in item.reference],
        prompt=_sent(store, panel, one) if prompt else None,
    )


def _sent(store: Store, panel: Panel, one: Disagreement) -> SentPrompt:
    found = sent_prompt.sent(store, panel, one)
    return SentPrompt(found.messages, found.rest, word(found.source))


def shown_criteria(panel: Panel) -> dict[str, ShownCriterion]:
    """Return the criteria of the rubric by name."""
    return {criterion.name: _criterion(panel, criterion) for criterion in panel.rubric.criteria}


def _criterion(panel: Panel, criterion: Criterion) -> ShownCriterion:
    failing = panel.rubric.failing(criterion)
    levels = [
        ShownLevel(level.score, level.meaning.strip(), level.score in failing)
        for level in criterion.levels
    ]
    return ShownCriterion(criterion.heading(), criterion.question.strip(), levels)


_html = lru_cache(maxsize=512)(safe_html)
