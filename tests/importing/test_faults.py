"""Faults by kind."""

from concord.importing.faults import kinds
from concord.messages import said
from concord.model import BadRow


def off(row, given, column="score"):
    problem = said("the score {given} is off the scale.", given=given, fault_code="off_scale")
    return BadRow(row, column, problem)


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
