"""Disagreements as the review component shows them."""

from dataclasses import replace
from functools import lru_cache

from concord.language.grade_statuses import status_words
from concord.messages import said
from concord.reports.disagreements import sent_prompt
from concord.reports.disagreements.disagreement import Disagreement, Side
from concord.reports.disagreements.disagreements import NO_TAG, DisagreementFilter, NewestTag
from concord.reports.panel.panel import Panel
from concord.reports.panel.simulated import named
from concord.reports.units.evidence import Part
from concord.rubrics.model import Criterion, Rubric
from concord.store.database import Store
from concord.text.display import visible
from concord.ui.components import review_data as data
from concord.ui.language import language, say, word
from concord.ui.markup import reason_of, safe_html

answer_html = lru_cache(maxsize=512)(safe_html)


def entry(
    panel: Panel, one: Disagreement, tags: list[NewestTag] | None, wanted: DisagreementFilter
) -> data.ShownEntry:
    """Return a disagreement with its newest tag; the list names what the filters leave open."""
    item, key = one.stored.item, one.key
    held = tags[-1] if tags else NO_TAG
    judge = word(named(panel.labels[key.judge], one.judge.simulated))
    about = [
        word(panel.rubric.criterion(key.criterion).heading()) if wanted.criterion is None else "",
        judge if wanted.judge is None else "",
        item.answer_model,
    ]
    question = visible(item.question)
    return data.ShownEntry(
        id=key.text(),
        row=question,
        about=" · ".join(filter(None, about)),
        marks=[
            data.ShownMark(str(key.person), "person", say("annotator")),
            data.ShownMark(str(key.said), "judge", say("judge")),
        ],
        model=item.answer_model or "",
        question=question,
        answer=answer_html(item.answer),
        scores=data.ShownScores(
            criterion=key.criterion,
            person=key.person,
            said=key.said,
            judge=replace(_side(one.judge), name=judge),
            annotators=[_side(side) for side in one.annotators],
            others=[_side(side) for side in one.others],
        ),
        decision=held.cause,
        note=held.note,
        who=held.who,
    )


def _side(side: Side) -> data.ShownSide:
    return data.ShownSide(
        name=word(named(side.name, side.simulated)),
        score=side.score,
        status=word(status_words(side.status)),
        reason=reason_of(side.reason),
    )


def texts(store: Store, panel: Panel, one: Disagreement, prompt: bool) -> data.LongTexts:
    """Return reference and contexts of a disagreement, and the prompt where it is wanted."""
    item = one.stored.item
    parts = [Part(said("Reference answer"), text, ()) for text in item.reference]
    parts += [Part(said("Context {n}", n=one.rank), one.text, ()) for one in item.contexts]
    sent = sent_prompt.sent(store, panel, one) if prompt else None
    return data.LongTexts(
        parts=[data.shown_text(part) for part in parts],
        prompt=sent and data.SentPrompt(sent.messages, sent.rest, word(sent.source)),
    )


def criteria(panel: Panel) -> dict[str, data.ReviewCriterion]:
    """Return the criteria of the rubric by name, in the language of the reader."""
    rubric = panel.rubric.in_language(language())
    return {criterion.name: _criterion(rubric, criterion) for criterion in rubric.criteria}


def _criterion(rubric: Rubric, criterion: Criterion) -> data.ReviewCriterion:
    failing = rubric.failing(criterion)
    meanings = {level.score: level.meaning.strip() for level in criterion.levels}
    levels = [
        data.ReviewLevel(score, meanings.get(score, ""), score in failing) for score in rubric.scale
    ]
    return data.ReviewCriterion(word(criterion.heading()), criterion.question.strip(), levels)
