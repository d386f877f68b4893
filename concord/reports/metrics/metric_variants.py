"""Metric variants: a metric's values under other choices of its switches, from stored results.

Most are stored as parts of the value; the rest is recomputed from stored verdicts, at no cost.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from concord import metrics
from concord.judges.metric_runs.undefined import NOT_ASKED
from concord.messages import Problem
from concord.metrics.framework.metric import Metric
from concord.metrics.selection import checked
from concord.reports.metrics.metric_records import LIST_EDITED, Readings, Record
from concord.reports.metrics.replay import replayed
from concord.store.database import Store

Switches = Mapping[str, Mapping[str, str]]

# Flags that come and go with the reading.
OF_READING = {"no_relevant", "duplicates", "duplicates_folded"}


def parse(said: Iterable[str]) -> dict[str, dict[str, str]]:
    """Choices by metric and switch, from texts like `faithfulness.support=lenient`.

    Raises:
        Problem: A text is not of that form, or names a metric, switch or choice there is not.
    """
    found: dict[str, dict[str, str]] = {}
    for one in said:
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


class Other(NamedTuple):
    """Value under another reading; None where undefined, or never `asked`."""

    value: float | None
    asked: bool = True


def each(store: Store, record: Record) -> dict[tuple[str, str], Other]:
    """Return the value under every other choice of each switch, by (switch, choice).

    The other switches stay as they are.
    """
    metric = metrics.available().get(record.metric)
    said = metric.chosen(record.switches) if metric else {}
    found = {}
    for switch in metric.switches if metric else ():
        for choice in switch.choices:
            if choice != said[switch.name]:
                [other] = _changed(store, [record], {switch.name: choice})
                asked = other.status != NOT_ASKED
                found[switch.name, choice] = Other(other.value, asked)
    return found


def _changed(store: Store, same: list[Record], said: Mapping[str, str]) -> list[Record]:
    """Records of one grader, metric, reading and repeat under other choices."""
    first = same[0]
    switches = {**first.switches, **said}
    differ = [name for name, choice in switches.items() if first.switches.get(name) != choice]
    if not differ:
        return same
    alternative = switches[differ[0]] if len(differ) == 1 else None
    stored = {
        one.item_id: one._replace(value=one.parts[alternative], switches=switches, reason="")
        for one in same
        if one.parts.get(alternative) is not None
    }
    left = [one for one in same if one.item_id not in stored or _is_flagged_anew(one, alternative)]
    again = _found_again(store, metrics.named(first.metric), left, switches)
    known = {i: one for i, one in again.items() if one.status != NOT_ASKED or i not in stored}
    return [{**stored, **known}[one.item_id] for one in same]


def _is_flagged_anew(one: Record, alternative: str) -> bool:
    """True where another reading may change the caveats, not only the value."""
    return bool(OF_READING & {*one.flags}) or not one.parts[alternative]


def _found_again(
    store: Store, metric: Metric, records: list[Record], switches: Mapping[str, str]
) -> dict[int, Record]:
    """Records by item id, as the stored verdicts give them under other switches."""
    if not records:
        return {}
    ids = [one.item_id for one in records if one.status not in ("missing_input", LIST_EDITED)]
    outcomes = replayed(store, metric, ids, records[0].grader_id, switches, records[0].repeat)
    made = {}
    for one in records:
        found = outcomes.get(one.item_id)
        if found is None:
            made[one.item_id] = one._replace(switches=switches)
            continue
        made[one.item_id] = one._replace(
            switches=switches,
            value=found.value,
            status=found.status,
            reason=found.reason,
            parts=dict(found.parts),
            flags=tuple(found.flags),
            units=found.units,
        )
    return made
