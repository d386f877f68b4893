"""Work lists: items to work through one at a time, each open or done.

A list is declared once, as a `WorkList`; how its items are ordered, counted, cut at a limit, shown
as a table and walked through is the same for every list.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from concord.messages import said
from concord.reports.document import Document, Part, table_of
from concord.store import graders, grades
from concord.store.database import Store

Item = TypeVar("Item")
ANY = "*"  # the choice of a filter that restricts nothing, in the URL


@dataclass(frozen=True)
class WorkList(Generic[Item]):
    """A list of work.

    Attributes:
        name: Of its table, and of its state on a screen.
        param: What names an item in the URL of its screen.
        key: The name of an item, in the URL and on the command line.
        is_open: True where something is left to do.
        columns: Its table.
        order: Sort key.
    """

    name: str
    param: str
    key: Callable[[Item], object]
    is_open: Callable[[Item], bool] = lambda item: True
    columns: tuple[Part, ...] = ()
    order: Callable[[Item], Any] = lambda item: 0

    def of(self, items: Iterable[Item], *, ordered: bool = True) -> "Listed[Item]":
        """Return these items in the order of the list, or in the order given."""
        return Listed(self, tuple(sorted(items, key=self.order) if ordered else items))

    def document(
        self, rows: Sequence[Any], headline: str, total: int | None = None, notes: Sequence = ()
    ) -> Document:
        """Return what is shown of the first rows of `total` (None: of all)."""
        hidden = (total or len(rows)) - len(rows)
        more = said("{n:,} more, not shown; --limit shows more.", n=hidden) if hidden else ""
        table = table_of(self.name, rows, self.columns)
        return Document(headline, (), (table,), (more, *notes))


@dataclass(frozen=True)
class Listed(Generic[Item]):
    """The items of a list in order."""

    list: WorkList[Item]
    items: tuple[Item, ...]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __getitem__(self, place: int) -> Item:
        return self.items[place]

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The name of each item, as a URL holds it."""
        return tuple(str(self.list.key(item)) for item in self.items)

    @property
    def left(self) -> int:
        """Number of open items."""
        return sum(map(self.list.is_open, self.items))

    def place(self, key: str | None) -> int:
        """Return the index of the item of that name, else of the first open one, else 0."""
        if key in self.keys:
            return self.keys.index(key)
        return next((n for n, item in enumerate(self) if self.list.is_open(item)), 0)


def seen_by(store: Store, name: str | None, item_ids: Iterable[int]) -> None:
    """Record, before a list is shown, that an annotator (None: unnamed) sees judges' grades."""
    who = graders.ensure_annotator(store, name).id if name else None
    grades.open_items(store, item_ids, who)
