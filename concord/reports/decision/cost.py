"""Cost of a judge: USD per 1,000 answers, and seconds per answer.

Both come from its stored replies on the sheet's answers. Every reply counts, retries too, but only
the first of several repeats: production asks once. Where the grades came from a file there are no
replies, and the price is the one that a person stated last, if any. A price that is not known is
unknown, never 0; 0 is used only where it is known, as for a server on this machine. The simulated
judges of the sample have invented figures and say so.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from concord.judges.definition import stated_price
from concord.judges.definition.stated_price import Statement
from concord.messages import on_command_line, said
from concord.model import BASELINE, Grader, Sheet
from concord.reports.cells import written
from concord.reports.document import Document
from concord.samples.simulated_prices import invented
from concord.store import graders, runs
from concord.store.database import Store

NOT_STATED = said(
    "the grades came from a file, so nothing was measured; state a price per 1,000 answers on the "
    "screen Judges{on_command_line}",
    on_command_line=on_command_line("`graders --price NAME=USD`"),
)
NO_PRICE = "the price of its model is unknown"


class Cost(NamedTuple):
    """Cost and duration of a judge.

    Attributes:
        per_1000: USD per 1,000 answers; None where unknown, 0 only where known to be free.
        why_none: Why it is unknown; None where it is known.
        seconds: Median seconds per answer, all of its calls added up; None where unknown.
        stated_on: The day a person stated the price, which was not measured; None where it was.
        simulated: True for made-up values.
    """

    per_1000: float | None = None
    why_none: str | None = None
    seconds: float | None = None
    stated_on: str | None = None
    simulated: bool = False


def costs(store: Store, sheet: Sheet, judges: Iterable[Grader]) -> dict[int, Cost]:
    """The cost of each judge on a sheet, by grader id."""
    return {judge.id: cost(store, sheet, judge) for judge in judges}


def cost(store: Store, sheet: Sheet, judge: Grader) -> Cost:
    """The cost of one judge on a sheet; of a combined one the sum of its members'."""
    members = judge.definition.get("members")
    if members:
        return _summed(store, sheet, members)
    if judge.simulated:
        made = invented(judge.name)
        if made is None:
            return Cost(why_none="it is simulated and has no simulated price", simulated=True)
        return Cost(made.usd_per_1000, seconds=made.seconds, simulated=True)
    if judge.name == BASELINE:
        return Cost(0.0)
    answers = runs.charges(store, judge.id, sheet.id)
    if not answers:
        found = stated_price.stated(judge)
        if found is None:
            return Cost(why_none=NOT_STATED)
        return Cost(float(found.usd), stated_on=found.on)
    priced = [row["cost"] for row in answers if not row["unpriced"]]
    timed = [row["seconds"] for row in answers if row["seconds"] is not None]
    return Cost(
        1000 * sum(priced) / len(priced) if priced else None,
        None if priced else NO_PRICE,
        float(np.median(timed)) if timed else None,
    )


def _summed(store: Store, sheet: Sheet, members: Sequence[str]) -> Cost:
    """The cost of asking all members, by their labels; unknown if that of one is."""
    found = {}
    for label in members:
        member = graders.find(store, "judge", label) or graders.find(store, "metric", label)
        found[label] = cost(store, sheet, member) if member else Cost()
    unknown = next((label for label, one in found.items() if one.per_1000 is None), None)
    return Cost(
        None if unknown else sum(one.per_1000 for one in found.values()),
        unknown and said("the price of its member {judge} is unknown", judge=unknown),
        stated_on=min((one.stated_on for one in found.values() if one.stated_on), default=None),
        simulated=any(one.simulated for one in found.values()),
    )


def dollars(value: float) -> str:
    """An amount with cents, or where that would be nothing with two figures that count."""
    return written(value, "usd")


def document(found: Statement | None) -> Document:
    """Return the price that a person stated last, and when."""
    if found is None:
        return Document("Price per 1,000 answers: unknown")
    return Document(f"Price per 1,000 answers: {dollars(found.usd)} (stated {found.on})")
