"""Metric repeats: how far a judge's numbers move when it is asked everything once more."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from concord.messages import counted, joined, said
from concord.reports.metrics.metric_mean import indexed
from concord.reports.metrics.metric_records import Record
from concord.stats.reliability.metric_repeatability import asked_again


def of(records: Sequence[Record], row: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the repeatability of one row of the report; None without repeats.

    Returns:
        `answers`, `repeats`, `moved`, `sd` and `means` as in `metric_repeatability`, and `partly`:
        the number of answers with a value in only some repeats.
    """
    place = row["judge"], row["version"]
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
    partly = len({one.item_id for one in mine if one.value is None} & has)
    return {**found._asdict(), "means": list(found.means), "partly": partly}


def sentence(found: Mapping[str, Any]) -> str:
    """The same in words."""
    told = [
        said(
            "Asked up to {times} times: the number of {moved:,} of {answers} moved, by a standard "
            "deviation of {sd:.3f} within an answer.",
            times=found["repeats"],
            moved=found["moved"],
            answers=counted(found["answers"], "answer"),
            sd=found["sd"],
        )
    ]
    if found["means"]:
        means = ", ".join(f"{mean:.3f}" for mean in found["means"])
        told.append(said("Means of the repeats: {means}.", means=means))
    if found["partly"]:
        answers = counted(found["partly"], "answer")
        told.append(said("{answers} had a number in some repeats only.", answers=answers))
    return joined(" ", told)
