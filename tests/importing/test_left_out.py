"""What importing the rest leaves out, and what would be biased by it."""

from concord.importing import answer_file
from concord.importing.faults import Group
from concord.rubrics.model import presets
from tests.support.files import csv_bytes

RUBRIC = presets()["doc-qa-0-3"]
HEAD = ("question", "answer", "answer_model", "score")
MAPPED = ("score:annotator:Ana:correctness=score",)


def read(*rows):
    return answer_file.load(csv_bytes(HEAD, *rows), "s.csv", MAPPED, RUBRIC)


def test_refused_rows_are_counted_by_answering_model_and_by_score():
    good = [(f"Why {n}?", "So.", "birch", "3") for n in range(6)]
    bad = [("", "So.", "atlas", "0"), ("", "So.", "atlas", "0.0"), ("", "So.", "birch", "")]
    found = read(*good, *bad).left_out()
    assert found.models == (Group("atlas", 0, 2), Group("birch", 6, 1))
    assert found.scores == (Group("0", 0, 2), Group("3", 6, 0))
    assert (found.answers, found.grades) == (3, 2)


def test_of_many_scores_only_those_that_are_lost_are_shown():
    rows = [(f"Why {n}?", "So.", "atlas", f"0.{n:02}") for n in range(1, 31)]
    mapped = ("score:judge:j:correctness=score",)
    content = csv_bytes(HEAD, ("", "So.", "atlas", "0.55"), *rows)
    found = answer_file.load(content, "s.csv", mapped, RUBRIC).left_out()
    assert [(name, [one.name for one in groups]) for name, groups in found.tables()] == [
        ("score", ["0.55"])
    ]


def test_in_a_wide_sheet_a_row_loses_an_answer_of_each_model():
    content = csv_bytes(("question", "a", "b"), ("", "x", "y"), ("", "x", ""), ("Why?", "x", "y"))
    found = answer_file.load(content, "w.csv", ("answer:one=a", "answer:two=b")).left_out()
    assert found.models == (Group("one", 1, 2), Group("two", 1, 1))


def test_rows_that_contradict_the_store_are_left_out_too():
    sheet = read(("Why?", "So.", "atlas", "2"), ("Who?", "He.", "birch", "2"))
    assert sheet.left_out({2}).models == (Group("atlas", 1, 0), Group("birch", 0, 1))
    assert sheet.left_out({2}).scores == (Group("2", 1, 1),)
