"""Grades made elsewhere: each finds its item, and what cannot be taken is named."""

import csv
import io

from concord.importing import answer_file, grade_file
from tests.support.files import csv_bytes
from tests.support.rubrics import rubric

ITEMS = answer_file.load(
    csv_bytes(
        ("item_id", "question_id", "question", "answer", "model"),
        ("007", "q1", "Why?", "A", "m"),
        ("8", "q1", "Why?", "B", "n"),
        ("9", "q2", "How?", "C", "m"),
        ("10", "q2", "How?", "D", "m"),
    ),
    "s.csv",
).items


def known_keys(items: list) -> dict[str, str | None]:
    """Item identity by every key a grade may name it by; None for a key that fits several."""
    keys, identities = {}, {}
    for item in items:
        identities[item.identity] = item.identity
        for key in item.keys[1:]:
            keys[key] = None if key in keys else item.identity
    return keys | identities


KNOWN = known_keys(ITEMS)
GOOD = {
    "item_id": "007",
    "criterion": "correctness",
    "grader": "ann",
    "grader_kind": "person",
    "score": "3",
}


def load(*rows, using=None, mapped=()) -> grade_file.GradeSheet:
    return grade_file.load(
        csv_bytes(*rows),
        "g.csv",
        rubric=using or rubric("correctness", "style"),
        known=KNOWN,
        mapped=mapped,
    )


def of_dicts(*rows, **options) -> grade_file.GradeSheet:
    names = list(dict.fromkeys(name for row in rows for name in row))
    file = io.StringIO()
    writer = csv.DictWriter(file, names)
    writer.writeheader()
    writer.writerows(rows)
    return load(*csv.reader(io.StringIO(file.getvalue(), newline="")), **options)


def test_rows_with_the_same_fault_are_named_in_one_line():
    row = {"item_id": "", "criterion": "correctness", "grader": "Ana", "grader_kind": "person"}
    bad, good = row | {"score": 1}, row | {"item_id": "007", "score": 1}
    said = str(of_dicts(*[bad] * 3, good, *[bad] * 141).refusal()).splitlines()
    assert [line[:4] for line in said if line.startswith("Row")] == ["Rows"]
