"""Metrics: which there are, and what each gave on a sheet, by judge and by answering model."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from concord.language.grade_statuses import status_words
from concord.messages import joined, said
from concord.metrics.framework.metric import NEEDS, Metric
from concord.reports.cells import UNDEFINED
from concord.reports.metrics.metric_mean import figure
from concord.reports.metrics.metric_records import Readings, Record, edited, edited_sentence
from concord.reports.metrics.metric_words import word
from concord.reports.terminal import table

NOTHING = "No metric has been found on this sheet yet. Begin with `judge computed`, which is free."


def listed(metrics: Iterable[Metric]) -> list[dict[str, Any]]:
    """Return every metric with its inputs, range and readings."""
    shown = ("name", "title", "sentence", "formula", "low", "high", "better", "asks", "embeds")
    more = ("source", "when_low", "others")
    return [
        {
            **{key: getattr(one, key) for key in shown},
            "low_by": dict(one.low_by),
            "needs": list(one.needs),
            "rubrics": list(one.rubrics),
            "switches": [switch._asdict() for switch in one.switches],
            "canaries": len(one.canaries),
            **{key: getattr(one, key) for key in more},
        }
        for one in metrics
    ]


def list_text(metrics: Iterable[Metric]) -> str:
    """Return every metric as a line of a table."""
    heads = ("metric", "who is asked", "range", "better", "needs")
    return table(
        heads, ((one.name, asked(one), limits(one), one.better, needs(one)) for one in metrics)
    )


def asked(metric: Metric) -> str:
    """Return the kind of model a metric sends requests to, in words."""
    if metric.asks and metric.embeds:
        return said("a model and an embedding model")
    if metric.asks:
        return said("a model")
    return said("an embedding model" if metric.embeds else "nobody")


def limits(metric: Metric, switches: Mapping[str, str] | None = None) -> str:
    """The range of a metric under the choices made, in words."""
    ends = metric.least(switches or {}), metric.high
    low, high = (UNDEFINED if end is None else f"{end:g}" for end in ends)
    return said("{low} to {high}", low=low, high=high)


def needs(metric: Metric) -> str:
    """Return the inputs an item must have, in words."""
    has = {one: NEEDS[one].removeprefix("no ") for one in metric.needs}
    has |= {"context_ids": "contexts with ids"} if "context_ids" in has else {}
    if "retrieved" in has:
        whose = next((one for one in ("context_ids", "contexts") if one in has), "")
        has["retrieved"] = f"retrieved {has.pop(whose, 'contexts')}"
    return ", ".join(has.values())


def rows(found: Readings) -> list[dict[str, Any]]:
    """Return each judge's values of each metric, in order of first occurrence.

    One row per judge, metric and reading: `n` of `items` have a value (the first repeat), with its
    `mean` (None where n is 0) and interval (`metric_mean`), the same `by_model`, and the others
    counted by `left_out`; `not_asked` are not processed yet.
    """
    groups: dict[tuple[str, str], list[Record]] = {}
    for one in found.records:
        if one.repeat == 1:
            groups.setdefault((one.judge, one.version), []).append(one)
    return [_row(same, found.items) for same in groups.values()]


def found_by(found: Readings, judge: str) -> list[dict[str, Any]]:
    """Return one judge's values, as the rows of a table on a screen."""
    heads = ("metric", "judge", "reading", "n", "of", "mean", "left out")
    lines = (
        dict(zip(heads, _line(row), strict=True)) for row in rows(found) if row["judge"] == judge
    )
    return [{key: cell for key, cell in line.items() if key != "judge"} for line in lines]


def text(found: Readings) -> str:
    """The rows as tables: every metric, and the means by answering model."""
    given = rows(found)
    if not given:
        return NOTHING
    heads = ("metric", "judge", "reading", "n", "of", "mean", "left out")
    whole = table(heads, (_line(row) for row in given))
    models = sorted({model for row in given for model in row["by_model"]})
    by_model = table(
        ("metric", "judge", *models),
        (
            (row["metric"], row["judge"], *(_of_model(row, model) for model in models))
            for row in given
        ),
    )
    closed = (
        f"{found.closed:,} answers are excluded: their questions are held out or in the few-shot "
        "pool."
    )
    parts = [whole, by_model] if len(models) > 1 else [whole]
    return "\n\n".join(
        filter(
            None,
            [
                *parts,
                _without_interval(given),
                edited_sentence(edited(found)),
                closed if found.closed else "",
            ],
        )
    )


def _without_interval(given: list[dict[str, Any]]) -> str:
    """Return why means have no CI, each reason once."""
    figures = [one for row in given for one in (row, *row["by_model"].values())]
    reasons = dict.fromkeys(one["why_none"] for one in figures if one["mean"] is not None)
    return "\n".join(f"{UNDEFINED} {reason}" for reason in reasons if reason)


def _row(same: list[Record], items: int) -> dict[str, Any]:
    first = same[0]
    by_model: dict[str, list[Record]] = {}
    for one in same:
        by_model.setdefault(one.answer_model or "(unknown)", []).append(one)
    statuses = Counter(one.status for one in same)
    return {
        "metric": first.metric,
        "judge": first.judge,
        "version": first.version,
        "switches": dict(first.switches),
        "items": items,
        **figure(same),
        "left_out": {status: n for status, n in sorted(statuses.items()) if status != "scored"},
        "not_asked": items - len(same),
        "by_model": {model: figure(records) for model, records in sorted(by_model.items())},
    }


def _line(row: dict[str, Any]) -> tuple:
    return (
        row["metric"],
        row["judge"],
        reading(row["switches"]),
        row["n"],
        row["items"],
        valued(row),
        status_counts(row["left_out"], row["not_asked"]),
    )


def _of_model(row: dict[str, Any], model: str) -> str:
    found = row["by_model"].get(model)
    return f"{valued(found)} (n = {found['n']})" if found else UNDEFINED


def reading(switches: Mapping[str, str]) -> str:
    """Return the choices with their switches, as `support: strict`."""
    return joined(
        ", ",
        (
            said("{switch}: {choice}", switch=word(name), choice=word(choice))
            for name, choice in switches.items()
        ),
    )


def status_counts(left_out: Mapping[str, int], not_asked: int = 0) -> str:
    """Return how many answers have no value, by status, and how many are not asked for yet."""
    out = [
        said("{n:,} {status}", n=n, status=status_words(status)) for status, n in left_out.items()
    ]
    return joined(", ", [*out, said("{n:,} not asked yet", n=not_asked) if not_asked else ""])


def valued(row: dict[str, Any]) -> str:
    """A mean with its interval, as `0.750 [0.612, 0.851]`; without one, `0.750`."""
    if row["mean"] is None:
        return UNDEFINED
    if row["low"] is None:
        return f"{row['mean']:.3f}"
    return f"{row['mean']:.3f} [{row['low']:.3f}, {row['high']:.3f}]"
