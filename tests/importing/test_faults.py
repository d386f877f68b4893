"""Faults by kind, and what importing the rest leaves out and would be biased by."""

import pytest

from concord.importing import answer_file
from concord.importing.faults import Flag, kinds, left_out_sentence
from concord.importing.readers.table import BadRow
from concord.messages import said
from concord.reports import lists
from concord.rubrics.model import presets
from concord.ui.import_findings import flagged, table_rows
from tests.support.files import csv_bytes

RUBRIC = presets()["doc-qa-0-3"]
HEAD = ("question", "answer", "answer_model", "score")
MAPPED = ("score:annotator:Ana:correctness=score",)


def read(*rows):
    return answer_file.load(csv_bytes(HEAD, *rows), "s.csv", MAPPED, RUBRIC)


def groups(left, by):
    return [(one["name"], one["taken"], one["left_out"]) for one in left[f"by_{by}"]]


def test_refused_rows_are_counted_by_answering_model_score_and_grader():
    good = [(f"Why {n}?", "So.", "birch", "3") for n in range(6)]
    bad = [("", "So.", "atlas", "0"), ("", "So.", "atlas", "0.0"), ("", "So.", "birch", "")]
    left = read(*good, *bad).left_out()
    assert groups(left, "answering_model") == [("atlas", 0, 2), ("birch", 6, 1)]
    assert groups(left, "score") == [("0", 0, 2), ("3", 6, 0)]
    assert groups(left, "grader") == [("Ana", 6, 2)]
    assert (left["answers"], left["grades"]) == (3, 2)


@pytest.mark.parametrize(("rows", "alarms"), [(150, False), (50, True)])
def test_what_lacks_less_than_one_in_a_hundred_is_a_number_and_no_alarm(rows, alarms):
    good = [(f"Why {n}?", "So.", "birch", "3") for n in range(rows)]
    left = read(*good, ("", "So.", "atlas", "0")).left_out()
    assert left["answers"] == 1
    assert ("biased" in left_out_sentence(left)) == alarms


def test_of_many_scores_only_those_that_are_lost_are_shown():
    rows = [(f"Why {n}?", "So.", "atlas", f"0.{n:02}") for n in range(1, 31)]
    mapped = ("score:judge:j:correctness=score",)
    content = csv_bytes(HEAD, ("", "So.", "atlas", "0.55"), *rows)
    left = answer_file.load(content, "s.csv", mapped, RUBRIC).left_out()
    assert [(one.name, [row[0] for row in one.rows]) for one in lists.left_out(left).tables] == [
        ("by_score", ["0.55"])
    ]


def test_in_a_wide_sheet_a_row_loses_an_answer_of_each_model():
    content = csv_bytes(("question", "a", "b"), ("", "x", "y"), ("", "x", ""), ("Why?", "x", "y"))
    left = answer_file.load(content, "w.csv", ("answer:one=a", "answer:two=b")).left_out()
    assert groups(left, "answering_model") == [("one", 1, 2), ("two", 1, 1)]


def test_rows_that_contradict_the_store_are_left_out_too():
    sheet = read(("Why?", "So.", "atlas", "2"), ("Who?", "He.", "birch", "2"))
    left = sheet.left_out({2})
    assert groups(left, "answering_model") == [("atlas", 1, 0), ("birch", 0, 1)]
    assert groups(left, "score") == [("2", 1, 1)]


def off(row, given, column="score"):
    problem = said("the score {given} is off the scale.", given=given, fault_code="off_scale")
    return BadRow(row, row + 1, column, problem, value=str(given))


def test_one_kind_has_its_count_and_three_examples_of_different_values():
    (kind,) = kinds([off(1, 7), off(2, 7), off(3, 8), off(5, 9), off(6, 11)])
    assert (kind["count"], kind["rows"]) == (5, "1-3, 5-6")
    assert [(one["row"], one["line"], one["value"]) for one in kind["examples"]] == [
        (1, 2, "7"), (3, 4, "8"), (5, 6, "9"),
    ]  # fmt: skip
    assert "…" in kind["problem"]


def test_rows_in_many_places_are_counted_and_not_listed():
    (kind,) = kinds([off(row, 7) for row in range(1, 4001, 2)])
    assert (kind["count"], kind["rows"]) == (2_000, "1, 3, 5, 7, 9 and 1,995 more")


def test_a_row_with_the_same_fault_twice_counts_once():
    (kind,) = kinds([off(1, 7), off(1, 8)])
    assert (kind["count"], kind["rows"]) == (1, "1")


def test_a_hundred_thousand_bad_rows_are_grouped_at_once():
    assert kinds([off(row, row) for row in range(100_000)])[0]["count"] == 100_000


def test_lines_are_shown_where_a_file_has_lines_and_never_as_none():
    of_json = [BadRow(2, None, "answer", "Empty."), BadRow(4, None, None, "No object.")]
    shown = [[*row.values()] for row in table_rows(of_json)]
    assert shown == [[2, "answer", "Empty.", ""], [4, "", "No object.", ""]]
    of_csv = [BadRow(1, None, "answer", "Empty."), BadRow(2, 4, "answer", "Empty.")]
    assert [row["line"] for row in table_rows(of_csv)] == [1, 4]


def test_a_flag_names_its_first_rows():
    assert flagged(Flag("odd", 3, (7,), "Odd.")) == "Odd. (row 7…)"
