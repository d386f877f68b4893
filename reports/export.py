"""The report part of an export: agreement and ranking of every sheet under every rubric."""

import json
from pathlib import Path

from data import export, rubric_versions
from data.sheets import Sheet
from data.store import Store
from reports import agreement, panel, ranking
from reports.panel import Panel


def write(store: Store, folder: Path, sheets: list[Sheet]) -> list[Path]:
    """Write `agreement.json` and `ranking.json`, in the form of the verbs' `--json`.

    Each holds the rows of all sheets under every rubric they are graded under, every row with its
    `sheet` and `rubric`.
    """
    agreed, ranked = {"rows": [], "reliability": []}, {"models": [], "orders": []}
    for sheet in sheets:
        for name in rubric_versions.graded(store, sheet.id):
            read = panel.read(store, sheet, rubric_versions.named(store, name)[1])
            _add(agreed, agreement.report(read, by_answer_model=True), read)
            _add(ranked, ranking.report(read), read)
    documents = {"agreement.json": agreed, "ranking.json": ranked}
    return [
        export.write(folder / name, json.dumps(document, ensure_ascii=False, indent=2))
        for name, document in documents.items()
    ]


def _add(document: dict[str, list], report: dict, read: Panel) -> None:
    """Add one report's rows to a document under its keys."""
    place = {"sheet": read.sheet.name, "rubric": read.rubric.name}
    for key, rows in document.items():
        rows += [place | row for row in report[key]]
