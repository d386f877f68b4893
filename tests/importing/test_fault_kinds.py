"""Each kind of fault once, with its count and three examples."""

from concord.importing import faults
from concord.importing.faults import Example, kinds
from concord.importing.readers.table import BadRow
from concord.messages import said


def off(row, given, column="score"):
    problem = said("the score {given} is off the scale. Give one of {scale}.", given=given, scale=3)
    return BadRow(row, row + 1, column, problem, value=str(given))


def test_one_kind_has_its_count_and_three_examples_of_different_values():
    (kind,) = kinds([off(1, 7), off(2, 7), off(3, 8), off(5, 9), off(6, 11)])
    assert kind.count == 5
    assert kind.examples == (
        Example(1, 2, "score", "7"),
        Example(3, 4, "score", "8"),
        Example(5, 6, "score", "9"),
    )
    assert kind.sentence() == (
        "Rows 1-3, 5-6 (lines 2-4, 6-7), column “score”: the score … is off the scale."
        " Give one of 3.\n    For example row 1: “7”, row 3: “8”, row 5: “9”."
    )


def test_rows_in_many_places_are_counted_and_not_listed():
    (kind,) = kinds([off(row, 7) for row in range(1, 4001, 2)])
    assert kind.sentence().startswith("Rows 1, 3, 5, 7, 9 and 1,995 more (2,000 rows)")


def test_a_row_with_the_same_fault_twice_counts_once():
    (kind,) = kinds([off(1, 7), off(1, 8)])
    assert (kind.count, kind.rows) == (1, (1,))


def test_a_hundred_thousand_bad_rows_are_grouped_at_once():
    assert faults.kinds([off(row, row) for row in range(100_000)])[0].count == 100_000
