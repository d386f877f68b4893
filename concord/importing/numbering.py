"""Ids of answers that a file does not tell apart: QUESTION/a1, QUESTION/a2, ...

A number is no answering model. The same question and content keep the id that the sheet has.
"""

import re
from collections import Counter
from collections.abc import Callable
from hashlib import blake2b

from concord.model import Item, content_hash
from concord.store.database import Store

_NUMBERED = re.compile(r"(.+)/a(\d{1,9})", re.DOTALL)
_LETTERS = 60
_STORED = (
    "select q.key, i.own_id, i.content_hash from items i join questions q on q.id = i.question_id"
    " join sheets s on s.id = i.sheet_id where s.name = ?"
)


Numbers = Callable[[Item], Item]


def of_sheet(store: Store, name: str) -> Numbers:
    """What gives an item an id, beside those of the sheet of that name, which may be new.

    An item to which the file gives an id keeps it.
    """
    ids: dict[bytes, str | None] = {}
    last: Counter[str] = Counter()
    for question, own_id, content in store.each(_STORED, (name,)):
        ids[_digest(question, content)] = own_id
        if own_id and (numbered := _NUMBERED.fullmatch(own_id)):
            label, number = numbered.groups()
            last[label] = max(last[label], int(number))

    def with_id(item: Item) -> Item:
        if item.own_id is not None:
            return item
        key = _digest(item.question_key, content_hash(item))
        if key not in ids:
            label = item.question_id or " ".join(item.question.split())[:_LETTERS]
            last[label] += 1
            ids[key] = f"{label}/a{last[label]}"
        return item._replace(own_id=ids[key])

    return with_id


def _digest(question: str, content: str) -> bytes:
    return blake2b(f"{question}\0{content}".encode(errors="surrogatepass"), digest_size=16).digest()
