"""The report part of an export: agreement and ranking of every sheet under every rubric."""

import json
from pathlib import Path

from data import export, rubric_versions
from data.sheets import Sheet
from data.store import Store
from reports import agreement, panel, ranking


def write(store: Store, folder: Path, sheets: list[Sheet]) -> list[Path]:
    """Write `agreement.json` and `ranking.json`, in the form of the verbs' `--json`.

    Each holds the rows of all sheets under every rubric they are graded under; where a row does
    not name its sheet and rubric by itself, they are added to it.
    """
    found = [_of(store, sheet, name) for sheet in sheets for name in _rubrics(store, sheet)]
    documents = {
        "agreement.json": _joined([agreed for agreed, _ in found], ("rows", "reliability")),
        "ranking.json": _joined([ranked for _, ranked in found], ("models", "orders")),
    }
    return [
        export.write(folder / name, json.dumps(document, ensure_ascii=False, indent=2))
        for name, document in documents.items()
    ]


def _rubrics(store: Store, sheet: Sheet) -> list[str]:
    return rubric_versions.graded(store, sheet.id)


def _of(store: Store, sheet: Sheet, name: str) -> tuple[dict, dict]:
    """The agreement and the ranking of one sheet under one rubric."""
    read = panel.read(store, sheet, rubric_versions.named(store, name)[1])
    place = {"sheet": sheet.name, "rubric": name}
    reports = agreement.report(read, by_answer_model=True), ranking.report(read)
    return tuple(
        {
            key: [place | row for row in rows]
            for key, rows in report.items()
            if isinstance(rows, list)
        }
        for report in reports
    )


def _joined(reports: list[dict], keys: tuple[str, ...]) -> dict:
    return {key: [row for report in reports for row in report.get(key, [])] for key in keys}
