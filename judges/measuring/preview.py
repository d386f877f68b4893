"""Preview: every request that a judge's measures would send about an item, to be read."""

import asyncio
from typing import NamedTuple

from data.model import Item
from judges.measuring import question
from judges.measuring.job import MeasureJob
from judges.measuring.rehearsal import Rehearsal, rehearsed


class Sent(NamedTuple):
    """One request: what it is for, and its messages. Parts that a model finds are made up."""

    name: str
    messages: list[dict[str, str]]


def requests(job: MeasureJob, item: Item) -> list[Sent]:
    """What would be asked about an item of which nothing is known yet."""
    able = [measure for measure in job.measures if not measure.lacks(item)]
    found = asyncio.run(rehearsed(able, item, Rehearsal()))
    return [Sent(ask.name, question.body(job.judge, ask)["messages"]) for ask in found.asks]
