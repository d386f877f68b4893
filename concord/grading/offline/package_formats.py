"""A pack as JSON Lines, and in the forms that Label Studio and Argilla read.

Of Label Studio: a list of tasks, and the labelling interface as XML. Of Argilla: records, and the
settings of their dataset. Both give each criterion one choice among the scores and CANNOT.
"""

import json
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree

from concord.grading.offline.package_columns import (
    CANNOT,
    CODE,
    HEADINGS,
    NOTE,
    Blank,
    clean,
    guide,
    score_headings,
    score_key,
)
from concord.rubrics.model import Criterion, Rubric


def jsonl(pack: Blank) -> bytes:
    """One object a line: the row code, the texts, a null for each open score, an empty note."""
    names = [one.name for one in pack.rubric.criteria]
    lines = (
        _json(
            {CODE: row.code, **row.texts}
            | {score_key(name): row.given.get(name) for name in names}
            | {NOTE: ""}
        )
        for row in pack.rows
    )
    return ("\n".join(lines) + "\n").encode()


def tasks(pack: Blank, used: Sequence[str]) -> bytes:
    """The tasks that Label Studio imports."""
    found = [
        {"data": {CODE: row.code} | {name: clean(row.texts.get(name, "")) for name in used}}
        for row in pack.rows
    ]
    return _json(found, indent=1).encode()


def interface(rubric: Rubric, used: Sequence[str]) -> bytes:
    """The labelling interface of Label Studio for a rubric and the texts that are shown."""
    view = ElementTree.Element("View")
    for sentence in guide(rubric)[:3]:
        ElementTree.SubElement(view, "Header", value=sentence, size="6")
    for name in used:
        ElementTree.SubElement(view, "Header", value=HEADINGS[name], size="4")
        ElementTree.SubElement(view, "Text", name=name, value=f"${name}")
    for criterion in rubric.criteria:
        said = f"{criterion.heading()}: {criterion.question}"
        ElementTree.SubElement(view, "Header", value=said, size="4")
        given = {"name": score_key(criterion.name), "toName": "answer", "choice": "single-radio"}
        choices = ElementTree.SubElement(view, "Choices", required="true", **given)
        for value, words in _labels(criterion):
            ElementTree.SubElement(choices, "Choice", value=words, alias=value)
    ElementTree.SubElement(view, "Header", value=HEADINGS[NOTE], size="4")
    area = {"name": NOTE, "toName": "answer", "rows": "3", "maxSubmissions": "1"}
    ElementTree.SubElement(view, "TextArea", editable="true", **area)
    ElementTree.indent(view)
    return ElementTree.tostring(view, encoding="utf-8") + b"\n"


def records(pack: Blank, used: Sequence[str]) -> bytes:
    """The records that Argilla's `dataset.records.from_json` reads; the id is the row code."""
    found = [
        {
            "id": row.code,
            "fields": {name: clean(row.texts.get(name, "")) or None for name in used},
            "metadata": {},
            "suggestions": {},
            "responses": {},
            "vectors": {},
        }
        for row in pack.rows
    ]
    return _json(found, indent=1).encode()


def settings(rubric: Rubric, used: Sequence[str]) -> bytes:
    """The settings that Argilla's `Settings.from_json` reads."""
    text = {"type": "text", "use_markdown": False}
    questions = [
        {
            "name": score_key(one.name),
            "title": score_headings(rubric)[one.name].removeprefix("Score: "),
            "description": one.question,
            "required": True,
            "settings": _label_selection(one),
        }
        for one in rubric.criteria
    ]
    note = {"name": NOTE, "title": HEADINGS[NOTE], "description": None, "required": False}
    fields = [
        {"name": name, "title": HEADINGS[name], "required": name == "answer", "settings": text}
        for name in used
    ]
    found = {
        "guidelines": "\n\n".join([rubric.title, *filter(None, [rubric.about]), *guide(rubric)]),
        "questions": [*questions, note | {"settings": text}],
        "fields": fields,
        "vectors": [],
        "metadata": [],
        "allow_extra_metadata": False,
        "distribution": {"strategy": "overlap", "min_submitted": 1},
    }
    return _json(found, indent=1).encode()


def _label_selection(criterion: Criterion) -> dict:
    options = [{"value": value, "text": words} for value, words in _labels(criterion)]
    return {"type": "label_selection", "options": options, "visible_options": len(options)}


def _labels(criterion: Criterion) -> Iterator[tuple[str, str]]:
    """Yield the stored value and the label of each choice."""
    for level in criterion.levels:
        yield str(level.score), f"{level.score}: {level.meaning}"
    yield CANNOT, CANNOT.capitalize()


def _json(value, **form) -> str:
    return json.dumps(value, ensure_ascii=False, **form)
