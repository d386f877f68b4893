"""The report part of an export: agreement and ranking of every sheet under every rubric."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

from concord.exporting import tables
from concord.importing.readers import formula_escaping
from concord.reports.agreement import agreement
from concord.reports.document import as_json
from concord.reports.panel import panel_reading
from concord.reports.panel.panel import Panel
from concord.reports.panel.sampling_weights import drawn
from concord.reports.ranking import ranking
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.store.sheets import Sheet


def write(store: Store, folder: Path, sheets: list[Sheet], raw: bool = False) -> list[Path]:
    """Write `agreement.json` and `ranking.json`, in the form of the verbs' `--json`.

    Each holds the rows of all sheets under every rubric they are graded under, every row with its
    `sheet` and `rubric`; `corrected` has one row per sheet and rubric, corrected by the draw,
    `criteria` one per criterion with its own `models` and `orders`.
    `figures.csv` has one row for each figure of `agreement.json`.
    """
    parts = ("rows", "reliability", "annotator_agreement", "probes", "not_run")
    agreed: dict[str, list] = {part: [] for part in parts}
    ranked: dict[str, list] = {"models": [], "orders": [], "criteria": [], "corrected": []}
    for sheet in sheets:
        for name in rubric_versions.graded(store, sheet.id):
            read = panel_reading.read(store, sheet, rubric_versions.named(store, name)[1])
            _add(agreed, as_json(agreement.whole(store, read, by_answer_model=True)), read)
            found = as_json(ranking.whole(read, drawn(store, read)))
            criteria = [{"criterion": c} | one for c, one in found["criteria"].items()]
            more = {"criteria": criteria, "corrected": [found["corrected"]]}
            _add(ranked, found | more, read)
    documents = {"agreement.json": agreed, "ranking.json": ranked}
    written = [
        tables.write(folder / name, json.dumps(document, ensure_ascii=False, indent=2))
        for name, document in documents.items()
    ]
    return [*written, tables.write(folder / "figures.csv", _figures(agreed, raw))]


def _add(document: dict[str, list], report: dict, read: Panel) -> None:
    """Add one report's rows to a document under its keys."""
    place = {"sheet": read.sheet.name, "rubric": read.rubric.name}
    for key, rows in document.items():
        rows += [place | row for row in report[key]]


_PLACE = ("sheet", "rubric", "judge", "fingerprint", "criterion", "reference", "answer_model")
_PARTS = ("value", "low", "high", "method", "why_none")


def _figures(agreed: dict[str, list], raw: bool) -> str:
    """One line per figure, of judges, of annotators and of the probes, with a byte order mark."""
    text = io.StringIO()
    lines = csv.DictWriter(text, [*_PLACE, "n", "of", "figure", *_PARTS], extrasaction="ignore")
    text.write("\ufeff")
    lines.writeheader()

    def plain(line: dict) -> dict:
        return line if raw else {key: formula_escaping.escape(value) for key, value in line.items()}

    for row in agreed["rows"]:
        place = {key: row[key] for key in _PLACE}
        parts = {"judge": row, "worst case": row["worst_case"], "annotators": row["ceiling"]}
        parts["judge where annotators overlap"] = row["ceiling"]["judge_on_same_items"]
        parts["other answering models"] = row["clustered_by_answer_model"]
        for of, figures in parts.items():
            n = row["ceiling"]["n"] if of in _OVERLAP else row["n"]
            for name, one in _estimates(figures):
                lines.writerow(plain(place | one | {"n": n, "of": of, "figure": name}))
    for probe in agreed["probes"]:
        lines.writerow(plain(probe | {"of": "probe", "figure": probe["probe"]}))
    return text.getvalue()


_OVERLAP = ("annotators", "judge where annotators overlap")


def _estimates(figures: dict) -> Iterator[tuple[str, dict]]:
    for name, one in figures.items():
        if isinstance(one, dict) and "method" in one:
            yield name, one
    for one in figures.get("within_points", ()):
        yield f"within_{one['points']}", one
