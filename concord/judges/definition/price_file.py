"""The user's price file: adding prices to it."""

import datetime
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path

from concord.judges.definition.prices import Price, load, own_file
from concord.rubrics.model import read_text
from concord.rubrics.rubric_toml import quoted


def append(prices: Iterable[Price]) -> Path:
    """Add prices at the end of the user's file, which is made if need be; return where it is."""
    path = own_file()
    before = ""
    if path.is_file():
        load(path)  # a file that is wrong is not made longer
        before = read_text(path).rstrip("\n") + "\n\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    written = path.with_name(f"{path.name}.new")
    written.write_text(before + "\n".join(map(as_toml, prices)), encoding="utf-8")
    written.replace(path)
    return path


def as_toml(price: Price) -> str:
    """Return the entry of a price file that reads as this price."""
    given = price.model_dump(exclude_defaults=True)
    lines = (f"{key} = {_value(value)}" for key, value in given.items())
    return "\n".join(["[[price]]", *lines]) + "\n"


def _value(value: str | bool | Decimal | datetime.date) -> str:
    """A value of a price file; numbers in full, since 1E+1 reads as another kind of number."""
    if isinstance(value, str):
        return quoted(value)
    return f"{value:f}" if isinstance(value, Decimal) else str(value).lower()
