"""Slots: what one step of the grading screen fills, as the screen names it.

A criterion version for a whole answer; a version and a unit for a part of it; a version and a list
of units for what is said of the list itself.
"""

from typing import NamedTuple

_LIST = "list"


class Slot(NamedTuple):
    """At most one of `unit_id` and `list_id` is given."""

    version: str
    unit_id: int | None = None
    list_id: int | None = None

    def text(self) -> str:
        """The slot as the screen and the browser hold it; `read` reads it back."""
        if self.list_id is not None:
            return f"{self.version}/{_LIST}/{self.list_id}"
        return self.version if self.unit_id is None else f"{self.version}/{self.unit_id}"


def read(text: str) -> Slot:
    """A slot from what the browser sent; one that it never had names no version that counts."""
    version, *rest = text.split("/")
    if len(rest) == 1 and _is_id(rest[0]):
        return Slot(version, unit_id=int(rest[0]))
    if len(rest) == 2 and rest[0] == _LIST and _is_id(rest[1]):
        return Slot(version, list_id=int(rest[1]))
    return Slot(version if not rest else text)


def _is_id(text: str) -> bool:
    """Whether it can be the number of a row."""
    return text.isdecimal() and len(text) < 19
