"""The text of an HTML page as a reader sees it: no scripts, no styles, one line per block."""

import re
from html.parser import HTMLParser

_UNREAD = {"script", "style", "template", "noscript", "svg", "iframe", "object"}
_BLOCKS = {"address", "article", "aside", "blockquote", "br", "caption", "dd", "div", "dl", "dt"}
_BLOCKS |= {"fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5"}
_BLOCKS |= {"h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre", "section", "table"}
_BLOCKS |= {"tbody", "td", "th", "thead", "title", "tr", "ul"}
_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)


def text_of(page: str) -> str:
    """The text of a page; entities are resolved, white space within a block is one space."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    lines = (" ".join(line.split()) for line in "".join(reader.pieces).split("\n"))
    return "\n".join(line for line in lines if line)


def declared(data: bytes) -> str | None:
    """The encoding that a page names in its head; None where it names none."""
    found = _CHARSET.search(data[:4096])
    return found[1].decode() if found else None


class _Reader(HTMLParser):
    """Collects what stands outside the unread elements, a line end at every block."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._unread: list[str] = []

    def handle_starttag(self, tag, attrs):
        if tag in _UNREAD:
            self._unread.append(tag)
        if tag in _BLOCKS:
            self.pieces.append("\n")

    def handle_endtag(self, tag):
        if tag in self._unread:
            while self._unread.pop() != tag:
                pass
        if tag in _BLOCKS:
            self.pieces.append("\n")

    def handle_data(self, data):
        if not self._unread:
            self.pieces.append(data.replace("\n", " "))
