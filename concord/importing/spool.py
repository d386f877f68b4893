"""Items, grades and rows of a file in temporary files; a batch at a time is in memory."""

import marshal
import pickle
import tempfile
import weakref
from array import array
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, compress, islice
from typing import Generic, TypeVar, overload

from concord.messages import Problem, system_fault
from concord.model import Context, Distribution, Grade, Item

One = TypeVar("One")

# Rows of one batch, and the characters after which one is full before that.
_BATCH, _CHARACTERS = 256, 1 << 22
# A file of fewer bytes stays in memory.
_IN_MEMORY = 1 << 22


class _Spool:
    """Plain tuples in the order in which they are added."""

    _codec = marshal  # keeps contents, not classes, and is the fastest

    def __init__(self):
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._ends = array("q", [0])
        self._batch: list[tuple] = []
        self._characters = 0

    def _append(self, row: tuple, characters: int) -> None:
        """Append a row that holds so many characters; a Problem where the disk is full."""
        self._batch.append(row)
        self._characters += characters
        if len(self._batch) == _BATCH or self._characters > _CHARACTERS:
            self._write()

    def _batches(self) -> Iterator[list[tuple]]:
        """The rows from the first, as they were added."""
        for number in range(len(self._ends) - 1):
            begin, end = self._ends[number], self._ends[number + 1]
            self._file.seek(begin)
            yield self._codec.loads(self._file.read(end - begin))
        yield self._batch

    def _write(self) -> None:
        data = self._codec.dumps(self._batch)
        try:
            self._file.seek(self._ends[-1])
            self._file.write(data)
        except OSError as error:
            raise Problem(
                "The folder of temporary files cannot take the answers that were read: {reason}. "
                "Free some space, or name another folder in TMPDIR.",
                reason=system_fault(error),
            ) from None
        self._ends.append(self._ends[-1] + len(data))
        self._batch, self._characters = [], 0


class ItemSpool(_Spool):
    """Items with the lines they begin on."""

    def __init__(self):
        super().__init__()
        self._contexts: tuple[Context, ...] = ()
        self._plain: tuple[tuple, ...] = ()

    def add(self, item: Item, line: int | None) -> None:
        """Append an item; a Problem where the disk is full."""
        characters = len(item.answer)
        if item.contexts is not self._contexts:  # answers to one question share theirs
            self._contexts = item.contexts
            self._plain = tuple([tuple(one) for one in item.contexts])
            characters += sum([len(one.text) for one in item.contexts])
        self._append((*item[:_CONTEXTS], self._plain, *item[_CONTEXTS + 1 :], line), characters)

    def rows(self) -> Iterator[tuple[Item, int | None]]:
        """The items and their lines, from the first."""
        for batch in self._batches():
            yield from zip(_items(batch), [row[-1] for row in batch], strict=True)

    def __iter__(self) -> Iterator[Item]:
        return chain.from_iterable(map(_items, self._batches()))


def _items(batch: list[tuple]) -> Iterator[Item]:
    plain, contexts = (), ()
    for row in batch:
        if row[_CONTEXTS] is not plain:
            plain = row[_CONTEXTS]
            contexts = tuple([Context(*one) for one in plain])
        yield _item((*row[:_CONTEXTS], contexts, *row[_CONTEXTS + 1 : -1]))


class GradeSpool(_Spool):
    """Grades with the lines they begin on, and what their keys name."""

    def add(self, grade: Grade, line: int | None, named: Hashable) -> None:
        """Append a grade; a Problem where the disk is full."""
        plain = grade.distribution and tuple(grade.distribution)
        row = (*grade[:_DISTRIBUTION], plain, *grade[_DISTRIBUTION + 1 :], line, named)
        self._append(row, len(grade.reason) + len(grade.quote))

    def rows(self) -> Iterator[tuple[Grade, int | None, Hashable]]:
        """The grades, their lines and what their keys name, from the first."""
        for batch in self._batches():
            for *grade, line, named in batch:
                yield _grade(grade), line, named

    def __iter__(self) -> Iterator[Grade]:
        return (_grade(row[:-2]) for batch in self._batches() for row in batch)


class ParsedSpool(_Spool):
    """Parsed rows of any picklable contents."""

    _codec = pickle

    def __init__(self, rows: Iterable[tuple[tuple, int]]):
        """Take rows in, each with the number of its characters."""
        super().__init__()
        self._count = 0
        for self._count, (row, characters) in enumerate(rows, 1):
            self._append(row, characters)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[tuple]:
        return chain.from_iterable(self._batches())


class RowSpool(_Spool):
    """Rows of texts, lists and objects by column; their number, and their columns in order."""

    def __init__(self):
        super().__init__()
        self.count = 0
        self.columns: dict[str, None] = {}

    def add(self, row: Mapping[str, object]) -> None:
        """Append a row; a Problem where the disk is full."""
        self.count += 1
        self.columns.update(dict.fromkeys(row))
        self._append(tuple(row.items()), sum(len(str(cell)) for cell in row.values()))

    def __iter__(self) -> Iterator[dict[str, object]]:
        return (dict(row) for batch in self._batches() for row in batch)


class Spooled(Sequence[One], Generic[One]):
    """The items or grades of a spool, some of them left out or changed by their place in it.

    `kept` has a byte for each place, 0 for those left out. An index or a slice reads from the
    first place on.
    """

    def __init__(
        self,
        spool: ItemSpool | GradeSpool,
        kept: bytearray,
        changed: Mapping[int, One] | None = None,
    ):
        self._spool, self._kept, self._changed = spool, kept, changed or {}
        self._count = kept.count(1)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[One]:
        rows = iter(self._spool)
        if self._changed:
            rows = (self._changed.get(place, one) for place, one in enumerate(rows))
        return rows if self._count == len(self._kept) else compress(rows, self._kept)

    @overload
    def __getitem__(self, place: int) -> One: ...
    @overload
    def __getitem__(self, place: slice) -> list[One]: ...
    def __getitem__(self, place):
        places = range(self._count)[place]
        if isinstance(places, int):
            return next(islice(self, places, None))
        first = list(islice(self, max(places, default=-1) + 1))
        return [first[one] for one in places]


_CONTEXTS = Item._fields.index("contexts")
# From all fields in their order, in half the time that the class itself takes.
_item = partial(tuple.__new__, Item)
_DISTRIBUTION = Grade._fields.index("distribution")


def _grade(row: Sequence) -> Grade:
    grade = tuple.__new__(Grade, row)
    plain = row[_DISTRIBUTION]
    return grade if plain is None else grade._replace(distribution=Distribution(*plain))
