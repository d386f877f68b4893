"""Key presses of the grading screen, and their validation.

Browser input is untrusted: each field is checked here before anything is stored.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from concord.messages import said
from concord.model import MOST_SECONDS, MOST_TEXT
from concord.text import marked_passages
from concord.text.marked_passages import Passage

REMARKS = ("flag", "correction")  # what is written for the lead, or in place of the answer
_STATUSES = ("scored", "cannot_grade", "withdrawn", "later", "comment", *REMARKS)
_MOST_NAME, _MOST_SCORE, _LAST_ID = 64, 10**9, 2**63 - 1


class Key(NamedTuple):
    """One key press: a grade for a place, `later`, which postpones it, or a text on its answer.

    `status` is scored, cannot_grade, withdrawn, later, comment, flag or correction; `slot` is what
    is graded, '' for the last four. Their text is in `note`. `passages` are those that the
    annotator marked as evidence, and `quote` their words; of an adjudication the cause. `undo`
    marks a grade that restores the previous one, or is withdrawn without one. `language` is that of
    the translated criterion that was read, '' for the original. When it was pressed the annotator
    had seen their grades up to the id `since` (None: unknown) and, of the same slot, that of the
    press `after` ('' for none).
    """

    press_id: str
    place_id: int
    slot: str
    status: str
    score: int | None = None
    note: str = ""
    seconds: float | None = None
    quote: str = ""
    undo: bool = False
    language: str = ""
    since: int | None = None
    after: str = ""
    passages: tuple[Passage, ...] | None = ()  # None: what was sent is none

    @property
    def marked_passages(self) -> str:
        """The passages as they are stored."""
        return marked_passages.stored(self.passages or ())


def read(sent: Any) -> Key:
    """Return the key press in arbitrary browser input; `fault` validates it."""
    fields = sent if isinstance(sent, Mapping) else {}
    names = {"place_id": "place", "slot": "version"}
    # Read without conversion: what has the wrong type must be refused, not turned into a valid
    # grade.
    found = {name: fields.get(names.get(name, name)) for name in Key._fields}
    found |= _evidence(found["quote"])
    names_of_texts = ("slot", "note", "quote", "language", "after")
    texts = {name: "" if found[name] is None else found[name] for name in names_of_texts}
    # An invalid id cannot name its press in the reply either: JSON keys are texts.
    press_id = found["press_id"] if _is_text(found["press_id"], _MOST_NAME) else ""
    return Key(**found | texts | {"press_id": press_id, "undo": found["undo"] or False})


def _evidence(sent: Any) -> dict[str, Any]:
    """The evidence of a press: passages with their places, or the cause of an adjudication."""
    if not isinstance(sent, list):
        return {"quote": sent, "passages": ()}
    passages = marked_passages.read(sent)
    return {"quote": marked_passages.quoted(passages or ()), "passages": passages}


def fault(key: Key) -> str:
    """Return why a key press can never be saved, whatever is stored; '' where it can."""
    checks = {
        "press_id": key.press_id,
        "place": _is_whole(key.place_id, _LAST_ID),
        "version": _is_text(key.slot, _MOST_NAME),
        "status": isinstance(key.status, str) and key.status in _STATUSES,
        "score": key.score is None or _is_whole(key.score, _MOST_SCORE),
        "seconds": key.seconds is None or _is_time(key.seconds),
        "note": _is_text(key.note, MOST_TEXT),
        "quote": key.passages is not None and _is_text(key.quote, MOST_TEXT),
        "undo": isinstance(key.undo, bool),
        "language": _is_text(key.language, _MOST_NAME),
        "since": key.since is None or _is_whole(key.since, _LAST_ID),
        "after": _is_text(key.after, _MOST_NAME),
    }
    wrong = [name for name, is_right in checks.items() if not is_right]
    return said("{field} is not valid", field=wrong[0]) if wrong else ""


def _is_text(value: Any, most: int) -> bool:
    """True for a text of at most `most` characters without lone surrogates."""
    if not isinstance(value, str) or len(value) > most:
        return False
    # SQLite cannot store a lone surrogate, and the press would be sent again for ever.
    return not any("\ud800" <= character <= "\udfff" for character in value)


def _is_whole(value: Any, most: int) -> bool:
    # True is an int in Python, and would be stored as a score of 1.
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= most


def _is_time(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and 0 <= value <= MOST_SECONDS
