"""HTML of an answer, and of what graders gave it; every text is escaped."""

from collections.abc import Iterable
from html import escape
from typing import Protocol

from concord.language.grade_statuses import status_words
from concord.resources import ASSETS
from concord.text.display import visible
from concord.ui.language import say, word
from concord.ui.markdown import safe_html

LOOK = ASSETS / "comparison.css"


class Given(Protocol):
    """A grade: its score, else its status, and the reason."""

    score: float | None
    status: str
    reason: str


def comparison(*parts: str) -> str:
    """Return parts of safe HTML in the look of `LOOK`."""
    return f'<div class="concord-comparison">{"".join(parts)}</div>'


def answer_text(question: str, heading: str, answer: str) -> str:
    """Return a question, and below a heading its answer with its Markdown rendered."""
    nothing = f"<i>{escape(say('(empty)'))}</i>"
    return (
        f'<p class="asked">{escape(question)}</p><h3>{escape(heading)}</h3>'
        f'<div class="answer">{safe_html(answer) or nothing}</div>'
    )


def listed(parts: Iterable[tuple[str, str]]) -> str:
    """Return texts, each below its title; without any ''."""
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in parts)
    return f'<dl class="concord-item">{rows}</dl>' if rows else ""


def table(heads: Iterable[str], rows: Iterable[str], numbers: bool = False) -> str:
    """Return a table of text heads and rows of safe HTML, which scrolls sideways where it is wide.

    `numbers` where the first column may break its words.
    """
    top = "".join(f"<th>{escape(head)}</th>" for head in heads)
    look = " numbers" if numbers else ""
    body = "".join(rows)
    return f'<div class="scroll{look}"><table><thead><tr>{top}</tr></thead>{body}</table></div>'


def grade_cell(given: Given | None, more: str = "") -> str:
    """Return a table's cell with a grade and its reason; a dash without a grade."""
    if given is None:
        return "<td>–</td>"
    score = word(status_words(given.status)) if given.score is None else f"{given.score:g}"
    beside = f" <small>{escape(more)}</small>" if more else ""
    return f"<td><b>{escape(score)}</b>{beside}<p>{escape(visible(given.reason))}</p></td>"
