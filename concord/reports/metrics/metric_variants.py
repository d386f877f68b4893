"""Metric variants: a metric's values under other choices of its switches, from stored results.

Most are stored as parts of the value; the rest is recomputed from stored verdicts, at no cost.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from concord import metrics
from concord.judges.definition.registry import stored
from concord.judges.metric_results import StoredResults
from concord.judges.prompting.metric_request import NOT_ASKED, Undefined
from concord.messages import Problem
from concord.metrics.framework.metric import Metric, Outcome, missing_inputs
from concord.metrics.prompts.inputs import Inputs
from concord.metrics.selection import checked
from concord.model import Unit, Verdict
from concord.reports.metrics.metric_records import LIST_EDITED, Readings, Record
from concord.rubrics.model import Rubric
from concord.store import graders, items
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

Switches = Mapping[str, Mapping[str, str]]

# Flags that come and go with the reading.
_OF_READING = {"no_relevant", "duplicates", "duplicates_folded"}


def parse(stated: Iterable[str]) -> dict[str, dict[str, str]]:
    """Choices by metric and switch, from texts like `faithfulness.support=lenient`.

    Raises:
        Problem: A text is not of that form, or names a metric, switch or choice there is not.
    """
    found: dict[str, dict[str, str]] = {}
    for one in stated:
        place, equals, choice = one.partition("=")
        name, dot, switch = place.partition(".")
        if not (equals and dot):
            raise Problem("“{one}” is not of the form METRIC.SWITCH=CHOICE.", one=one)
        found.setdefault(name.strip(), {})[switch.strip()] = choice.strip()
    return checked(found)


def under(store: Store, found: Readings, switches: Switches) -> Readings:
    """The readings with some metrics under other choices; what is not said stays as it is."""
    by_group: dict[tuple, list[Record]] = {}
    records = [one for one in found.records if one.metric not in switches]
    for one in found.records:
        if one.metric in switches:
            key = one.grader_id, one.metric, tuple(sorted(one.switches.items())), one.repeat
            by_group.setdefault(key, []).append(one)
    changed: dict[tuple, Record] = {}
    for same in by_group.values():
        for one in _changed(store, same, switches[same[0].metric]):
            changed[one.grader_id, one.metric, one.item_id, one.repeat] = one
    return found._replace(records=records + list(changed.values()))


def _changed(store: Store, same: list[Record], changes: Mapping[str, str]) -> list[Record]:
    """Records of one grader, metric, reading and repeat under other choices."""
    first = same[0]
    switches = {**first.switches, **changes}
    differ = [name for name, choice in switches.items() if first.switches.get(name) != choice]
    if not differ:
        return same
    part = switches[differ[0]] if len(differ) == 1 else ""
    # Another reading may change the caveats too, not only the value.
    again = [
        one.item_id
        for one in same
        if one.status not in ("missing_input", LIST_EDITED)
        and (not one.parts.get(part) or _OF_READING & {*one.flags})
    ]
    metric = metrics.named(first.metric)
    outcomes = replayed(store, metric, again, first.grader_id, switches, first.repeat)
    made = []
    for one in same:
        value, found = one.parts.get(part), outcomes.get(one.item_id)
        if found and (found.status != NOT_ASKED or value is None):
            one = one._replace(**found._asdict())
        elif value is not None:
            one = one._replace(value=value, reason="")
        made.append(one._replace(switches=switches))
    return made


# The metric's own function runs again, in a session that sends no requests.
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

    by_labels = grader.kind == "person"

    async def outcome(item_id: int) -> Outcome:
        item = items.item(store, item_id).item
        if lacks := missing_inputs(metric, item):
            why = f"It has {' and '.join(lacks)}."
            return Outcome(None, "missing_input", why)
        session = _Replay(rubrics, store, item_id, grader_id, repeat, embedding)
        try:
            return await metric.metric(item, Inputs(item, session, chosen, by_labels))
        except Undefined as error:
            return Outcome(None, error.status, error.reason)

    async def outcomes() -> dict[int, Outcome]:
        return {item_id: await outcome(item_id) for item_id in item_ids}

    return asyncio.run(outcomes())
