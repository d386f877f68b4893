"""Documents: the texts in a folder, and every file that gave none, with the reason.

An HTML page is the text a reader sees: no scripts, no styles, one line per block. One pass from
left to right, in which no place is looked at twice: `html.parser` needs minutes for a page of some
kilobytes that opens tags or comments and closes none.
"""

import logging
import re
from collections.abc import Iterable
from html import unescape
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from concord.importing.readers import safe_reading
from concord.messages import Problem, system_fault
from concord.model import Document
from concord.text import encoding
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
    folder = Path(folder)
    paths = [folder]
    if folder.is_dir():
        paths = sorted(path for path in folder.rglob("[!.]*") if path.is_file())
        is_hidden = re.compile(r"(^|[/\\])\.").search
        paths = [path for path in paths if not is_hidden(str(path.relative_to(folder)))]
    elif folder.is_file():
        folder = folder.parent
    else:
        raise Problem("There is no folder {folder}. Correct the path.", folder=_named(folder))
    files = ((str(path.relative_to(folder)), path) for path in paths)
    return of_files(files, minimum, given)


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
        text = pdf_text(data)
    else:
        codec = encoding.choose(given) if given else encoding.detect(data)
        try:
            text = data.decode(codec)
        except UnicodeDecodeError:
            label = encoding.LABELS[codec]
            raise Problem("It is not in {label}. Save it as UTF-8.", label=label) from None
        text = text_of(text) if kind in HTML else text
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return "\n".join(whole.replace("\0", "").splitlines()).strip()


# Steps of drawing in one file: a page of text takes some thousands.
STEPS = 5_000_000
_BROKEN = "The PDF cannot be read. Open it and save it again."


def pdf_text(data: bytes) -> str:
    """Return the text of all pages; a Problem where it is empty or unreadable."""
    from pypdf import PdfReader  # takes a fifth of a second to import

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what it grumbles about is said below
    steps = 0

    def count(*_) -> None:
        nonlocal steps
        steps += 1
        if steps > STEPS:
            raise Problem("Unpacked, its pages exceed the limit for a document. Split it.")

    with safe_reading.reading(_BROKEN):
        reader = PdfReader(BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Problem("It is locked with a password. Save it without one.")
        # Counted while drawing: a few kilobytes can unpack to billions of drawing steps.
        pages = [page.extract_text(visitor_operand_before=count) for page in reader.pages]
    text = "\n\n".join(page.strip() for page in pages if page.strip())
    if not text:
        raise Problem("Its pages are pictures without text. Give a version with text.")
    return text


_BLOCKS = """
address article aside blockquote br caption dd div dl dt fieldset figcaption figure footer form h1
h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tbody td th thead title tr ul
"""
# What a reader does not see, and markup: what is opened and never closed reaches to the end, as in
# a browser. In a tag a quoted value may hold a `>`.
_TAG_END = r"""(?:[^>=]++|=\s*+(?:"[^"]*+"|'[^']*+')?+)*+(?:>|\Z)"""
_MARKUP = re.compile(
    r"<!--(?:-?>|.*?(?:--!?>|\Z))|<[!?][^>]*+>?|"
    r"<(script|style|template|noscript|svg|iframe|object)(?=[\s/>]).*?(?:</\1(?=[\s/>])|\Z)[^>]*+>?|"
    rf"</?([a-z][^\s/>]*+){_TAG_END}",
    re.IGNORECASE | re.DOTALL,
)


def text_of(page: str) -> str:
    """The text of a page; entities are resolved, white space within a block is one space."""

    def shown(markup: re.Match) -> str:
        return "\n" if (markup[2] or "").lower() in _BLOCKS.split() else ""

    with safe_reading.reading("The page cannot be read. Save it again."):
        lines = _MARKUP.sub(shown, page.replace("\n", " ")).split("\n")
        lines = [" ".join(unescape(line).split()) for line in lines]
    return "\n".join(filter(None, lines))
