"""Markdown of strangers made safe: an answer may look like anything and do nothing.

No raw HTML passes, no image is loaded, a link goes to http, https or mailto only and tells the
other side nothing. What is left out is shown as text, since a grader must see what was written.
"""

from functools import cache
from html import escape
from urllib.parse import urlsplit

from markdown_it import MarkdownIt

from concord.ui.language import say

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
