"""Prodigy tasks: the verdict on a task is not its answer."""

from tests.support.exports import CASES, grades, left_out, rows


def test_the_text_is_the_answer_and_the_choice_the_grade_of_its_annotator():
    found, origin = rows(CASES / "prodigy.jsonl")
    assert [(row["question"], row["answer"]) for row in found] == [
        (f"Q{n}?", f"A{n}") for n in range(8)
    ]
    assert found[0]["item_id"] == "100"
    given = [(n, grade) for n, row in enumerate(found) for grade in grades(row)]
    assert given == [
        (n, ("annotator", who, "choice", choice))
        for n, who, choice in (
            *((0, "ann-1", "0"), (1, "ann-2", "1"), (4, "ann-1", "0")),
            *((6, "ann-1", "2"), (7, "ann-2", "3")),
        )
    ]
    assert left_out(origin) == {
        ("tasks' grades", 2, "the annotator rejected or ignored the task"),
        ("tasks' grades", 1, "they have no single value"),
    }
