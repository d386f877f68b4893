"""Preview: every request that a judge's measures would send about an item, to be read."""

import asyncio
from typing import NamedTuple

from concord.judges.metric_runs import metric_request
from concord.judges.metric_runs.job import MeasureJob
from concord.judges.metric_runs.rehearsal import Rehearsal, rehearsed
from concord.model import Item


class Sent(NamedTuple):
    """One request: what it is for, and its messages. Parts that a model finds are made up."""

    name: str
    messages: list[dict[str, str]]


def requests(job: MeasureJob, item: Item) -> list[Sent]:
    """What would be asked about an item of which nothing is known yet."""
    able = [measure for measure in job.measures if not measure.lacks(item)]
    found = asyncio.run(rehearsed(able, item, Rehearsal()))
    return [Sent(ask.name, metric_request.body(job.judge, ask)["messages"]) for ask in found.asks]
