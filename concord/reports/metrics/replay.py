"""Replay: measures found again from what is stored, at no cost.

By a judge's verdicts under other switches, or by an annotator's labels on the same units: the same
function of the measure runs at a desk that asks nobody.
"""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

from concord.judges.definition.registry import stored
from concord.judges.metric_runs.stored_session import Known
from concord.judges.metric_runs.undefined import Unmeasured
from concord.messages import joined, said
from concord.metrics.framework.metric import Measure, Outcome, lacking
from concord.metrics.prompts.inputs import Hand
from concord.store import graders, items
from concord.store.database import Store


def replayed(
    store: Store,
    measure: Measure,
    item_ids: Iterable[int],
    grader_id: int,
    switches: Mapping[str, str] | None = None,
    repeat: int = 1,
) -> dict[int, Outcome]:
    """What a measure comes to for each item by what one grader has said.

    Args:
        store: The open store.
        measure: The measure.
        item_ids: The items.
        grader_id: A judge for measures, or an annotator who labelled units.
        switches: The reading; the first choice of each switch where nothing is said.
        repeat: Which of the grader's verdicts.

    Returns:
        An outcome for every item; status `failed` with the reason where something that the number
        rests on was never asked or labelled.
    """
    chosen = measure.chosen(switches or {})
    grader = graders.get(store, grader_id)
    judge = stored(grader)
    embedding = judge.embedding.identity() if judge and judge.embedding else ""

    async def all_of_them() -> dict[int, Outcome]:
        found = {}
        for item_id in item_ids:
            desk = Known(store, item_id, grader_id, repeat, embedding, grader.kind)
            found[item_id] = await _replayed(store, measure, chosen, desk, grader.kind == "person")
        return found

    return asyncio.run(all_of_them())


async def _replayed(
    store: Store, measure: Measure, switches: Mapping[str, str], desk: Any, by_labels: bool
) -> Outcome:
    item = items.item(store, desk.item_id).item
    lacks = lacking(measure, item)
    if lacks:
        return Outcome(None, "missing_input", said("It has {lacks}.", lacks=joined(" and ", lacks)))
    try:
        return await measure.measure(item, Hand(item, desk, switches, by_labels))
    except Unmeasured as error:
        return Outcome(None, error.status, error.reason)
