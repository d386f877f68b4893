"""Rows of a file on disk while it is imported; a batch at a time is in memory."""

import pickle
import tempfile
import weakref
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import compress, islice, pairwise
from typing import Any, Generic, TypeVar

from concord.messages import Problem, system_fault

Row = TypeVar("Row")
# Rows of one batch, and the characters after which one is full before that.
_BATCH, _CHARACTERS = 256, 1 << 22
# A file of fewer bytes stays in memory.
_IN_MEMORY = 1 << 22


class Spool(Generic[Row]):
    """Rows of any picklable contents, in the order in which they are added."""

    def __init__(self, rows: Iterable[tuple[Row, int]] = ()):
        """Take rows in, each with the number of its characters."""
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._ends = array("q", [0])
        self._batch: list[Row] = []
        self._count = self._characters = 0
        for row, characters in rows:
            self.add(row, characters)

    def add(self, row: Row, characters: int) -> None:
        """Append a row that holds so many characters; a Problem where the disk is full."""
        self._batch.append(row)
        self._count += 1
        self._characters += characters
        if len(self._batch) < _BATCH and self._characters <= _CHARACTERS:
            return
        data = pickle.dumps(self._batch)
        try:
            self._file.seek(self._ends[-1])
            self._file.write(data)
        except OSError as error:
            raise Problem(
                "The folder of temporary files cannot take the rows that were read: {reason}. "
                "Free some space, or name another folder in TMPDIR.",
                reason=system_fault(error),
            ) from None
        self._ends.append(self._ends[-1] + len(data))
        self._batch, self._characters = [], 0

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Row]:
        for begin, end in pairwise(self._ends):
            self._file.seek(begin)
            yield from pickle.loads(self._file.read(end - begin))  # written by this process alone
        yield from self._batch


class Selected(Sequence[Row]):
    """The `rows` for which `kept` has a byte that is not 0, read from the first at each use."""

    def __init__(self, rows: Callable[[], Iterable[Row]], kept: bytes | bytearray):
        self._rows, self._kept = rows, kept
        self._count = len(kept) - kept.count(0)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Row]:
        return compress(self._rows(), self._kept) if self._count else iter(())

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [*islice(self, *place.indices(len(self)))]
        return next(islice(self, range(len(self))[place], None))
