"""Agreement of the best judge as one HTML page to hand round; opening it sends no request."""

from collections.abc import Iterable, Sequence
from html import escape

import numpy as np

from concord.clock import today
from concord.reports.agreement.agreement import AgreementRow, pairs_of
from concord.reports.agreement.document import (
    answer_grades,
    best_first,
    chart,
    charted,
    confusion,
    finding,
    is_mean,
    looks,
    tables,
)
from concord.reports.cells import constants, shown, written
from concord.reports.charts import Intervals
from concord.reports.panel.criterion_comparison import ground
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.reliability.annotator_alerts import Alert
from concord.store.database import Store
from concord.text.display import visible

_MOST = 10
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: .5rem 0 1.5rem }
td, th { border: 1px solid #ccc; padding: .2rem .6rem; text-align: left; vertical-align: top }
svg { max-width: 100%; height: auto }
blockquote { margin: .5rem 0; white-space: pre-wrap; overflow-wrap: anywhere }
"""


def page(
    store: Store,
    panel: Panel,
    rows: Sequence[AgreementRow],
    row: AgreementRow,
    alerts: Sequence[Alert] = (),
    without: AgreementRow | None = None,
) -> str:
    """Return the page of a row: chart, tables, confusion matrix and the worst disagreements.

    `rows` are those of its criterion, `without` the row without the annotators of `alerts`.
    """
    rubric = panel.rubric
    top, key = finding(row, rubric, alerts, without), charted(row, rubric)[0]
    drawn = row.criterion != COMPOSITE and not all(map(is_mean, rows))
    ordered = best_first(rows, key)
    parts = [_text("h1", top.headline), *(_text("p", one) for one in top.facts)]
    parts += [_svg(chart(ordered, rubric, key, looks(panel)))] if drawn else []
    for table in tables(ordered, rubric):
        parts += [_text("h2", table.title), _text("p", constants(table)), _table(*shown(table))]
    judge_id = next(i for i, label in panel.labels.items() if label == row.judge)
    if drawn and not row.continuous:
        matrix = confusion(panel, judge_id, row.criterion, row.reference)
        counted = ([name, *line] for name, line in zip(matrix.names, matrix.counts, strict=True))
        parts += [_text("h2", matrix.title), _table([matrix.down, *matrix.names], counted)]
    if not rubric.units:
        ids = worst(panel, judge_id, row)
        parts.append(_text("h2", "Worst disagreements"))
        answers = {one.stored.id: one for one in answer_grades(store, panel, judge_id, ids)}
        for one in map(answers.get, ids):
            item, given = one.stored.item, (*one.judge, *one.annotators)
            scores = [
                (grade.grader, "–" if grade.score is None else f"{grade.score:g}", grade.reason)
                for grade in given
                if grade.criterion == row.criterion
            ]
            parts += [_text("h3", item.question), _text("blockquote", item.answer)]
            parts.append(_table(("grader", "score", "reason"), scores))
    about = f"Concord, {today()}. Sheet {row.sheet}, rubric {row.rubric}."
    body = "\n".join([*parts, _text("p", about)])
    head = f"<title>{escape(visible(top.headline))}</title><style>{_STYLE}</style>"
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8">{head}<main>{body}</main></html>\n'
    )


def worst(panel: Panel, judge_id: int, row: AgreementRow) -> list[int]:
    """Return the ids of the answers on which a judge and an annotator differ most, worst first."""
    pairs = pairs_of(ground(panel, row.criterion, row.reference), panel.judges[judge_id])
    apart = np.zeros(len(panel.items))
    np.maximum.at(apart, pairs.item, np.abs(pairs.judge - pairs.annotator))
    order = np.argsort(-apart, kind="stable")[:_MOST]
    return panel.items["item_id"].to_numpy()[order[apart[order] > 0]].tolist()


def _text(tag: str, text: str | None) -> str:
    return f"<{tag}>{escape(visible(str(text or '')))}</{tag}>"


def _table(heads: Sequence, rows: Iterable[Sequence]) -> str:
    lines = "".join(f"<tr>{''.join(_text('td', str(c)) for c in row)}</tr>" for row in rows)
    return f"<table><tr>{''.join(_text('th', head) for head in heads)}</tr>{lines}</table>"


def _svg(found: Intervals) -> str:
    """Return dots with their intervals, and the lines that they are read against."""
    left, width, step, top = 220, 480, 30, 40
    low, high = found.reach
    bottom, marks = top + step * len(found.rows), []

    def across(value: float) -> float:
        return round(left + width * (value - low) / (high - low), 1)

    def label(x: float, y: float, text: str, anchor: str = "start") -> None:
        text = escape(visible(str(text)))
        marks.append(f'<text x="{x}" y="{y}" text-anchor="{anchor}">{text}</text>')

    for place, line in enumerate(one for one in found.lines if one.found.value is not None):
        x, colour = across(line.found.value), "#E69F00" if line.of == "annotators" else "#80868b"
        marks.append(f'<path d="M{x} {top - 8}V{bottom}" stroke="{colour}" stroke-dasharray="5"/>')
        label(x, 14 + 14 * (place % 2), line.label, "middle")
    for place, (name, (mark, *_)) in enumerate(found.rows):
        estimate, y = mark.found, top + step * place + 14
        label(0, y + 4, name)
        if estimate.value is None:
            continue
        if estimate.low is not None:
            ends = f"M{across(estimate.low)} {y}H{across(estimate.high)}"
            marks.append(f'<path d="{ends}" stroke="#0072B2" stroke-width="2"/>')
        marks.append(f'<circle cx="{across(estimate.value)}" cy="{y}" r="5" fill="#0072B2"/>')
        label(left + width + 10, y + 4, written(estimate, found.kind))
    label(left, bottom + 22, found.axis)
    size = f'viewBox="0 0 {left + width + 140} {bottom + 32}" width="{left + width + 140}"'
    name = escape(found.axis, quote=True)
    return f'<svg {size} role="img" aria-label="{name}" font-size="12">{"".join(marks)}</svg>'
