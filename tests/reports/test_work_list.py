"""Lists cut at a limit, their filters, and cells of a table."""

import pytest

from concord.messages import Problem
from concord.reports import cells, terminal
from concord.reports.disagreements import wanted
from concord.reports.document import Document, listing
from concord.stats.core.estimate import undefined, with_interval, without_interval
from concord.text import display
from tests.support.panels import give, judge, panel


@pytest.mark.parametrize(("total", "more"), [(0, ""), (2, ""), (1002, "1,000 more, not shown")])
def test_a_table_says_how_many_items_the_limit_hides(total, more):
    shown = listing("letters", "ab", (("letter", str),), "Letters", total, ("a note",))
    assert shown.tables[0].rows == (("a",), ("b",))
    assert shown.notes[0].startswith(more) and shown.notes[1] == "a note"
    assert bool(shown.notes[0]) == bool(more)


def test_an_option_of_the_list_names_what_it_restricts(store, sheet, rubric):
    doc_qa = rubric[1]
    give(store, doc_qa, "Ana", {0: 0, 1: 3})
    judge(store, doc_qa, "gpt", {0: 3, 1: 2})
    here = panel(store, doc_qa)
    (gpt,) = here.judges
    assert wanted(store, here, "gpt", "correctness", "0:3") == ("correctness", gpt, (0, 3))
    for wrong in ((None, None, "0:0"), ("nobody", None, None)):
        with pytest.raises(Problem):
            wanted(store, here, *wrong)


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
