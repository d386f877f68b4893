"""The texts of an answer as HTML: question, contexts, reference and columns; long ones folded."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

from concord.reports.units.evidence import Part, segments
from concord.store.answer_search import as_text
from concord.store.items import Stored
from concord.text.display import visible
from concord.text.marked_passages import Passage, span
from concord.ui.language import say

_FOLDED = 600  # characters from which a context is folded
TEXTS_LOOK = """<style>
.concord-item details summary { cursor: pointer; }
.concord-item mark { background: color-mix(in srgb, #0072b2 24%, transparent); color: inherit;
  box-shadow: inset 0 -2px #0072b2; }
:is(.concord-item, .concord-comparison) .meta {
  opacity: .65; font-size: .875rem; font-weight: 400; }
</style>"""


class Mark(NamedTuple):
    """A passage that is highlighted, and the title that says whose evidence it is."""

    passage: Passage
    title: str


class _Text(NamedTuple):
    """A text with its part and number as in `Passage`; a `source` where it may be folded."""

    name: str
    text: str
    part: str
    number: int = 1
    source: str | None = None


def texts(stored: Stored, marked: Sequence[Mark] = ()) -> Iterable[str]:
    """Yield the texts of an answer, each under its name, for a `dl` of the class `concord-item`.

    Passages are highlighted; one of which only the words are known where they occur first.
    """
    left = list(marked)
    for one in _texts(stored):
        here = {mark: found for mark in left if (found := _span(mark.passage, one))}
        left = [mark for mark in left if mark not in here]
        text = _highlighted(one.text, here)
        if one.source is None:
            yield _under(one.name, text)
        else:
            yield _folded(one.name, text, len(one.text), one.source, bool(here))
    for name, value in stored.item.metadata.items():
        text = as_text(value)
        if len(text) > _FOLDED:
            yield _folded(name, escape(visible(text)), len(text))
        else:
            yield part(name, text)


def _texts(stored: Stored) -> Iterable[_Text]:
    """Yield the texts in the order in which they are shown."""
    item = stored.item
    yield _Text(say("Question"), item.question, "question")
    if item.turns:
        yield _Text(say("Earlier turns"), item.conversation, "turns")
    by = say("Answer by {model}", model=item.answer_model) if item.answer_model else say("Answer")
    yield _Text(by, item.answer, "answer")
    number = 0
    for one in item.contexts:
        number += bool(one.text.strip())  # annotators do not see the others
        source = " · ".join(dict.fromkeys(name for name in (one.doc_id, one.id) if name))
        yield _Text(say("Context {rank}", rank=one.rank), one.text, "context", number, source)
    for at, text in enumerate(item.reference, 1):
        yield _Text(say("Reference answer"), text, "reference", at)
    for at, text in enumerate(item.reference_contexts, 1):
        yield _Text(say("Reference context"), text, "document", at, "")


def _span(passage: Passage, one: _Text) -> tuple[int, int] | None:
    is_here = (one.part, one.number) == (passage.part, passage.number)
    return span(passage, one.text) if is_here or not passage.part else None


def _highlighted(text: str, here: dict[Mark, tuple[int, int]]) -> str:
    """Return a text as safe HTML with passages highlighted, each with its titles."""
    titles = [mark.title for mark in here]
    spans = tuple((*found, at) for at, found in enumerate(here.values()))
    pieces = segments(Part("", text, spans))
    return "".join(_piece(one.text, [titles[at] for at in one.units]) for one in pieces)


def _piece(text: str, titles: list[str]) -> str:
    shown = escape(visible(text))
    title = escape("; ".join(dict.fromkeys(titles)))
    return f'<mark title="{title}">{shown}</mark>' if titles else shown


def part(name: str, text: str) -> str:
    """A text under its name."""
    return _under(name, escape(visible(text)))


def _under(name: str, shown: str) -> str:
    shown = shown or f"<i>{escape(say('(empty)'))}</i>"
    return f"<dt>{escape(name)}</dt><dd>{shown}</dd>"


def _folded(name: str, shown: str, length: int, source: str = "", is_open: bool = False) -> str:
    """Safe HTML with the length of its text, folded where it is long and not opened."""
    characters = say("{n:,} characters", n=length)
    head = escape(" · ".join(part for part in (source, characters) if part))
    if length <= _FOLDED:
        return f'<dt>{escape(name)}</dt><dd><span class="meta">{head}</span>\n{shown}</dd>'
    opened = " open" if is_open else ""
    fold = f'<details{opened}><summary class="meta">{head}</summary>{shown}</details>'
    return f"<dt>{escape(name)}</dt><dd>{fold}</dd>"
