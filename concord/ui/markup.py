"""Texts of strangers as safe HTML: an answer may look like anything and do nothing.

In Markdown no raw HTML passes, no image is loaded, a link goes to http, https or mailto only and
tells the other side nothing. What is left out is shown as text, since a grader must see what was
written. All other texts are escaped.
"""

from collections.abc import Iterable
from functools import cache
from html import escape
from typing import Protocol
from urllib.parse import urlsplit

from markdown_it import MarkdownIt

from concord.grading.adjudications import CAUSES
from concord.messages import N_
from concord.model import status_words
from concord.resources import ASSETS
from concord.text.display import css_text, visible
from concord.text.marked_passages import Passage, text_name
from concord.ui.language import say

LOOK = ASSETS / "comparison.css"
# What the sample stores with its simulated grades; other reasons are somebody's own words.
_OF_SAMPLE = {
    one: one
    for one in (
        N_("Simulated grade, not given by an annotator."),
        N_("Simulated grade, not given by a model."),
    )
}
_SCHEMES = ("http", "https", "mailto")


def safe_html(text: str) -> str:
    """Render Markdown (tables and code too) as HTML that neither runs nor loads anything."""
    return _renderer().render(text)


@cache
def _renderer() -> MarkdownIt:
    renderer = MarkdownIt("commonmark", {"html": False, "breaks": True})
    renderer.enable(["table", "strikethrough"])
    renderer.validateLink = _is_allowed
    renderer.add_render_rule("image", _image)
    renderer.add_render_rule("link_open", _link_open)
    return renderer


def _is_allowed(address: str) -> bool:
    """True where a link may be followed; a relative address would lead into this app."""
    try:
        return urlsplit(address.strip()).scheme.lower() in _SCHEMES
    except ValueError:
        return False


def _image(renderer, tokens, index, options, env) -> str:
    """An image as its alternative text and address."""
    token = tokens[index]
    alt = renderer.renderInlineAsText(token.children, options, env)
    shown = say("[image: {text} {address}]", text=alt, address=token.attrs.get("src", ""))
    return f'<span class="image">{escape(shown)}</span>'


def _link_open(renderer, tokens, index, options, env) -> str:
    token = tokens[index]
    token.attrs |= {"target": "_blank", "rel": "noopener noreferrer nofollow"}
    return renderer.renderToken(tokens, index, options, env)


class ShownGrade(Protocol):
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
        f'<p class="asked" dir="auto">{escape(question)}</p><h3>{escape(heading)}</h3>'
        f'<div class="answer" dir="auto" {_focusable(heading)}>{safe_html(answer) or nothing}</div>'
    )


def _focusable(name: str) -> str:
    """Attributes of what scrolls: a keyboard can scroll it, and a screen reader says its name.

    A group, since a region would be a landmark, of which a screen may not have two by one name.
    """
    return f'role="group" aria-label="{escape(name)}" tabindex="0"'


def listed(parts: Iterable[tuple[str, str]]) -> str:
    """Return texts, each below its title; without any ''."""
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in parts)
    return f'<dl class="concord-item">{rows}</dl>' if rows else ""


def table(name: str, heads: Iterable[str], rows: Iterable[str]) -> str:
    """Return a table by its name of text heads and rows of safe HTML; it scrolls if wide.

    On a telephone assets/comparison.css shows the heads of the first dozen columns in the cells.
    """
    heads = tuple(heads)
    named = "; ".join(f"--head-{at}: '{css_text(head)}'" for at, head in enumerate(heads, 1))
    top = "".join(f"<th>{escape(head)}</th>" for head in heads)
    body = "".join(rows)
    whole = f'<table style="{named}"><thead><tr>{top}</tr></thead>{body}</table>'
    return f'<div class="scroll" {_focusable(name)}>{whole}</div>'


def grade_cell(given: ShownGrade | None, more: str = "", marked: Iterable[Passage] = ()) -> str:
    """Return a table's cell with a grade, its reason and evidence; a dash without a grade."""
    if given is None:
        return "<td>–</td>"
    score = say(status_words(given.status)) if given.score is None else f"{given.score:g}"
    note = f" <small>{escape(more)}</small>" if more else ""
    evidence = "".join(map(_evidence, marked))
    why = f"<p>{escape(reason_of(given.reason))}</p>"
    return f"<td><b>{escape(score)}</b>{note}{why}{evidence}</td>"


def _evidence(passage: Passage) -> str:
    name = text_name(passage)
    head = f"{escape(say(name))}: " if name else ""
    return f"<p>{head}<q>{escape(visible(passage.words))}</q></p>"


def cause_of(stored: str) -> str:
    """Return the cause of an adjudication in words."""
    return say(CAUSES.get(stored, stored.replace("_", " ")))


def reason_of(given: str) -> str:
    """Return the reason stored with a grade; one of Concord's own in the reader's language."""
    return visible(say(_OF_SAMPLE.get(given, "")) or given)
