"""Contents of package files: columns, their headings, and texts as files hold them.

Pure. A package is the work of one grader in a file: texts to read and cells to fill in.
"""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from concord.importing.fields import folded
from concord.rubrics.model import Rubric

CODE, NOTE = "row_code", "note"
CANNOT = "cannot grade"
ANSWERS = "Answers"  # the worksheet to fill in
# The texts in the order in which they are read.
TEXTS = ("turns", "question", "contexts", "reference", "answer")
HEADINGS = {
    CODE: "Row code",
    "turns": "Conversation so far",
    "question": "Question",
    "contexts": "Contexts",
    "reference": "Reference answer",
    "answer": "Answer",
    NOTE: "Note",
}
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")
_NO_CHARACTER = re.compile("[\ud800-\udfff\ufffe\uffff]")


class Pack(NamedTuple):
    """A pack: its set, whose it is by now, the token that its row codes begin with."""

    id: int
    set_id: int
    grader_id: int
    grader: str
    token: str
    made_by: str
    created_at: str


class SentRow(NamedTuple):
    """A row of a package: its position, its answer, and the digests of its texts as sent.

    `item_id`: None if the answer has since been deleted. `repeat` is 2 for a hidden repeat.
    """

    place: int
    item_id: int | None
    repeat: int
    texts: Mapping[str, str]


class RowToGrade(NamedTuple):
    """One row to grade: its code, which reveals nothing, and its texts by part.

    `given` holds the grader's earlier grades, as cells.
    """

    code: str
    texts: Mapping[str, str]
    given: Mapping[str, str | int] = MappingProxyType({})


class Blank(NamedTuple):
    """A pack as it goes out: the grading set's name, whose it is, the rubric, the rows in order."""

    set: str
    grader: str
    rubric: Rubric
    rows: Sequence[RowToGrade]


def used(rows: Iterable[RowToGrade]) -> list[str]:
    """The texts that some row has, in reading order."""
    held = {name for row in rows for name in row.texts}
    return [name for name in TEXTS if name in held]


def score_key(criterion: str) -> str:
    """Return the machine-readable key of a criterion's score cell."""
    return f"score_{criterion}"


def score_headings(rubric: Rubric) -> dict[str, str]:
    """Return the displayed heading of each criterion's score column."""
    titles = Counter(folded(one.heading()) for one in rubric.criteria)
    return {
        one.name: f"Score: {one.name if titles[folded(one.heading())] > 1 else one.heading()}"
        for one in rubric.criteria
    }


def part_heading(name: str, part: int) -> str:
    """Return the heading of a text's column, and of its continuation columns."""
    return HEADINGS[name] if part == 0 else f"{HEADINGS[name]}, part {part + 1}"


def allowed(rubric: Rubric) -> list[str]:
    """Return the permitted contents of a score cell."""
    return [*map(str, rubric.scale), CANNOT]


def clean(text: str) -> str:
    """Return the text with what a spreadsheet cannot hold made visible: ␀ for NUL, � for others."""
    seen = _CONTROL.sub(lambda found: chr(0x2400 + ord(found[0])), text)
    return _NO_CHARACTER.sub("\ufffd", seen)


def changed_by_cleaning(rows: Sequence[RowToGrade]) -> int:
    """Return the number of rows with a text that `clean` changes."""
    return sum(any(clean(text) != text for text in row.texts.values()) for row in rows)


def text_digest(text: str) -> str:
    """Return a hash that ignores line breaks, and changes with every word."""
    plain = " ".join(unicodedata.normalize("NFC", clean(text)).split())
    return hashlib.sha256(plain.encode()).hexdigest()[:16]


def guide(rubric: Rubric) -> list[str]:
    """Return the instructions for filling in a package, in sentences."""
    return [
        f"Give every answer a score of {', '.join(map(str, rubric.scale))} for each criterion.",
        f"Where an answer cannot be graded, choose “{CANNOT}”, and say why in the note.",
        "Grade the texts as they are. Change neither the texts nor the row codes.",
        "Some answers may come twice. Grade them as if you had not seen them.",
    ]
