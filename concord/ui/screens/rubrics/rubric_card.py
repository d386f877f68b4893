"""A rubric as a grader reads it: every score with its meaning, the examples folded beneath."""

from html import escape

from concord.messages import Numeral, joined
from concord.rubrics.model import OF_ANSWERS, Criterion, Example, Level, Rubric, weight_text
from concord.ui.language import say


def criterion_html(rubric: Rubric, criterion: Criterion) -> str:
    """One criterion as HTML; every text of the rubric is escaped."""
    failing = rubric.failing(criterion)
    levels = "".join(_level(level, level.score in failing) for level in criterion.levels)
    levels = levels or f"<p>{escape(_no_meanings(rubric))}</p>"
    alone = len(rubric.criteria) == 1
    share = Numeral(weight_text(criterion.weight))
    weight = "" if alone else escape(say("weight {share}", share=share))
    return (
        '<section class="concord-criterion"><header>'
        f'<h3>{escape(criterion.heading())}</h3><span class="weight">{weight}</span></header>'
        f'<p class="asks">{escape(criterion.question.strip())}</p>'
        f'<div class="concord-levels">{levels}</div></section>'
    )


def _no_meanings(rubric: Rubric) -> str:
    return say(
        "Scores {low} to {high}, without meanings: for imported grades only, until they are "
        "filled in.",
        low=rubric.scale[0],
        high=rubric.scale[-1],
    )


def shown_sentence(rubric: Rubric) -> str:
    """Return a sentence on what annotators and judges see next to the answer."""
    parts = [OF_ANSWERS[part] for part in rubric.shown]
    if not parts:
        return say("Annotators and judges see only the answer.")
    return say("Annotators and judges see {parts} and the answer.", parts=joined(", ", parts))


def _level(level: Level, fails: bool) -> str:
    badge = f'<span class="fails">{escape(say("fails"))}</span>' if fails else ""
    examples = "".join(map(_example, level.examples))
    if examples:
        n = len(level.examples)
        word = say("Example") if n == 1 else say("{n:,} examples", n=n)
        examples = f"<details><summary>{escape(word)}</summary>{examples}</details>"
    return (
        f'<div class="concord-level"><b>{level.score}</b><div>'
        f'<span class="meaning">{escape(level.meaning.strip())}</span>{badge}{examples}</div></div>'
    )


def _example(example: Example) -> str:
    parts = [
        (say("Question"), example.question),
        *([(say("Context"), example.context)] if example.context else []),
        (say("Answer"), example.answer or say("(empty)")),
        (say("Why"), example.why),
    ]
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in parts)
    return f"<dl>{rows}</dl>"
