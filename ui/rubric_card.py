"""A rubric as a grader reads it: every score with its meaning, the examples folded beneath."""

from fractions import Fraction
from html import escape

from rubrics.model import Criterion, Example, Level, Rubric

SHOWN = {
    "question": "the question",
    "contexts": "the contexts",
    "reference": "the reference answer",
    "turns": "the earlier turns",
}


def criterion_html(rubric: Rubric, criterion: Criterion) -> str:
    """One criterion as HTML; every text of the rubric is escaped."""
    failing = rubric.failing(criterion)
    levels = "".join(_level(level, level.score in failing) for level in criterion.levels)
    weight = "" if len(rubric.criteria) == 1 else f"weight {weight_text(criterion.weight)}"
    return (
        '<section class="concord-criterion"><header>'
        f'<h3>{escape(criterion.heading())}</h3><span class="weight">{weight}</span></header>'
        f'<p class="asks">{escape(criterion.question.strip())}</p>'
        f'<div class="concord-levels">{levels}</div></section>'
    )


def shown_sentence(rubric: Rubric) -> str:
    """What people and judges see beside the answer, as a sentence."""
    parts = [SHOWN[part] for part in rubric.shown]
    if not parts:
        return "People and judges see the answer alone."
    return f"People and judges see {', '.join(parts)} and the answer."


def weight_text(weight: Fraction) -> str:
    """A weight as people write it: 0.6, or 1/3 where no short decimal is exact."""
    decimal = f"{float(weight):.4g}"
    return decimal if Fraction(decimal) == weight else str(weight)


def _level(level: Level, fails: bool) -> str:
    badge = '<span class="fails">fails</span>' if fails else ""
    examples = "".join(map(_example, level.examples))
    if examples:
        word = "Example" if len(level.examples) == 1 else f"{len(level.examples)} examples"
        examples = f"<details><summary>{word}</summary>{examples}</details>"
    return (
        f'<div class="concord-level"><b>{level.score}</b><div>'
        f'<span class="meaning">{escape(level.meaning.strip())}</span>{badge}{examples}</div></div>'
    )


def _example(example: Example) -> str:
    parts = [
        ("Question", example.question),
        *([("Context", example.context)] if example.context else []),
        ("Answer", example.answer or "(empty)"),
        ("Why", example.why),
    ]
    rows = "".join(f"<dt>{name}</dt><dd>{escape(text)}</dd>" for name, text in parts)
    return f"<dl>{rows}</dl>"
