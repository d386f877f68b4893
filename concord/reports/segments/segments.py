"""Segments: disjoint sets of questions, by a column of one sheet or one per sheet."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from concord.messages import Problem, counted, joined, said
from concord.model import Item, Sheet
from concord.reports.metrics import metric_records
from concord.reports.metrics.metric_records import Record
from concord.reports.segments import segment_column
from concord.reports.segments.segment_column import CLUSTER
from concord.store import items as store_items
from concord.store.database import Store
from concord.text.normal_form import normalised

COLUMN = "set"
SEVERAL = range(2, 13)
HOW = said(
    "Give the sheet a column “set” that names the segment of each question, or import each "
    "segment as a separate sheet and name the others."
)


class QuestionSet(NamedTuple):
    """A set of questions: its name, its size, and the metric values there.

    `records` hold, as cluster, what resampling draws; `closed` counts answers in no figure.
    """

    name: str
    items: int
    questions: int
    records: list[Record]
    closed: int


class Sets(NamedTuple):
    """The segments of an analysis, the topic first, and the caveats of how they were formed."""

    by: str
    sets: list[QuestionSet]
    caveats: tuple[str, ...]


def of_sheets(store: Store, every: Sequence[Sheet]) -> Sets:
    """Return each sheet as a segment; the first is the topic."""
    if len({sheet.id for sheet in every}) < len(every):
        raise Problem("A sheet is named twice. Name different sheets: each is one segment.")
    found = []
    told: dict[str, dict[str, str]] = {}
    for sheet in every:
        readings = metric_records.read(store, sheet)
        items = _items(store, sheet)
        told[sheet.name] = {normalised(one.question): one.question for one in items.values()}
        found.append(
            QuestionSet(sheet.name, len(items), sheet.questions, readings.records, readings.closed)
        )
    _share_no_question(told)
    return Sets("sheet", found, tuple(_closed(sum(one.closed for one in found))))


def of_column(store: Store, sheet: Sheet, column: str = COLUMN, topic: str | None = None) -> Sets:
    """Return the segments that a column of the sheet names, the topic first.

    `column` is one of the sheet, or a field of an answer (`segment_column.FIELDS`); `topic` is by
    default the segment of the first answer.

    Raises:
        Problem: No answer has that column, or a question is in two sets.
    """
    items = _items(store, sheet)
    named = segment_column.read(store, sheet, column).segments
    names = list(dict.fromkeys(name for name in named.values() if name))
    if not names:
        missing = said(
            "No answer of the sheet {sheet} has a column “{column}”.",
            sheet=sheet.name,
            column=column,
        )
        raise Problem(joined(" ", [missing, HOW]))
    _share_no_question(
        {
            name: {one.question_key: one.question for i, one in items.items() if named[i] == name}
            for name in names
        }
    )
    readings = metric_records.read(store, sheet)
    by_set: dict[str, list[Record]] = {name: [] for name in names}
    for record in readings.records:
        if named[record.item_id]:
            if column == CLUSTER:
                record = record._replace(cluster=record.question_id)
            by_set[named[record.item_id]].append(record)
    found = Sets(
        column,
        [_set(name, items, named, by_set[name]) for name in names],
        tuple(_caveats(sheet, named, by_set, readings.closed)),
    )
    return found if topic is None else with_topic(found, topic)


def with_topic(found: Sets, topic: str) -> Sets:
    """Return the same segments with another topic, which comes first."""
    names = [one.name for one in found.sets]
    if topic not in names:
        raise Problem(
            "There is no segment “{set}”. Available: {sets}.", set=topic, sets=joined(", ", names)
        )
    return found._replace(sets=sorted(found.sets, key=lambda one: one.name != topic))


def columns(store: Store, sheet: Sheet) -> list[str]:
    """Return the columns by which every question is in one of two to twelve segments.

    `set` comes first, even if a question is in several: its name declares the intent.
    """
    items = _items(store, sheet)
    several = []
    for column in segment_column.columns(store, sheet):
        named = segment_column.read(store, sheet, column).segments
        pairs = {(items[i].question_key, name) for i, name in named.items() if name}
        if pairs and (column == COLUMN or _parts(pairs)):
            several.append(column)
    return sorted(several, key=lambda column: (column != COLUMN, column))


def _parts(pairs: set[tuple[str, str]]) -> bool:
    """Tell if (question, segment) pairs put every question in one of a few segments."""
    questions, names = ({pair[place] for pair in pairs} for place in (0, 1))
    return len(questions) == len(pairs) and len(names) in SEVERAL


def _items(store: Store, sheet: Sheet) -> dict[int, Item]:
    ids = store_items.item_ids(store, sheet.id)
    return {stored.id: stored.item for stored in store_items.items(store, ids)}


def _share_no_question(told: Mapping[str, Mapping[str, str]]) -> None:
    """Refuse a question in two segments: its answers would be on both sides of the contrast."""
    seen: dict[str, str] = {}
    for name, questions in told.items():
        for key, text in questions.items():
            if key in seen:
                raise Problem(
                    "The question “{question}” is in the segments {one} and {other}. Every "
                    "question belongs to one segment: remove it from one of them.",
                    question=text,
                    one=seen[key],
                    other=name,
                )
            seen[key] = name


def _set(
    name: str, items: Mapping[int, Item], named: Mapping[int, str], records: list[Record]
) -> QuestionSet:
    own = [item for item_id, item in items.items() if named[item_id] == name]
    return QuestionSet(name, len(own), len({item.question_key for item in own}), records, 0)


def _caveats(
    sheet: Sheet, named: Mapping[int, str], by_set: Mapping[str, list[Record]], closed: int
) -> Iterable[str]:
    without = sum(not name for name in named.values())
    if without:
        answers = counted(sheet.items, "answer")
        yield said("In no segment: {n:,} of {answers}.", n=without, answers=answers)
    yield from _closed(closed)
    places: dict[str | int, set[str]] = {}
    for name, records in by_set.items():
        for record in records:
            places.setdefault(record.cluster, set()).add(name)
    both = sum(len(names) > 1 for names in places.values())
    if both:
        yield said(
            "With questions in more than one segment: {clusters}. The segments are less "
            "independent than the intervals assume.",
            clusters=counted(both, "cluster"),
        )


def narrowed(found: Sets, metrics: Sequence[str] = (), judge: str | None = None) -> Sets:
    """Return the segments with some metrics or one metric judge only.

    Raises:
        Problem: That metric or judge has no values in any of them.
    """
    records = [record for one in found.sets for record in one.records]
    _known(said("metric"), metrics, {record.metric for record in records})
    labels = {record.judge for record in records}
    judges = [name for name in labels if judge in (name, name.partition("@")[0])]
    _known(said("metric judge"), [judge] if judge and not judges else [], labels)
    sets = [
        one._replace(
            records=[
                record
                for record in one.records
                if (not metrics or record.metric in metrics)
                and (judge is None or record.judge in judges)
            ]
        )
        for one in found.sets
    ]
    return found._replace(sets=sets)


def _known(what: str, asked: Iterable[str], known: Iterable[str]) -> None:
    for name in asked:
        if name not in known:
            there = joined(", ", sorted(known)) or said("none")
            raise Problem(
                "No {what} “{name}” has values here. Available: {there}.",
                what=what,
                name=name,
                there=there,
            )


def _closed(count: int) -> Iterable[str]:
    if count:
        out = counted(count, "answer")
        yield said(
            "Excluded, as their questions are few-shot examples or held out: {answers}.",
            answers=out,
        )
