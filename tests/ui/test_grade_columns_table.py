"""Rows of the table of grade columns as words of a column map."""

import pytest

from concord.messages import Problem
from concord.ui.grade_columns_table import words
from concord.ui.mapping_start import GradeRow, grade_row


def test_rows_that_are_taken_become_words():
    rows = [
        GradeRow(True, "a", "tone", "Ana", "annotator"),
        GradeRow(False, "b", "tone", "Ben", "annotator"),
        GradeRow(True, "c", " tone ", "from column who", "judge"),
        GradeRow(True, "d", "tone", "{who}", "mean"),
        GradeRow(True, "e", "from column aspect", "", "annotator"),
    ]
    assert words(rows) == [
        "score:annotator:Ana:tone=a",
        "score:judge:{who}:tone=c",
        "score:mean:{who}:tone=d",
        "score:annotator:e:{aspect}=e",
    ]


@pytest.mark.parametrize("criterion", ["", None, "  ", "tone: formal"])
def test_a_criterion_is_needed_and_has_no_colon(criterion):
    with pytest.raises(Problem, match="“a”"):
        words([GradeRow(True, "a", criterion, "Ana", "annotator")])


def test_who_graded_is_never_assumed():
    with pytest.raises(Problem, match="“feedback” has no kind of grader"):
        words([grade_row("feedback")._replace(take=True, criterion="tone")])
