"""A database in which every text that comes from a file or a field is an image on another host.

Shown as Markdown, a text like this would load the image and tell that host who is looking. The
addresses beside it would become links.
"""

import json
from pathlib import Path
from typing import Any

from concord.grading import grading_sets
from concord.judges.definition.model import presets
from concord.rubrics.model import Rubric
from concord.store import graders
from concord.store.database import open_store
from concord.store.rubrics import rubric_versions

HOST = "evil.example"
PICTURE = f"![x](https://{HOST}/x.png)"
IMAGE = f"me@{HOST}{PICTURE}www.{HOST}"
_ITEMS = ("own_id", "answer", "answer_model", "contexts", "reference", "metadata")
_TEXTS = {
    "sheets": ("name", "source_name"),
    "imports": ("source_name", "column_map"),
    "questions": ("own_id", "text", "cluster"),
    "items": _ITEMS,
    "grades": ("reason", "quote"),
    "graders": ("name",),
}
RUBRIC, JUDGE = "doc-qa-0-3", f"spy{PICTURE}"  # no @ in the name of a judge


def spoil(db: Path) -> None:
    """Put the image into every text of a database with the sample."""
    with open_store(db) as store, store.write():
        old_rubric = rubric_versions.named(store, RUBRIC)[1]
        new_rubric = _rubric(old_rubric)
        rubric_id = rubric_versions.register(store, new_rubric, "file")
        new = new_rubric.versions()
        for name, version in old_rubric.versions().items():
            store.execute("update grades set version = ? where version = ?", (new[name], version))
        for table, columns in _TEXTS.items():
            for row in store.rows(f"select id, {', '.join(columns)} from {table}"):
                values = [_spoilt(row[column]) for column in columns]
                sets = ", ".join(f"{column} = ?" for column in columns)
                store.execute(f"update {table} set {sets} where id = ?", (*values, row["id"]))
        judge = presets()["gpt-4-zero-shot"]
        told = json.loads(judge.body()) | {
            "name": JUDGE,
            "about": f"About {IMAGE}",
            "rubric": RUBRIC,
        }
        graders.ensure(store, "judge", JUDGE, "0" * 16, {"judge": told})
    with open_store(db) as store:
        sheet = store.value("select id from sheets")
        grading_sets.create(store, sheet, rubric_id, f"Set {IMAGE}", 6, 1)


def _rubric(rubric: Rubric) -> Rubric:
    body = json.loads(rubric.body())
    body |= {"title": f"Title {IMAGE}", "about": IMAGE}
    for criterion in body["criteria"]:
        criterion |= {"title": f"{criterion['name']} {IMAGE}", "question": f"Why? {IMAGE}"}
        for level in criterion["levels"]:
            level |= {"meaning": f"{level['meaning']} {IMAGE}"}
            level["examples"] = [_values(example) for example in level.get("examples", ())]
    return Rubric.model_validate(body)


def _spoilt(value: Any) -> Any:
    """A text with the image at its end; of JSON every text in it."""
    if not isinstance(value, str):
        return value
    if value[:1] in ("{", "["):
        return json.dumps(_values(json.loads(value)))
    return value + IMAGE


def _values(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _values(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_values(inner) for inner in value]
    return value + IMAGE if isinstance(value, str) else value
