"""What the kinds of entries have in common: what they can be restricted by, and their list."""

from collections.abc import Mapping
from typing import ClassVar, NamedTuple

from concord.messages import Said
from concord.model import Sheet
from concord.store.database import Store
from concord.ui.components.review_list import Source


class Chosen(NamedTuple):
    """The filters that all kinds share; None for no restriction.

    Attributes:
        criterion: A criterion of the rubric, or a rubric of units, by name.
        judge: A judge's label.
        model: An answering model.
        found: The answers that hold the words searched for.
    """

    criterion: str | None = None
    judge: str | None = None
    model: str | None = None
    found: set[int] | None = None


class Kind:
    """The entries of one kind on a sheet.

    Attributes:
        name: The kind in the URL.
        title: What the screen calls it.
        is_read: True where nothing is decided of an entry.
        criterion: What entries are about: a name in the URL -> its words.
        judge: Whose grades they are: a label -> its words.
        first: The criterion and the judge to begin with where no other kind is shown.
        params: What its own filters are called in the URL.
        total: How many entries pass the filters.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    is_read: ClassVar[bool] = False
    criterion: Mapping[str, str]
    judge: Mapping[str, str]
    first: Mapping[str, str | None] = {}
    params: tuple[str, ...] = ()
    total = 0

    def __init__(self, store: Store, sheet: Sheet):
        raise NotImplementedError

    @staticmethod
    def is_on(store: Store, sheet: Sheet) -> bool:
        """Return True where a sheet has what entries are made of."""
        raise NotImplementedError

    def is_missing(self) -> bool:
        """Return True where there is nothing to find entries in."""
        raise NotImplementedError

    def lead_on(self) -> None:
        """Show what is missing, and lead to it."""
        raise NotImplementedError

    def own_filters(self, chosen: Chosen) -> bool:
        """Show the filters that no other kind has; return True where one restricts the list."""
        return False

    def narrow(self, chosen: Chosen) -> None:
        """Find the entries that pass the filters."""
        raise NotImplementedError

    def source(self, store: Store) -> Source:
        """Return these entries as they are now."""
        raise NotImplementedError

    def counted(self) -> Said:
        """Return how many entries pass the filters, as in “35 disagreements”."""
        raise NotImplementedError

    def headline(self) -> tuple[str, str]:
        """Return what these entries say, and the line below it."""
        raise NotImplementedError
