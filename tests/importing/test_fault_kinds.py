"""Each kind of fault once, with its count and three examples."""

from concord.importing import faults
from concord.importing.faults import Example, kinds
from concord.importing.readers.table import BadRow
from concord.messages import Said, said


def off(row, given, column="score"):
    problem = said("the score {given} is off the scale. Give one of {scale}.", given=given, scale=3)
    return BadRow(row, row + 1, column, problem, value=str(given))


def test_one_kind_has_its_count_and_three_examples_of_different_values():
    (kind,) = kinds([off(1, 7), off(2, 7), off(3, 8), off(5, 9), off(6, 11)])
    assert kind.count == 5
    assert kind.problem == "the score … is off the scale. Give one of 3."
    assert kind.examples == (
        Example(1, 2, "score", "7"),
        Example(3, 4, "score", "8"),
        Example(5, 6, "score", "9"),
    )
    assert kind.sentence() == (
        "Rows 1-3, 5-6 (lines 2-4, 6-7), column “score”: the score … is off the scale."
        " Give one of 3.\n    For example row 1: “7”, row 3: “8”, row 5: “9”."
    )


def test_the_same_fault_in_another_column_is_another_kind():
    found = kinds([off(1, 7), off(2, 7, "other"), off(3, 7)])
    assert [(kind.column, kind.rows) for kind in found] == [("score", (1, 3)), ("other", (2,))]
    assert found[0].problem == "the score 7 is off the scale. Give one of 3."


def test_a_single_row_is_told_in_full():
    (kind,) = kinds([off(4, 7)])
    assert kind.sentence() == (
        "Row 4 (line 5), column “score”: the score 7 is off the scale. Give one of 3."
    )


def test_where_no_value_is_known_the_words_that_differ_are_the_examples():
    problems = (said("“{word}” is unknown. Correct it.", word=word) for word in "abcd")
    (kind,) = kinds([BadRow(n, None, None, one) for n, one in enumerate(problems, 1)])
    assert [one.value for one in kind.examples] == ["a", "b", "c"]
    assert kind.problem == "“…” is unknown. Correct it."
    named = (said("{name} is unknown.", name=said("Item {id}", id=id)) for id in "ab")
    (kind,) = kinds([BadRow(n, None, None, one) for n, one in enumerate(named, 1)])
    assert isinstance(kind.examples[0].value, Said)


def test_rows_in_many_places_are_counted_and_not_listed():
    (kind,) = kinds([off(row, 7) for row in range(1, 4001, 2)])
    assert kind.sentence().startswith("Rows 1, 3, 5, 7, 9 and 1,995 more (2,000 rows)")


def test_a_row_with_the_same_fault_twice_counts_once():
    (kind,) = kinds([off(1, 7), off(1, 8)])
    assert (kind.count, kind.rows) == (1, (1,))


def test_a_hundred_thousand_bad_rows_are_grouped_at_once():
    assert faults.kinds([off(row, row) for row in range(100_000)])[0].count == 100_000
