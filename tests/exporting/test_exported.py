"""An export in `exported` as a database before the one schema wrote it: its grades come in again.

Six answers under two wordings of a rubric and claims with their lists: annotators, judges, a mean
and a simulated annotator; every status, blind and not, evidence, probabilities and repeats.
"""

import csv
import json
from pathlib import Path

EXPORT = Path(__file__).parent / "exported"
_OF_GRADE = {
    *("item_id", "criterion", "version", "grader", "grader_kind", "status", "score", "reason"),
    *("blind", "repeat", "quote", "simulated", "probabilities"),
    *("outside_mass", "probabilities_source", "unit", "label"),
}
_OF_ITEM = {
    *("item_id", "question_id", "question", "contexts", "answer", "answer_model", "reference"),
    *("relevant_ids", "metadata", "content_hash"),
}


def _rows(path: Path, columns: set[str]) -> list[dict]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        kept = [{k: row[k] for k in row.keys() & columns} for row in csv.DictReader(file)]
    return sorted(kept, key=lambda row: sorted(row.items()))


def test_every_answer_and_grade_of_an_export_comes_in_again(run, tmp_path):
    run("import", EXPORT / "items.csv", "--sheet", "kept")
    for file, added in (("kept-1.toml", 144), ("kept.toml", 18)):  # the older wording first
        rubric = EXPORT / "rubrics" / file
        taken = run("grades", EXPORT / "grades.csv", "--rubric", rubric, "--json")
        assert json.loads(taken.stdout)["grades"] == added
    units = EXPORT / "rubrics" / "claims-in-contexts.toml"
    run("grades", EXPORT / "unit_grades.csv", "--rubric", units)
    run("export", tmp_path / "again")
    counts = {}
    for name, columns in {"items": _OF_ITEM, "grades": _OF_GRADE, "unit_grades": _OF_GRADE}.items():
        before, after = (
            _rows(folder / f"{name}.csv", columns) for folder in (EXPORT, tmp_path / "again")
        )
        before = [row for row in before if not row.get("criterion", "").endswith("_list")]
        assert after == before
        counts[name] = len(before)
    assert counts == {"items": 6, "grades": 162, "unit_grades": 54}
    statuses = {row["status"] for row in _rows(EXPORT / "grades.csv", _OF_GRADE)}
    assert len(statuses) == 9
