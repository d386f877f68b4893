"""Grades made elsewhere: each finds its item, and what cannot be taken is named."""

import csv
import io

from concord.importing import answer_file, grade_file
from concord.language.languages import shown
from concord.store import additions, items
from tests.support.files import csv_bytes
from tests.support.made_items import made_item
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


def test_a_conflict_names_the_criterion_in_the_readers_language(doc_qa, translate):
    (bad, _) = of_dicts(GOOD, {**GOOD, "score": "2"}, using=doc_qa).bad_rows
    assert bad.problem.startswith("ann also grades correctness of the same item in row 2: 2 ")
    english = "{grader} also grades {criterion} of the same item in row {row}: {what}. Keep one "
    english += "of them, or number them in a column “repeat”."
    translate("ja", {english: "{grader}は{row}行でも{criterion}を採点：{what}"})
    assert shown(bad.problem, "ja").startswith("ann は2行でも正確さを採点：")


def test_rows_with_the_same_fault_are_named_in_one_line():
    row = {"item_id": "", "criterion": "correctness", "grader": "Ana", "grader_kind": "person"}
    bad, good = row | {"score": 1}, row | {"item_id": "007", "score": 1}
    said = str(of_dicts(*[bad] * 3, good, *[bad] * 141).refusal()).splitlines()
    assert "Rows 1-3, 5-145 (lines 2-4, 6-146), column “item_id”: there is no item id" in said[1]
    assert "the question_id and, if several models answered, the answer_model." in said[1]
    assert [line[:4] for line in said if line.startswith("Row")] == ["Rows"]


def test_names_of_answers_are_listed_in_the_order_of_the_file(store):
    made = [made_item(n, own_id=None, question_id=None) for n in range(9)]
    sheet = additions.add(store, "bare", made, "bare.csv", "x", {})
    first, second, third, *_ = items.answer_names(store, sheet.id).values()
    rows = csv_bytes(tuple(GOOD), tuple({**GOOD, "item_id": "x"}.values()))
    known = items.item_keys(store, sheet.id)
    (bad,) = grade_file.load(rows, "g.csv", rubric=rubric("correctness"), known=known).bad_rows
    assert f"It has, for example, “{first}”, “{second}”, “{third}”." in bad.problem


def test_what_the_sheet_has_is_listed_and_quoted_as_in_the_readers_language():
    (bad,) = of_dicts({**GOOD, "item_id": "x"}).bad_rows
    assert "「007」、「8」、「9」" in shown(bad.problem, "ja")


def test_items_without_ids_are_found_by_the_text_of_their_question():
    items = answer_file.load(
        csv_bytes(("question", "answer", "model"), ("Why?", "A", "m")), "s.csv"
    ).items
    read = grade_file.load(
        csv_bytes(
            ("question", "model", "grader", "grader_kind", "score"), ("why?", "m", "a", "llm", "1")
        ),
        "g.csv",
        rubric=rubric(),
        known=known_keys(items),
    )
    assert read.grades[0].item_key == items[0].identity
