"""The report part of an export: agreement and ranking under the rubrics that annotators used."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from concord.exporting import exported_tables
from concord.importing.readers import formula_escaping
from concord.messages import message_of
from concord.model import Sheet
from concord.reports.agreement import agreement
from concord.reports.agreement.agreement import AgreementReport
from concord.reports.document import as_json
from concord.reports.panel import panel
from concord.reports.panel.panel import Panel, drawn
from concord.stats.core.estimate import Estimate
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

# Of `agreement.csv`, a figure of a judge or of annotators in each line.
PLACE = ("sheet", "rubric", "judge", "fingerprint", "criterion", "reference", "answer_model")
COLUMNS = (*PLACE, "n", "of", "figure", *Estimate._fields)


def write(store: Store, folder: Path, sheets: list[Sheet], every: bool = False) -> list[Path]:
    """Write `agreement.csv`, a row for each figure of all sheets under their annotators' rubrics.

    With `every` also those of each answering model, and `agreement.json` and `ranking.json` in the
    form of the verbs' `--json`, each row with its `sheet` and `rubric`: `uncounted` has one per
    annotator left out, `corrected` one per sheet and rubric, corrected by the draw.
    """
    uncounted: list[dict] = []
    parts = ("rows", "reliability", "annotator_agreement", "bias_tests")
    agreed: dict[str, list] = {part: [] for part in parts}
    ranked: dict[str, list] = {"models": [], "orders": [], "corrected": []}
    lines: list[tuple] = []
    for sheet in sheets:
        used = rubric_versions.annotators_used(store, sheet.id)
        for name in used or rubric_versions.graded(store, sheet.id):
            read = panel.read(store, sheet, rubric_versions.named(store, name)[1])
            whole = agreement.whole(store, read, by_answer_model=every)
            lines += _lines(whole, read)
            if not every:
                continue
            from concord.reports import ranking  # half a second, where it is not wanted

            uncounted += [
                {"sheet": sheet.name, "rubric": name, "annotator": one, "why": message_of(why)}
                for one, why in read.uncounted.items()
            ]
            _add(agreed, as_json(whole), read)
            found = as_json(ranking.whole(read, drawn(store, read)))
            _add(ranked, found | {"corrected": [found["corrected"]]}, read)
    documents = {"agreement.json": agreed | {"uncounted": uncounted}, "ranking.json": ranked}
    written = [exported_tables.write(folder / "agreement.csv", _csv(lines))]
    for name, document in documents.items() if every else ():
        text = json.dumps(document, ensure_ascii=False, indent=2)
        written.append(exported_tables.write(folder / name, text))
    return written


def _add(document: dict[str, list], report: Mapping[str, Any], read: Panel) -> None:
    """Add one report's rows to a document under its keys."""
    place = {"sheet": read.sheet.name, "rubric": read.rubric.name}
    for key, rows in document.items():
        rows += [place | row for row in report[key]]


def _lines(found: AgreementReport, read: Panel) -> Iterator[tuple]:
    """Yield every statistic of the rows, in the order of `COLUMNS`."""
    for row in found.rows:
        own = (read.sheet.name, read.rubric.name, *(getattr(row, name) for name in PLACE[2:]))
        between = row.ceiling
        parts = (
            ("judge", row.n, row.statistics.by_key),
            ("annotators", between.n, between.statistics.by_key),
            ("judge where annotators overlap", between.n, between.judge_on_same_items.by_key),
        )
        for of, n, statistics in parts:
            for name, one in statistics.items():
                if one:
                    yield (*own, n, of, name, *one[:-1], message_of(one.why_none))


def _csv(lines: Iterable[tuple]) -> str:
    """The lines, with a byte order mark; text that a spreadsheet would compute is escaped."""
    return "\ufeff" + formula_escaping.to_csv(COLUMNS, lines)
