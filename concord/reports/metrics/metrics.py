"""Metrics of a sheet: values by judge, and the same under other choices, at no cost."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from concord import metrics as concord_metrics
from concord.judges.definition.registry import stored
from concord.judges.metric_results import StoredResults
from concord.judges.prompting.metric_request import Undefined
from concord.messages import Problem, counted, joined
from concord.metrics.framework.metric import NEEDS, Metric, Outcome, missing_inputs
from concord.metrics.prompts.inputs import Inputs
from concord.metrics.selection import checked
from concord.model import Sheet, Unit, Verdict, status_words
from concord.reports.cells import UNDEFINED, reasons
from concord.reports.document import INTERNAL, Column, Document, Table, table_of
from concord.reports.metrics import metric_validity, vera_composite
from concord.reports.metrics.metric_records import (
    LIST_EDITED,
    Readings,
    Record,
    by_reading,
    figure,
    short,
    word,
)
from concord.rubrics.model import Rubric
from concord.stats.core.estimate import Estimate
from concord.store import graders, items
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

_LISTED = (
    *("name", "title", "sentence", "formula", "low", "high", "better", "asks", "embeds"),
    *("rubrics", "switches", "source", "when_low", "others"),
)


def listed(metrics: Iterable[Metric]) -> list[dict[str, Any]]:
    """Return what each metric needs, its range and its switches; canaries as a count."""
    return [
        {key: getattr(one, key) for key in _LISTED}
        | {"low_by": dict(one.low_by), "needs": list(one.needs), "canaries": len(one.canaries)}
        for one in metrics
    ]


def list_table(metrics: Iterable[Metric]) -> Table:
    """Return a row for each metric: what it calls, its range and its inputs."""
    parts = (
        ("metric", "name"),
        ("calls", asked),
        ("range", limits),
        ("better", "better"),
        ("needs", needs),
    )
    return table_of("metrics", metrics, parts)


def asked(metric: Metric) -> str:
    """Return the kind of model a metric sends requests to, in words."""
    models = [("a model", metric.asks), ("an embedding model", metric.embeds)]
    return " and ".join(name for name, called in models if called) or "no model"


def limits(metric: Metric, switches: Mapping[str, str] | None = None) -> str:
    """The range of a metric under the choices made, in words."""
    ends = metric.least(switches or {}), metric.high
    return " to ".join(UNDEFINED if end is None else f"{end:g}" for end in ends)


def needs(metric: Metric) -> str:
    """Return the inputs an item must have, in words."""
    has = {one: NEEDS[one].removeprefix("no ") for one in metric.needs}
    has |= {"context_ids": "contexts with ids"} if "context_ids" in has else {}
    if "retrieved" in has:
        whose = next((one for one in ("context_ids", "contexts") if one in has), "")
        has["retrieved"] = f"retrieved {has.pop(whose, 'contexts')}"
    return joined(", ", has.values())


@dataclass(frozen=True)
class MetricValues:
    """Values of one metric by one judge under one reading: the first value of each answer.

    Attributes:
        switches: The choices that make the reading.
        items: How many answers the sheet has; `n` of them have a value.
        left_out: How many answers have no value, by status.
        not_asked: How many answers the judge has not been asked for yet.
        parts: By name, `n` and `mean` of other numbers that come with the metric.
        records: The values, or the reasons why there is none.
    """

    metric: str
    judge: str
    version: str
    switches: Mapping[str, str]
    items: int
    n: int
    questions: int
    mean: Estimate
    left_out: Mapping[str, int]
    not_asked: int
    parts: Mapping[str, Mapping[str, float]]
    records: Sequence[Record] = field(metadata=INTERNAL)


def rows(found: Readings) -> list[MetricValues]:
    """Return what each judge gave for each metric, in the order of the first value."""
    return [
        MetricValues(
            metric=same[0].metric,
            judge=judge,
            version=version,
            switches=dict(same[0].switches),
            items=found.items,
            **figure(same),
            left_out=dict(sorted(Counter(one.status for one in same if one.value is None).items())),
            not_asked=found.items - len(same),
            parts=_part_means(same),
            records=same,
        )
        for (judge, version), same in by_reading(found.records).items()
    ]


def _part_means(same: Sequence[Record]) -> dict[str, dict[str, float]]:
    """The numbers that come with a metric, in its order, but other choices of its switches."""
    metric, parts = concord_metrics.available().get(same[0].metric), {}
    choices = {choice for one in (metric.switches if metric else ()) for choice in one.choices}
    for one in same:
        for name, value in one.parts.items():
            if one.value is not None and value is not None and name not in choices:
                parts.setdefault(name, []).append(value)
    return {name: {"n": len(of), "mean": sum(of) / len(of)} for name, of in parts.items()}


def table(given: Sequence[MetricValues]) -> Table:
    """Return a row for each metric, judge and reading.

    The reading has a column only where a judge has several of a metric.
    """
    judges = short(row.judge for row in given)
    readings = Counter((row.metric, row.judge) for row in given)
    known = concord_metrics.available()
    parts = (
        ("metric", lambda row: concord_metrics.title(row.metric)),
        (Column("mean", "value"), "mean"),
        (Column("n", "count"), "n"),
        ("better if", lambda row: known[row.metric].better if row.metric in known else ""),
        (Column("all answers", "count"), "items"),
        ("judge", lambda row: judges[row.judge]),
        (
            "variant",
            lambda row: reading(row.switches) if readings[row.metric, row.judge] > 1 else "",
        ),
    )
    return table_of("metrics", given, parts, sparse=True)


def part_table(given: Sequence[MetricValues]) -> Table:
    """Return the means of the numbers that come with each metric."""
    parts = (
        ("metric", lambda one: concord_metrics.title(one["row"].metric)),
        ("judge", lambda one: one["row"].judge),
        ("component", lambda one: word(one["name"])),
        (Column("n", "count"), "n"),
        (Column("mean", "value"), "mean"),
    )
    means = ({"row": row, "name": name} | mean for row in given for name, mean in row.parts.items())
    return table_of("related", means, parts, "Component means")


def reading(switches: Mapping[str, str]) -> str:
    """Return the choices with their switches, as `support: strict`."""
    return joined(", ", (f"{word(name)}: {word(choice)}" for name, choice in switches.items()))


def status_counts(left_out: Mapping[str, int]) -> str:
    """Return how many answers have no value, by status."""
    return joined(", ", [f"{n:,} {status_words(status)}" for status, n in left_out.items()])


def notes(row: MetricValues) -> list[str]:
    """Return caveats of one reading: why there is no CI, flags, and why values are missing."""
    flags = Counter(flag for one in row.records if one.value is not None for flag in one.flags)
    found = [f"{word(flag)}: {n:,} of {row.n:,}" for flag, n in flags.most_common()]
    whys = Counter((one.status, one.reason) for one in row.records if one.value is None)
    found += [f"{n:,} {status_words(status)}: {why}" for (status, why), n in whys.most_common()]
    return [*reasons([row.mean.why_none]), *found]


def report(
    store: Store, sheet: Sheet, found: Readings, rubric: str | None = None
) -> dict[str, Any]:
    """Return the metrics of a sheet, compared with the annotators' grades under a rubric.

    Returns:
        `rows` of each metric, its `validity`, the `diagnosis` of failing answers, and `vera`.
    """
    values = rows(found)
    panel = metric_validity.panel(store, sheet, rubric)
    validity = metric_validity.against(found, panel)
    names = items.answer_names(store, sheet.id)
    return {
        "rows": values,
        "validity": validity,
        "diagnosis": metric_validity.diagnosis(found, names, validity.rows),
        "vera": vera_composite.report(found),
    }


def document(whole: Mapping[str, Any], found: Readings) -> Document:
    """Return what is shown of the metrics of a sheet."""
    values, validity = whole["rows"], whole["validity"]
    if not values:
        return Document("No metric values yet. Compute the free ones: `judge computed`.")
    return Document(
        validity.sentence,
        tables=(
            table(values),
            part_table(values),
            metric_validity.validity_table(validity.rows),
            metric_validity.diagnosis_table(whole["diagnosis"]),
        ),
        notes=(
            *reasons(row.mean.why_none for row in values if row.n),
            closed_sentence(found.closed),
        ),
    )


def closed_sentence(closed: int) -> str:
    """Return how many answers are excluded; '' for none."""
    words = "excluded: held-out questions and the few-shot pool."
    return f"{counted(closed, 'answer')} {words}" if closed else ""


Switches = Mapping[str, Mapping[str, str]]


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
    by_series: dict[tuple[int, str, int], list[Record]] = {}
    for one in found.records:
        if one.metric in switches:
            by_series.setdefault((one.grader_id, one.version, one.repeat), []).append(one)
    changed: dict[tuple, Record] = {}
    for (grader_id, _, repeat), same in by_series.items():
        name = same[0].metric
        chosen = {**same[0].switches, **switches[name]}
        ids = [one.item_id for one in same if one.status not in ("missing_input", LIST_EDITED)]
        metric = concord_metrics.named(name)
        outcomes = replayed(store, metric, ids, grader_id, chosen, repeat)
        for one in same:
            outcome = outcomes.get(one.item_id)
            values = outcome._asdict() if outcome else {}
            changed[grader_id, name, one.item_id, repeat] = one._replace(**values, switches=chosen)
    records = [one for one in found.records if one.metric not in switches]
    return found._replace(records=records + list(changed.values()))


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
