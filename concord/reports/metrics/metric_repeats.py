"""Metric repeats: variation of a judge's values between repeats."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from concord.reports.document import FLAT
from concord.reports.metrics.metric_mean import indexed
from concord.reports.metrics.metric_records import Record
from concord.reports.metrics.metrics import MetricValues
from concord.stats.reliability.metric_repeatability import AskedAgain, asked_again


@dataclass(frozen=True)
class Repeats:
    """How the repeats of a metric by one judge differ.

    `partly` is how many answers have a value in some repeats and none in others.
    """

    again: AskedAgain = field(metadata=FLAT)
    partly: int


def of(records: Sequence[Record], row: MetricValues) -> Repeats | None:
    """Return how the repeats behind a row differ; None where no answer has two values."""
    place = row.judge, row.version
    mine = [one for one in records if (one.judge, one.version) == place]
    scored = [one for one in mine if one.value is not None]
    found = asked_again(
        indexed(one.item_id for one in scored),
        np.array([one.repeat for one in scored], np.int64),
        np.array([one.value for one in scored], float),
    )
    if found is None:
        return None
    has = {one.item_id for one in scored}
    return Repeats(found, len({one.item_id for one in mine if one.value is None} & has))
