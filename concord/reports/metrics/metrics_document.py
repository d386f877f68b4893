"""Metrics document: all that is known of the metrics of a sheet, for `--json` and the screen."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

from concord.messages import Said, said
from concord.reports import terminal
from concord.reports.cells import written
from concord.reports.metrics import (
    diagnosis,
    fitted_threshold,
    metric_parts,
    metric_repeats,
    metric_validity,
    metrics,
    similarity_baseline,
)
from concord.reports.metrics.metric_records import Readings
from concord.reports.metrics.metric_validity import Lead, Validity
from concord.reports.panel import panel_reading, whole_answers
from concord.reports.panel.panel import Panel
from concord.reports.panel.simulated import worded
from concord.reports.panel.unit_words import heading
from concord.reports.terminal import table
from concord.store import answer_names, items
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.store.sheets import Sheet


def panel(store: Store, sheet: Sheet, rubric: str | None = None) -> Panel | None:
    """Annotators' grades of whole answers to hold metrics against; None where there are none.

    `rubric` names one, and a Problem says so where it is of units: an answer has several of them,
    and no score of its own; else it is the first under which annotators graded.
    """
    if rubric:
        chosen = rubric_versions.named(store, rubric)[1]
        whole_answers.of_answers(chosen, "Holding metrics against annotators is")
    for name in [rubric] if rubric else rubric_versions.graded(store, sheet.id):
        found = panel_reading.read(store, sheet, rubric_versions.named(store, name)[1])
        if found.annotators:
            return found
    return None


def document(
    store: Store, sheet: Sheet, found: Readings, rubric: str | None = None
) -> dict[str, Any]:
    """Return everything about a sheet's metrics.

    Returns:
        `rows` (`metrics.metrics.rows`, with `unrelated` where a likeness has a null distribution,
        `repeats` where values were repeated, and `parts`, the means of secondary values);
        `fitted_cuts` (`metrics.fitted_threshold.rows`);
        `predicts`: `sentence`, `criterion`, how it is `called`, `rows`, `lead`; `correlations`
        among the metrics; `diagnosis`, its answers under `items` by
        their own ids or numbers and under `called` by their display names.
    """
    held = panel(store, sheet, rubric)
    every = metric_validity.series(found)
    given = metrics.rows(found)
    null_of = cache(partial(similarity_baseline.of_sheet, store, sheet))
    cuts = similarity_baseline.cuts(found, null_of)
    return {
        "rows": [
            row
            | {
                "unrelated": _unrelated(null_of, found, row),
                "repeats": metric_repeats.of(found.records, row),
                "parts": metric_parts.means(found.records, row),
            }
            for row in given
        ],
        "predicts": against(every, held),
        "fitted_cuts": fitted(every, held, "", cuts),
        "correlations": metric_validity.among(every),
        "diagnosis": _diagnosis(store, sheet, diagnosis.rows(found, cuts=cuts)),
    }


@dataclass(frozen=True)
class AgainstAnnotators:
    """Validity of metrics for annotators' grades of a criterion, best first.

    Attributes:
        sentence: The finding.
        criterion: The criterion; None where no annotator has graded whole answers.
        called: The criterion's name within a sentence.
        rows: Every series with a value.
        lead: Lead of the best over the second.
    """

    sentence: Said
    criterion: str | None = None
    called: str | None = None
    rows: list[Validity] = field(default_factory=list)
    lead: Lead | None = None


def against(
    every: list[metric_validity.Series], held: Panel | None, criterion: str = ""
) -> AgainstAnnotators:
    """Return the validity of metrics for a criterion; '' for the heaviest one."""
    if held is None:
        return AgainstAnnotators(metric_validity.NOBODY)
    criterion = criterion or held.rubric.heaviest().name
    invented = _is_simulated(held)
    rows = worded(metric_validity.against_annotators(every, held, criterion), invented)
    ahead = metric_validity.lead(rows, every, held, criterion)
    who = said("simulated annotators" if invented else "annotators")
    title = heading(held.rubric, criterion)
    called = said("“{title}”", title=title) if title != criterion else criterion.replace("_", " ")
    sentence = metric_validity.sentence(rows, ahead, called, who)
    return AgainstAnnotators(sentence, criterion, called, rows, ahead)


def fitted(
    every: list[metric_validity.Series],
    held: Panel | None,
    criterion: str = "",
    cuts: Mapping[tuple[str, str], float] | None = None,
) -> list[fitted_threshold.FittedThreshold]:
    """Return the fitted threshold of each metric; '' for the heaviest criterion."""
    if held is None:
        return []
    found = fitted_threshold.rows(every, held, criterion or held.rubric.heaviest().name, cuts)
    return worded(found, _is_simulated(held))


def _is_simulated(held: Panel) -> bool:
    return any(person.simulated for person in held.annotators.values())


def text(found: Readings, whole: dict[str, Any]) -> str:
    """The document as text: the metrics, which predicts annotators, and what to do."""
    said = [metrics.text(found)]
    if not whole["rows"]:
        return said[0]
    for row in whole["rows"]:
        place = f"{row['metric']}, {row['judge']}"
        if row["parts"]:
            said.append(f"{place}: {metric_parts.sentence(row['parts'], row['n'])}")
        if row["unrelated"]:
            said.append(f"{place}: {similarity_baseline.sentence(row['unrelated'], row['metric'])}")
        if row["repeats"]:
            said.append(f"{place}: {metric_repeats.sentence(row['repeats'])}")
    held = whole["predicts"]
    said.append(held.sentence)
    if held.rows:
        heads = ("metric", "judge", "n", f"rank correlation with {held.called}", "AUC")
        lines = (
            (r.metric, r.judge, r.n, written(r.correlation, "number"), written(r.auc, "number"))
            for r in held.rows
        )
        said.append(table(heads, lines))
    if any(row.cut is not None for row in whole["fitted_cuts"]):
        said.append(terminal.table_text(fitted_threshold.table(whole["fitted_cuts"])))
    if whole["diagnosis"]:
        about = ("metric", "judge", "failing", "of", "share", "passes")
        said.append(table((*about, "what to do", "worst answers"), map(_line, whole["diagnosis"])))
    return "\n\n".join(said)


def _line(row: dict[str, Any]) -> tuple:
    worst = ", ".join(row["called"][:3])
    places = row["metric"], row["judge"], row["failing"], row["n"]
    return (*places, diagnosis.share(row), diagnosis.passes(row), row["advice"], worst)


def _unrelated(
    null_of: Callable[[str, int], similarity_baseline.Unrelated | None], found: Readings, row: dict
) -> dict[str, Any] | None:
    if row["metric"] not in similarity_baseline.HELD:
        return None
    grader_id = next(one.grader_id for one in found.records if one.judge == row["judge"])
    null = null_of(row["metric"], grader_id)
    return similarity_baseline.figures(null, found, row) if null else None


def _diagnosis(store: Store, sheet: Sheet, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    names, called = items.item_names(store, sheet.id), answer_names.of_sheet(store, sheet.id)
    return [
        {key: value for key, value in row.items() if key != "item_ids"}
        | {
            "items": [names[item_id][0] for item_id in row["item_ids"]],
            "called": [called[item_id] for item_id in row["item_ids"]],
        }
        for row in rows
    ]
