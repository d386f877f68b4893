"""Items of a file in a temporary file, of which a batch at a time is in memory."""

import marshal
import tempfile
import weakref
from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import overload

from concord.messages import Problem
from concord.model import Context, Item

# Items of one batch, and the characters after which one is full before that.
_BATCH, _CHARACTERS = 256, 1 << 22
# A file of fewer bytes stays in memory.
_IN_MEMORY = 1 << 22


class ItemSpool:
    """Items with the lines they begin on, in the order in which they are added."""

    def __init__(self):
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._ends = array("q", [0])
        self._batch: list[tuple] = []
        self._characters = 0
        self._contexts: tuple[Context, ...] = ()
        self._plain: tuple[tuple, ...] = ()

    def add(self, item: Item, line: int | None) -> None:
        """Append an item; a Problem where the disk is full."""
        if item.contexts is not self._contexts:  # answers to one question share theirs
            self._contexts = item.contexts
            self._plain = tuple([tuple(one) for one in item.contexts])
            self._characters += sum([len(one.text) for one in item.contexts])
        self._batch.append((*item[:_CONTEXTS], self._plain, *item[_CONTEXTS + 1 :], line))
        self._characters += len(item.answer)
        if len(self._batch) == _BATCH or self._characters > _CHARACTERS:
            self._write()

    def rows(self) -> Iterator[tuple[Item, int | None]]:
        """The items and their lines, from the first."""
        for number in range(len(self._ends) - 1):
            yield from _rows(self._read(number))
        yield from _rows(self._batch)

    def _read(self, number: int) -> list[tuple]:
        begin, end = self._ends[number], self._ends[number + 1]
        self._file.seek(begin)
        return marshal.loads(self._file.read(end - begin))

    def _write(self) -> None:
        data = marshal.dumps(self._batch)
        try:
            self._file.seek(self._ends[-1])
            self._file.write(data)
        except OSError as error:
            raise Problem(
                "The folder of temporary files cannot take the answers that were read: {reason}. "
                "Free some space, or name another folder in TMPDIR.",
                reason=error.strerror,
            ) from None
        self._ends.append(self._ends[-1] + len(data))
        self._batch, self._characters = [], 0


class SpooledItems(Sequence[Item]):
    """The items of a spool, some of them changed or left out (None) by their place in it.

    An index or a slice reads from the first item on.
    """

    def __init__(self, spool: ItemSpool, count: int, changed: Mapping[int, Item | None]):
        self._spool, self._changed = spool, changed
        self._count = count - sum(item is None for item in changed.values())

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Item]:
        rows = (item for item, _ in self._spool.rows())
        if not self._changed:
            return rows
        kept = (self._changed.get(place, item) for place, item in enumerate(rows))
        return (item for item in kept if item is not None)

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> list[Item]: ...
    def __getitem__(self, place):
        places = range(self._count)[place]
        if isinstance(places, int):
            return next(islice(self, places, None))
        first = list(islice(self, max(places, default=-1) + 1))
        return [first[one] for one in places]


def _rows(batch: list[tuple]) -> Iterator[tuple[Item, int | None]]:
    """Items and their lines as they were added; marshal keeps contents, not classes."""
    plain, contexts = (), ()
    for row in batch:
        if row[_CONTEXTS] is not plain:
            plain = row[_CONTEXTS]
            contexts = tuple([Context(*one) for one in plain])
        yield Item(*row[:_CONTEXTS], contexts, *row[_CONTEXTS + 1 : -1]), row[-1]


_CONTEXTS = Item._fields.index("contexts")
