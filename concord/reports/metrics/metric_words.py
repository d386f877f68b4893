"""Metric words: the words that metrics keep as screens say them, and caveats of a mean."""

from collections import Counter
from collections.abc import Sequence

from concord import metrics
from concord.language.grade_statuses import status_words
from concord.messages import counted, said
from concord.reports.metrics.metric_records import Record


def word(stored: str) -> str:
    """Return a switch, choice, flag or part in words."""
    return stored.replace("_", " ")


def better(metric: str) -> str:
    """Return `higher` or `lower`, the better direction of a metric; '' where its file is gone."""
    found = metrics.available().get(metric)
    return found.better if found else ""


# The share of what was retrieved that is right says nothing where always as many are retrieved.
OF_RETRIEVED = ("document_precision", "context_precision_by_ids", "document_f1")


def notes(records: Sequence[Record]) -> list[str]:
    """Return sentences on the records of one metric: flags, and what a mean hides."""
    scored = [one for one in records if one.value is not None]
    return [*_fixed(scored), *_flagged(scored)]


def left_out(records: Sequence[Record], items: int) -> list[str]:
    """Return why answers have no value, each reason with its count, most frequent first."""
    whys = Counter((one.status, one.reason) for one in records if one.value is None)
    rest = items - len(records)
    return [
        said("{n:,} {status}: {why}", n=n, status=status_words(status), why=why)
        for (status, why), n in whys.most_common()
    ] + ([said("{n:,} not requested yet", n=rest)] if rest else [])


def _fixed(scored: Sequence[Record]) -> list[str]:
    sizes = {one.units for one in scored}
    if not scored or scored[0].metric not in OF_RETRIEVED or len(sizes) > 1 or len(scored) < 2:
        return []
    size = sizes.pop()
    return [
        said(
            "Fixed k: {size:,} are retrieved each time, regardless of how many are relevant, so "
            "this cannot distinguish retrievers by how much they return. Read it together with "
            "recall.",
            size=size,
        )
    ]


def _flagged(scored: Sequence[Record]) -> list[str]:
    flags = Counter(flag for one in scored for flag in one.flags)
    return [
        said(
            "{flag}: {n:,} of {answers}.",
            flag=word(flag),
            n=n,
            answers=counted(len(scored), "answer"),
        )
        for flag, n in flags.most_common()
    ]
