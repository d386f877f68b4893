"""Ids of answers that a file does not tell apart: QUESTION/a1, QUESTION/a2, ...

A number is no answering model. The same question and content keep the id that the sheet has.
"""

import re
from collections import Counter
from collections.abc import Iterable
from hashlib import blake2b

from concord.definitions import digest_of_text
from concord.model import Item, content_hash
from concord.store.database import Store

_NUMBERED = re.compile(r"(.+)/a(\d{1,9})", re.DOTALL)
_LETTERS, _CUT, _DIGEST = 60, 50, 6
_STORED = (
    "select q.key, i.own_id, i.content_hash from items i join questions q on q.id = i.question_id"
    " join sheets s on s.id = i.sheet_id where s.name = ?"
)


class AnswerNumbers:
    """The ids given so far; `known` are key of the question, own id and content of stored items."""

    def __init__(self, known: Iterable[tuple[str, str | None, str]] = ()):
        self._ids: dict[bytes, str | None] = {}
        self._last: Counter[str] = Counter()
        for question, own_id, content in known:
            self._ids[_digest(question, content)] = own_id
            if own_id and (numbered := _NUMBERED.fullmatch(own_id)):
                label, number = numbered.groups()
                self._last[label] = max(self._last[label], int(number))

    def numbered(self, item: Item) -> Item:
        """The item with an id; one that the file gives an id keeps it."""
        if item.own_id is not None:
            return item
        key = _digest(item.question_key, content_hash(item))
        if key not in self._ids:
            label = item.question_id or " ".join(item.question.split())
            if len(label) > _LETTERS:
                label = f"{label[:_CUT]}… {digest_of_text(label)[:_DIGEST]}"
            self._last[label] += 1
            self._ids[key] = f"{label}/a{self._last[label]}"
        return item._replace(own_id=self._ids[key])


def of_sheet(store: Store, name: str) -> AnswerNumbers:
    """The numbers of the sheet of that name, which may be new."""
    rows = store.each(_STORED, (name,))
    return AnswerNumbers((row["key"], row["own_id"], row["content_hash"]) for row in rows)


def _digest(question: str, content: str) -> bytes:
    return blake2b(f"{question}\0{content}".encode(errors="surrogatepass"), digest_size=16).digest()
