"""The text of an HTML page as a reader sees it: no scripts, no styles, one line per block.

One pass from left to right, in which no place is looked at twice: `html.parser` needs minutes for a
page of some kilobytes that opens tags or comments and closes none.
"""

import re
from collections import Counter
from collections.abc import Iterator
from html import unescape

from concord.importing.readers import safe_reading
from concord.messages import said

_UNREAD = {"script", "style", "template", "noscript", "svg", "iframe", "object"}
_BLOCKS = {"address", "article", "aside", "blockquote", "br", "caption", "dd", "div", "dl", "dt"}
_BLOCKS |= {"fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5"}
_BLOCKS |= {"h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre", "section", "table"}
_BLOCKS |= {"tbody", "td", "th", "thead", "title", "tr", "ul"}
_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_MARKUP = re.compile(r"<(?:(!--)|[!?]|(/?)([a-zA-Z][^\s/>]*+))")
_COMMENT_END = re.compile(r"--!?>|(?<=<!--)-?>")
# The rest of a tag, in which a quoted value may hold a `>`.
_TAG_END = re.compile(r"(?:[^>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+')?+)*+>")
# The content of these is not markup.
_RAW = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in ("script", "style")}


def text_of(page: str) -> str:
    """The text of a page; entities are resolved, white space within a block is one space."""
    with safe_reading.reading(lambda: said("The page cannot be read. Save it again.")):
        lines = [" ".join(line.split()) for line in "".join(_pieces(page)).split("\n")]
    return "\n".join(line for line in lines if line)


def declared(data: bytes) -> str | None:
    """The encoding that a page names in its head; None where it names none."""
    # Browsers look for it in the first bytes only, and so does a page that relies on it.
    found = _CHARSET.search(data[:4096])
    return found[1].decode() if found else None


def _pieces(page: str) -> Iterator[str]:
    """Yield the text outside the skipped elements, with a line end at every block."""
    unread: list[str] = []
    opened: Counter[str] = Counter()
    for text, tag, closes in _parts(page):
        if text and not unread:
            yield unescape(text).replace("\n", " ")
        if tag in _UNREAD and not closes:
            unread.append(tag)
            opened[tag] += 1
        # An end tag also closes what was left open inside it, as browsers do.
        while closes and opened[tag]:
            left = unread.pop()
            opened[left] -= 1
            if left == tag:
                break
        if tag in _BLOCKS:
            yield "\n"


def _parts(page: str) -> Iterator[tuple[str, str, bool]]:
    """(text, the name of the tag after it, whether that is an end tag) to the end of the page.

    What is opened and never closed, a tag or a comment, reaches to the end, as in a browser.
    """
    place = 0
    while found := _MARKUP.search(page, place):
        comment, closes, name = found[1], found[2] == "/", (found[3] or "").lower()
        yield page[place : found.start()], name, closes
        rest = _COMMENT_END.search if comment else _TAG_END.match
        end = rest(page, found.end())
        if end is None:
            return
        place = end.end()
        if name in _RAW and not closes:
            last = _RAW[name].search(page, place)
            if last is None:
                return
            place = last.start()
    yield page[place:], "", False
