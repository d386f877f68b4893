"""Replay: metrics recomputed from stored results, without API calls.

From a judge's verdicts under other switches, or from an annotator's labels of the same units: the
metric's own function runs in a session that sends no requests.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from concord.judges.definition.registry import stored
from concord.judges.metric_runs.stored_session import StoredResults
from concord.judges.metric_runs.undefined import Undefined
from concord.messages import joined, said
from concord.metrics.framework.metric import Metric, Outcome, missing_inputs
from concord.metrics.prompts.inputs import Inputs
from concord.model import Unit, Verdict
from concord.rubrics.model import Rubric
from concord.store import graders, items
from concord.store.database import Store
from concord.store.rubrics import rubric_versions


class _Replay(StoredResults):
    """Stored results, with verdicts under the wordings that have grades in this database."""

    def __init__(self, rubrics: Mapping[str, Rubric], *of: Any):
        super().__init__(*of)
        self._rubrics = rubrics

    def verdicts(self, rubric: Rubric, units: Sequence[Unit]) -> Mapping[int, Verdict]:
        """The grader's verdicts on units, by unit id."""
        return super().verdicts(self._rubrics[rubric.name], units)


def replayed(
    store: Store,
    metric: Metric,
    item_ids: Iterable[int],
    grader_id: int,
    switches: Mapping[str, str] | None = None,
    repeat: int = 1,
) -> dict[int, Outcome]:
    """Return a metric's outcome for each item from one grader's stored results.

    `grader_id` is a judge for metrics, or an annotator who labelled units; `switches` are the
    reading, the first choice of each by default.

    Returns:
        An outcome for every item; status `failed` with the reason where a required reply or label
        is missing.
    """
    chosen = metric.chosen(switches or {})
    grader = graders.get(store, grader_id)
    judge = stored(grader)
    embedding = judge.embedding.identity() if judge and judge.embedding else ""
    rubrics = rubric_versions.of_parts(store)

    async def all_of_them() -> dict[int, Outcome]:
        found = {}
        for item_id in item_ids:
            session = _Replay(rubrics, store, item_id, grader_id, repeat, embedding, grader.kind)
            found[item_id] = await _replayed(
                store, metric, chosen, session, grader.kind == "person"
            )
        return found

    return asyncio.run(all_of_them())


async def _replayed(
    store: Store, metric: Metric, switches: Mapping[str, str], session: Any, by_labels: bool
) -> Outcome:
    item = items.item(store, session.item_id).item
    lacks = missing_inputs(metric, item)
    if lacks:
        return Outcome(None, "missing_input", said("It has {lacks}.", lacks=joined(" and ", lacks)))
    try:
        return await metric.metric(item, Inputs(item, session, switches, by_labels))
    except Undefined as error:
        return Outcome(None, error.status, error.reason)
