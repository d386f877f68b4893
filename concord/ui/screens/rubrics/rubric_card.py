"""A rubric as a grader reads it: every score with its meaning, the examples folded beneath."""

from fractions import Fraction
from html import escape

import streamlit as st

from concord.messages import Numeral, day, joined, said
from concord.reports.document import Cell
from concord.rubrics.model import Criterion, Example, Level, Rubric
from concord.store.rubrics.rubric_edits import Version
from concord.ui.language import say
from concord.ui.widgets import table_of

SHOWN = {
    "question": said("the question"),
    "contexts": said("the contexts"),
    "reference": said("the reference answer"),
    "turns": said("the earlier turns"),
}


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
    parts = [SHOWN[part] for part in rubric.shown]
    if not parts:
        return say("Annotators and judges see only the answer.")
    return say("Annotators and judges see {parts} and the answer.", parts=joined(", ", parts))


def weight_text(weight: Fraction) -> str:
    """A weight as annotators write it: 0.6, or 1/3 where no short decimal is exact."""
    decimal = f"{float(weight):.4g}"
    return decimal if Fraction(decimal) == weight else str(weight)


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


def history_table(versions: list[Version]) -> None:
    """Show every version of every criterion, with its grades and the rubrics that share it."""
    st.caption(
        say(
            "A version is everything a grader decides by: the criterion's question, the scale, the "
            "meaning of each score and what is shown. A version that has grades never changes; an "
            "edit makes a new one. Weights, titles, examples and translations are not part of it."
        )
    )
    table_of([_row(version) for version in versions], "versions")


def _row(version: Version) -> dict[str, Cell]:
    return {
        said("criterion"): version.criterion,
        said("version"): version.version[:8],
        said("state"): said("current" if version.newest else "earlier"),
        said("grades"): version.grades,
        said("since"): day(version.since),
        said("also counted in version"): joined(
            "; ", (f"{target[:8]} ({why})" for target, why in version.counted_in)
        ),
    }
