"""Rows of the table of grade columns as words of a column map."""

import pytest

from concord.messages import Problem
from concord.ui.grade_columns_table import Edited, edited_before, words
from concord.ui.mapping_start import GradeRow, grade_row


@pytest.mark.parametrize("criterion", ["", None, "  ", "tone: formal"])
def test_a_criterion_is_needed_and_has_no_colon(criterion):
    with pytest.raises(Problem, match="“a”"):
        words([GradeRow(True, "a", criterion, "Ana", "annotator")])


@pytest.mark.parametrize("kind", ["", "annotator"])
def test_who_graded_is_never_assumed(kind):
    with pytest.raises(Problem):
        words([grade_row("feedback")._replace(take=True, criterion="tone", kind=kind)])


def test_what_the_user_changed_in_a_column_outlasts_the_mapping_of_another():
    old = [(False, name, None, "", None, "") for name in ("priya", "tom", "model")]
    done = (True, "priya", "tone", "Priya", "annotator", "")
    before = Edited(old, old, {"priya": (old[0], done), "tom": (old[1], old[1])})
    assert edited_before(old, before) is old  # the editor still has the changes
    better = (False, "tom", "tone", "Tom", "annotator", "")
    assert edited_before([old[0], better], before) == [done, better]
