"""The texts of an answer as HTML: question, contexts, reference and columns; long ones folded."""

from collections.abc import Iterable
from html import escape

from concord.store.answers.answer_search import as_text
from concord.store.items import Stored
from concord.text.display import visible
from concord.ui.language import say

_FOLDED = 600  # characters from which a context is folded
TEXTS_LOOK = """<style>
.concord-item details summary { cursor: pointer; }
:is(.concord-item, .concord-comparison) .meta {
  opacity: .65; font-size: .875rem; font-weight: 400; }
</style>"""


def texts(stored: Stored) -> Iterable[str]:
    """Yield the texts of an answer, each under its name, for a `dl` of the class `concord-item`."""
    item = stored.item
    yield part(say("Question"), item.question)
    if item.turns:
        yield part(say("Earlier turns"), item.conversation)
    by = say("Answer by {model}", model=item.answer_model) if item.answer_model else say("Answer")
    yield part(by, item.answer)
    for one in item.contexts:
        source = " · ".join(dict.fromkeys(name for name in (one.doc_id, one.id) if name))
        yield _folded(say("Context {rank}", rank=one.rank), one.text, source)
    for text in item.reference:
        yield part(say("Reference answer"), text)
    for text in item.reference_contexts:
        yield _folded(say("Reference context"), text)
    for name, value in item.metadata.items():
        yield _folded(name, as_text(value), always=False)


def part(name: str, text: str) -> str:
    """A text under its name."""
    shown = escape(visible(text)) or f"<i>{escape(say('(empty)'))}</i>"
    return f"<dt>{escape(name)}</dt><dd>{shown}</dd>"


def _folded(name: str, text: str, source: str = "", always: bool = True) -> str:
    """A text with its length, folded where it is long; a short one without unless `always`."""
    if len(text) <= _FOLDED and not always:
        return part(name, text)
    length = say("{n:,} characters", n=len(text))
    head = escape(" · ".join(part for part in (source, length) if part))
    text = escape(visible(text))
    if len(text) <= _FOLDED:
        return f'<dt>{escape(name)}</dt><dd><span class="meta">{head}</span>\n{text}</dd>'
    fold = f'<details><summary class="meta">{head}</summary>{text}</details>'
    return f"<dt>{escape(name)}</dt><dd>{fold}</dd>"
