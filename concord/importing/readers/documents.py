"""Documents: the texts in a folder, and every file that gave none, with the reason.

An HTML page is the text a reader sees: no scripts, no styles, one line per block. One pass from
left to right, in which no place is looked at twice: `html.parser` needs minutes for a page of some
kilobytes that opens tags or comments and closes none.
"""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple

from concord.importing.readers import encoding, safe_reading
from concord.messages import Problem, said, system_fault
from concord.model import Document
from concord.text.display import visible
from concord.text.quotations import length

PLAIN, HTML, PDF = {".md", ".markdown", ".txt", ".text"}, {".html", ".htm"}, {".pdf"}
MAX_BYTES = 50_000_000
# About 30 words: less than that leaves nothing to ask about.
MINIMUM = 150


class Excluded(NamedTuple):
    """A file that gives no document, and why."""

    name: str
    why: str

    def sentence(self) -> str:
        """Both, in words."""
        return f"{self.name}: {self.why}"


class Reading(NamedTuple):
    """The documents of a folder."""

    documents: list[Document]
    excluded: list[Excluded]


def read(folder: str | Path, minimum: int = MINIMUM, given: str | None = None) -> Reading:
    """Read every Markdown, text, HTML and PDF file of a folder, and of the folders in it.

    Hidden files are left alone and links to folders are not followed.

    Args:
        folder: A folder, or one file.
        minimum: The fewest letters (see `quotations.length`) that make a document.
        given: The encoding of the text files, where the guess is wrong.
    """
    return _sorted_out(_files(Path(folder)), _bytes_of, minimum, given)


def of_files(
    files: Iterable[tuple[str, bytes]], minimum: int = MINIMUM, given: str | None = None
) -> Reading:
    """Read files that are given by name and content; the rest as for `read`."""
    named = ((content, _named(name)) for name, content in files)
    return _sorted_out(named, _within, minimum, given)


def _sorted_out(
    files: Iterable[tuple[Any, str]],
    content: Callable[[Any], bytes],
    minimum: int,
    given: str | None,
) -> Reading:
    """The documents among some files, and every other file with the reason."""
    documents, excluded, seen = [], [], {}
    for file, name in files:
        try:
            kind = _kind(name)
            document = Document(name, _text(content(file), kind, given))
        except Problem as problem:
            excluded.append(Excluded(name, str(problem)))
            continue
        why = _too_short(document, minimum)
        if document.sha256 in seen:
            why = said("It has the same text as {file}.", file=visible(seen[document.sha256]))
        if why:
            excluded.append(Excluded(name, why))
        else:
            seen[document.sha256] = name
            documents.append(document)
    return Reading(documents, excluded)


def _files(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield every file with its path relative to the folder, sorted by it."""
    if folder.is_file():
        yield folder, _named(folder.name)
        return
    if not folder.is_dir():
        raise Problem("There is no folder {folder}. Correct the path.", folder=_named(str(folder)))
    found = []
    for where, folders, files in os.walk(folder):
        folders[:] = _shown(folders)
        found += [Path(where, file) for file in _shown(files)]
    for path in sorted(found):
        yield path, _named(str(path.relative_to(folder)))


def _shown(names: list[str]) -> list[str]:
    """The names that are not hidden."""
    return [name for name in names if not name.startswith(".")]


def _named(name: str) -> str:
    """Return a file's name as text; undecodable bytes become �."""
    return name.encode(errors="surrogateescape").decode(errors="replace")


def _kind(name: str) -> str:
    """Return the kind of a file by its name; a Problem for kinds that are no document."""
    kind = Path(name).suffix.lower()
    if kind not in PLAIN | HTML | PDF:
        raise Problem("It is not a Markdown, text, HTML or PDF file.")
    return kind


def _bytes_of(path: Path) -> bytes:
    """Return the bytes of a file; a Problem where it cannot be read."""
    try:
        return path.read_bytes() if path.stat().st_size <= MAX_BYTES else _within(None)
    except OSError as error:
        raise Problem("It cannot be read: {reason}.", reason=system_fault(error)) from None


def _within(data: bytes | None) -> bytes:
    """Return the bytes of a file that is not too large; None for one not read for its size."""
    if data is None or len(data) > MAX_BYTES:
        raise Problem("It is larger than {size} MB. Split it.", size=MAX_BYTES // 1000000)
    return data


def _text(data: bytes, kind: str, given: str | None) -> str:
    """Return the text of one file; a Problem where it has none."""
    if kind in PDF:
        from concord.importing.readers import pdf  # takes a fifth of a second to import

        return _clean(pdf.text_of(data))
    if kind in HTML:
        return _clean(text_of(_decoded(data, given or declared(data))))
    return _clean(_decoded(data, given))


def _decoded(data: bytes, given: str | None) -> str:
    """Return the bytes as text, in the given encoding or else the likeliest."""
    if not data:
        return ""
    guess = encoding.choose(given) if given else encoding.detect(data)
    try:
        return data.decode(guess.encoding)
    except UnicodeDecodeError:
        raise Problem("It is not in {charset}. Save it as UTF-8.", charset=guess.label) from None


def _clean(text: str) -> str:
    """The text as it can be stored: plain line ends, no lone surrogates, no NUL."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return "\n".join(whole.replace("\0", "").splitlines()).strip()


def _too_short(document: Document, minimum: int) -> str:
    letters = length(document.text)
    if letters >= minimum:
        return ""
    return said(
        "It has {letters:,} letters and digits (a Chinese, Japanese or Korean character counts "
        "three); at least {minimum:,} are needed.",
        letters=letters,
        minimum=minimum,
    )


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
