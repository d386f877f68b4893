"""Metric words: the words that metrics keep as screens say them, and caveats of a mean."""

from collections import Counter
from collections.abc import Sequence

from concord import metrics
from concord.language.grade_statuses import status_words
from concord.messages import said
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
    """Return sentences on the records of one metric: a fixed k, and flags with their counts."""
    scored = [one for one in records if one.value is not None]
    flags = Counter(flag for one in scored for flag in one.flags)
    found = [f"{word(flag)}: {n:,} of {len(scored):,}" for flag, n in flags.most_common()]
    sizes = {one.units for one in scored}
    if len(scored) > 1 and scored[0].metric in OF_RETRIEVED and len(sizes) == 1:
        words = "Fixed k: {size:,} are retrieved each time. Read it together with recall."
        found.insert(0, said(words, size=sizes.pop()))
    return found


def left_out(records: Sequence[Record], items: int) -> list[str]:
    """Return why answers have no value, each reason with its count, most frequent first."""
    whys = Counter((one.status, one.reason) for one in records if one.value is None)
    rest = items - len(records)
    return [
        said("{n:,} {status}: {why}", n=n, status=status_words(status), why=why)
        for (status, why), n in whys.most_common()
    ] + ([f"{rest:,} not requested yet"] if rest else [])
