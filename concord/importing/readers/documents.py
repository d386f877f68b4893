"""Documents: the texts in a folder, and every file that gave none, with the reason.

An HTML page is the text a reader sees: no scripts, no styles, one line per block. One pass from
left to right, in which no place is looked at twice: `html.parser` needs minutes for a page of some
kilobytes that opens tags or comments and closes none.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from html import unescape
from pathlib import Path
from typing import NamedTuple

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
    folder, found = Path(folder), []
    if folder.is_file():
        folder, found = folder.parent, [folder]
    elif not folder.is_dir():
        raise Problem("There is no folder {folder}. Correct the path.", folder=_named(folder))
    else:
        for where, folders, files in os.walk(folder):
            folders[:] = [name for name in folders if not name.startswith(".")]
            found += [Path(where, name) for name in files if not name.startswith(".")]
    return of_files(
        ((str(path.relative_to(folder)), path) for path in sorted(found)), minimum, given
    )


def of_files(
    files: Iterable[tuple[str, bytes | Path]], minimum: int = MINIMUM, given: str | None = None
) -> Reading:
    """Read files that are given by name and content, or path; the rest as for `read`."""
    documents, excluded, seen = [], [], {}
    for name, content in files:
        name = _named(name)
        try:
            document = Document(name, _text(content, Path(name).suffix.lower(), given))
            if document.sha256 in seen:
                same = visible(seen[document.sha256])
                raise Problem("It has the same text as {file}.", file=same)
            if (letters := length(document.text)) < minimum:
                raise Problem(
                    "It has {letters:,} letters and digits (a Chinese, Japanese or Korean "
                    "character counts three); at least {minimum:,} are needed.",
                    letters=letters,
                    minimum=minimum,
                )
        except Problem as problem:
            excluded.append(Excluded(name, str(problem)))
        else:
            seen[document.sha256] = name
            documents.append(document)
    return Reading(documents, excluded)


def _named(name: str | Path) -> str:
    """Return a file's name as text; undecodable bytes become �."""
    return str(name).encode(errors="surrogateescape").decode(errors="replace")


def _text(content: bytes | Path, kind: str, given: str | None) -> str:
    """Return the text of one file as it can be stored: plain line ends, no half characters, no NUL.

    Raises:
        Problem: It is no document, too large or unreadable, or has no text.
    """
    if kind not in PLAIN | HTML | PDF:
        raise Problem("It is not a Markdown, text, HTML or PDF file.")
    try:
        is_path = isinstance(content, Path)
        if (content.stat().st_size if is_path else len(content)) > MAX_BYTES:
            raise Problem("It is larger than {size} MB. Split it.", size=MAX_BYTES // 1000000)
        data = content.read_bytes() if is_path else content
    except OSError as error:
        raise Problem("It cannot be read: {reason}.", reason=system_fault(error)) from None
    if kind in PDF:
        from concord.importing.readers import pdf  # takes a fifth of a second to import

        text = pdf.text_of(data)
    else:
        declares = given or (declared(data) if kind in HTML else None)
        guess = encoding.choose(declares) if declares else encoding.detect(data or b"-")
        try:
            text = data.decode(guess.encoding)
        except UnicodeDecodeError:
            raise Problem(
                "It is not in {charset}. Save it as UTF-8.", charset=guess.label
            ) from None
        text = text_of(text) if kind in HTML else text
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return "\n".join(whole.replace("\0", "").splitlines()).strip()


_UNREAD = {"script", "style", "template", "noscript", "svg", "iframe", "object"}
_BLOCK_NAMES = """
address article aside blockquote br caption dd div dl dt fieldset figcaption figure footer form h1
h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tbody td th thead title tr ul
"""
_BLOCKS = {*_BLOCK_NAMES.split()}
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
    """Yield the text outside the skipped elements, with a line end at every block.

    What is opened and never closed, a tag or a comment, reaches to the end, as in a browser.
    """
    unread: list[str] = []
    opened: Counter[str] = Counter()
    place: int | None = 0
    while place is not None:
        found = _MARKUP.search(page, place)
        if not unread:
            yield unescape(page[place : found.start() if found else None]).replace("\n", " ")
        if found is None:
            return
        closes, tag = found[2] == "/", (found[3] or "").lower()
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
        end = (_COMMENT_END.search if found[1] else _TAG_END.match)(page, found.end())
        if end and tag in _RAW and not closes:
            last = _RAW[tag].search(page, end.end())
            place = last and last.start()
        else:
            place = end and end.end()
