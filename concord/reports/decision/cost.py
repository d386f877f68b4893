"""Cost of a judge: USD per 1,000 answers, and seconds per answer.

Both come from its stored replies on the sheet's answers. Every reply counts, retries too, but only
the first of several repeats: production asks once. Where the grades came from a file there are no
replies, and the price is the one that a person stated last, if any. A price that is not known is
unknown, never 0; 0 is used only where it is known, as for a server on this machine. The simulated
judges of the sample have invented figures and say so.
"""

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from concord.judges.definition import stated_price
from concord.judges.definition.stated_price import Statement
from concord.messages import day, on_command_line, said
from concord.model import BASELINE, Grader, Sheet
from concord.reports.cells import written
from concord.reports.document import Column, Document, table_of
from concord.samples.simulated_prices import invented
from concord.store import graders, runs
from concord.store.database import Row, Store

ENOUGH_FOR_P95 = 20
FROM_FILE = said("the grades came from a file, so nothing was measured")
NOT_STATED = said(
    "the grades came from a file, so nothing was measured; state a price per 1,000 answers on the "
    "screen Judges{on_command_line}",
    on_command_line=on_command_line("`graders --price NAME=USD`"),
)
NO_PRICE = said("the price of its model is unknown")
NO_TIME = said("no reply has a response time")
DELETED = said("it was deleted")
NO_TIME_OF_ITS_OWN = said("it combines stored grades, whose members are timed")


class Cost(NamedTuple):
    """Cost and duration of a judge.

    Attributes:
        per_1000: USD per 1,000 answers; None where unknown, 0 only where known to be free.
        why_none: Why it is unknown; None where it is known.
        answers: Number of answers it is based on.
        unpriced: Number of answers left out because a reply has no known price.
        seconds: Median seconds per answer, all of its calls added up; None where unknown.
        seconds_p95: 95th percentile; None below 20 answers.
        why_no_seconds: Why the seconds are unknown; None where they are known.
        simulated: True for made-up values.
        stated_on: The day a person stated the price, which was not measured; None where it was.
        stated_by: Who stated it.
    """

    per_1000: float | None = None
    why_none: str | None = None
    answers: int = 0
    unpriced: int = 0
    seconds: float | None = None
    seconds_p95: float | None = None
    why_no_seconds: str | None = None
    simulated: bool = False
    stated_on: str | None = None
    stated_by: str | None = None

    def words(self) -> str:
        """The price in words, as `$21.50 per 1,000 answers (simulated)` or `an unknown price`."""
        if self.per_1000 is None:
            return "an unknown price"
        price = "free"
        if self.per_1000:
            price = said("{price} per 1,000 answers", price=dollars(self.per_1000))
        if self.stated_on:
            return said("{price} (stated on {day})", price=price, day=day(self.stated_on))
        return said("{price} (simulated)", price=price) if self.simulated else price


def costs(store: Store, sheet: Sheet, judges: Iterable[Grader]) -> dict[int, Cost]:
    """The cost of each judge on a sheet, by grader id."""
    return {judge.id: cost(store, sheet, judge) for judge in judges}


def stated_prices(
    store: Store, sheet: Sheet, judges: Iterable[Grader]
) -> dict[int, tuple[str, float | None]]:
    """The day and the price that a person stated, by grader id, of judges with one."""
    priced = costs(store, sheet, filter(stated_price.stated, judges))
    return {i: (one.stated_on, one.per_1000) for i, one in priced.items() if one.stated_on}


def cost(store: Store, sheet: Sheet, judge: Grader) -> Cost:
    """The cost of one judge on a sheet; of a combined one the sum of its members'."""
    members = judge.definition.get("members")
    if members:
        return _summed(store, sheet, members)
    if judge.simulated:
        return _invented(judge)
    if judge.name == BASELINE:
        return Cost(0.0, why_no_seconds="it runs on this machine and is not timed")
    answers = runs.charges(store, judge.id, sheet.id)
    if not answers:
        return _stated(judge)
    return _measured(answers)


def _summed(store: Store, sheet: Sheet, members: Sequence[str]) -> Cost:
    """The cost of asking all members, by their labels; unknown if that of one is."""
    found = {}
    for label in members:
        known = [graders.find(store, kind, label) for kind in ("judge", "metric")]
        member = next((one for one in known if one), None)
        found[label] = cost(store, sheet, member) if member else Cost(why_none=DELETED)
    costs = list(found.values())
    unknown = next((label for label, one in found.items() if one.per_1000 is None), None)
    stated = min((one for one in costs if one.stated_on), key=attrgetter("stated_on"), default=None)
    return Cost(
        per_1000=None if unknown else sum(one.per_1000 for one in costs),
        why_none=unknown and said("the price of its member {judge} is unknown", judge=unknown),
        answers=min(one.answers for one in costs),
        unpriced=max(one.unpriced for one in costs),
        why_no_seconds=NO_TIME_OF_ITS_OWN,
        simulated=any(one.simulated for one in costs),
        stated_on=stated and stated.stated_on,
        stated_by=stated and stated.stated_by,
    )


def dollars(value: float) -> str:
    """An amount with cents, or where that would be nothing with two figures that count."""
    return written(value, "usd")


def _measured(answers: list[Row]) -> Cost:
    priced = [row["cost"] for row in answers if not row["unpriced"]]
    timed = [row["seconds"] for row in answers if row["seconds"] is not None]
    enough = len(timed) >= ENOUGH_FOR_P95
    return Cost(
        per_1000=1000 * sum(priced) / len(priced) if priced else None,
        why_none=None if priced else NO_PRICE,
        answers=len(priced),
        unpriced=len(answers) - len(priced),
        seconds=float(np.median(timed)) if timed else None,
        seconds_p95=float(np.quantile(timed, 0.95)) if enough else None,
        why_no_seconds=None if timed else NO_TIME,
    )


def _stated(judge: Grader) -> Cost:
    """Return the stated price; unknown, with the remedy, where none was stated."""
    found = stated_price.stated(judge)
    if found is None or found.usd is None:
        return Cost(why_none=NOT_STATED, why_no_seconds=FROM_FILE)
    return Cost(float(found.usd), why_no_seconds=FROM_FILE, stated_on=found.on, stated_by=found.by)


def _invented(judge: Grader) -> Cost:
    found = invented(judge.name)
    if found is None:
        why = "it is simulated and has no simulated price or response time"
        return Cost(why_none=why, why_no_seconds=why, simulated=True)
    return Cost(
        found.usd_per_1000,
        seconds=found.seconds,
        seconds_p95=found.seconds_p95,
        simulated=True,
    )


def document(found: Sequence[Statement]) -> Document:
    """Return the price that counts, and every statement; `found` is oldest first."""
    newest = found[-1] if found else None
    parts = (
        (Column("per 1,000", "usd"), "usd"),
        (Column("stated on"), "on"),
        (Column("by"), "by"),
        (Column("tokens in", "count"), lambda one: one.tokens and int(one.tokens.input)),
        (Column("tokens out", "count"), lambda one: one.tokens and int(one.tokens.output)),
        (Column("model"), lambda one: one.tokens and one.tokens.model),
        (Column("price from"), "price"),
    )
    table = table_of("stated-prices", reversed(found), parts, sparse=True)
    if newest is None or newest.usd is None:
        return Document(
            "Price per 1,000 answers: unknown",
            (
                (
                    "The grades of this judge were imported. Without a price it cannot be the "
                    "cheapest that is good enough."
                ),
            ),
            (table,),
        )
    return Document(
        said("Price per 1,000 answers: {price}", price=written(newest.usd, "usd")),
        tables=(table,),
        notes=("Stated, not measured.",),
    )
