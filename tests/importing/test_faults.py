"""Faults by kind, and what importing the rest leaves out."""

from concord.importing import answer_file
from concord.importing.faults import kinds
from concord.messages import said
from concord.model import BadRow
from concord.rubrics.model import presets
from tests.support.files import csv_bytes

RUBRIC = presets()["doc-qa-0-3"]
HEAD = ("question", "answer", "answer_model", "score")
MAPPED = ("score:annotator:Ana:correctness=score",)


def read(*rows):
    return answer_file.load(csv_bytes(HEAD, *rows), "s.csv", MAPPED, RUBRIC)


def test_what_importing_the_rest_leaves_out_is_counted():
    good = [(f"Why {n}?", "So.", "birch", "3") for n in range(6)]
    bad = [("", "So.", "atlas", "0"), ("", "So.", "birch", ""), ("Why 9?", "So.", "birch", "7")]
    sheet = read(*good, *bad)
    assert sheet.left_out() == {"answers": 2, "grades": 2}
    assert sheet.left_out({1}) == {"answers": 3, "grades": 3}
    assert read(*good).loss() == ""


def test_in_a_wide_sheet_a_row_loses_each_answer_that_is_there():
    content = csv_bytes(("question", "a", "b"), ("", "x", "y"), ("", "x", ""), ("Why?", "x", "y"))
    left = answer_file.load(content, "w.csv", ("answer:one=a", "answer:two=b")).left_out()
    assert left == {"answers": 3, "grades": 0}


def off(row, given, column="score"):
    problem = said("the score {given} is off the scale.", given=given, fault_code="off_scale")
    return BadRow(row, column, problem, str(given))


def test_one_kind_of_fault_has_its_count_and_the_sentence_of_its_first_row():
    (kind,) = kinds([off(1, 7), off(2, 7), off(3, 8), off(5, 9), off(6, 11)])
    assert (kind["count"], kind["rows"], kind["column"]) == (5, "1-3, 5-6", "score")
    assert kind["problem"].values["given"] == 7


def test_rows_in_many_places_are_counted_and_not_listed():
    (kind,) = kinds([off(row, 7) for row in range(1, 4001, 2)])
    assert (kind["count"], kind["rows"]) == (2_000, "1, 3, 5, 7, 9 and 1,995 more")


def test_a_row_with_the_same_fault_twice_counts_once():
    (kind,) = kinds([off(1, 7), off(1, 8)])
    assert (kind["count"], kind["rows"]) == (1, "1")


def test_a_hundred_thousand_bad_rows_are_grouped_at_once():
    assert kinds([off(row, row) for row in range(100_000)])[0]["count"] == 100_000
