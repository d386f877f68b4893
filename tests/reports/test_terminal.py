"""Tables for a terminal: aligned whatever the letters, and no figure looks better than it is."""

import pytest

from concord.reports import cells, lists, terminal
from concord.reports.document import Document
from concord.stats.core.estimate import undefined, with_interval, without_interval
from concord.text import display


@pytest.mark.parametrize(
    ("word", "columns"),
    [
        ("", 0),
        ("answer", 6),
        ("中文", 4),
        ("かな", 4),
        ("한국어", 6),
        ("ｆｕｌｌ", 8),
        ("é", 1),
        ("e\u0301", 1),
        ("naïve", 5),
        ("\u200b", 0),
        ("👍", 2),
    ],
)
def test_wide_letters_take_two_columns_and_marks_none(word, columns):
    assert display.width(word) == columns


def test_columns_stand_under_their_heads_also_in_chinese():
    lines = terminal.table(("grader", "n"), [("李明", 3), ("Ana", 1234)]).splitlines()
    assert lines == ["grader      n", "李明        3", "Ana     1,234"]
    assert {display.width(line) for line in lines} == {13}


def test_a_column_of_words_stands_left_and_no_line_ends_in_blanks():
    assert (
        terminal.table(("a", "word"), [("x", "y"), ("long", "z")]) == "a     word\nx     y\nlong  z"
    )


def test_nothing_in_a_cell_moves_the_cursor_or_breaks_the_line():
    shown = terminal.table(("a",), [("one\ntwo\x1b[2Jthree\r",)])
    assert shown == "a\none two␛[2Jthree"


def test_nothing_in_a_sentence_turns_the_line_or_hides_it():
    document = Document("one\x1b[2J\x9b\r", ("\u202etwo",), notes=("three\nlines",))
    assert terminal.text(document) == "one␛[2J��\n�two\n\nthree\nlines"


def test_a_table_without_rows_is_its_heads():
    assert terminal.table(("a", "b"), []) == "a  b"


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0"), (0.004, "<1"), (0.006, "1"), (0.5, "50"), (0.994, "99"), (0.996, ">99"), (1, "100")],
)
def test_percent_is_0_or_100_only_where_it_is_exactly_that(value, shown):
    assert cells.percent(value) == shown


def test_a_share_has_its_interval_beside_it():
    assert cells.written(with_interval(0.834, 0.771, 0.884, "Wilson"), "share") == "83% [77, 88]"
    assert cells.written(without_interval(0.5, "too few"), "share") == "50%"
    assert cells.written(undefined("nothing"), "share") == "—"


def test_a_signed_figure_says_its_sign_and_there_is_no_minus_nought():
    found = with_interval(-0.001, -0.2, 0.2, "jackknife")
    assert cells.written(found, "difference") == "+0.00 [-0.20, +0.20]"
    assert cells.written(without_interval(0.64, "too few"), "number") == "0.64"
    assert cells.written(undefined("nothing"), "number") == "—"


def test_the_lists_say_what_to_do_where_there_is_nothing():
    assert "demo" in lists.sheets([]).headline
    assert lists.graders([]).headline == "No grades yet."
