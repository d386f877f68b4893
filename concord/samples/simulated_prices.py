"""The invented prices and times of the sample's simulated judges."""

import tomllib
from functools import cache
from typing import NamedTuple

from concord.resources import SAMPLES

FILE = SAMPLES / "prices.toml"


class Invented(NamedTuple):
    """USD per 1,000 answers and seconds per answer (median, 95th percentile), all made up."""

    usd_per_1000: float
    seconds: float
    seconds_p95: float


def invented(name: str) -> Invented | None:
    """Return the made-up prices of the simulated judge of that name; None for any other."""
    found = _table().get(name)
    return Invented(**found) if found else None


@cache
def _table() -> dict:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))
