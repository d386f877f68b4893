"""What must be graded again when a criterion is worded anew, and what an edit leaves behind."""

from concord.reports.workflow.regrade import edit_effect
from concord.store import graders
from concord.store.grades import Press, record
from concord.store.rubrics import rubric_edits
from concord.store.rubrics.rubric_edits import GradeCounts
from tests.support.rubrics import OLD, edited, with_another_meaning

OF_A = {"correctness": GradeCounts(3, 10), "readability": GradeCounts(2, 0)}
HELD = {"a": OF_A, "b": {"correctness": GradeCounts(1, 0)}}


def test_grades_left_behind_are_counted_by_who_gave_them():
    found = edit_effect(OLD, with_another_meaning(), HELD)
    assert found.headline.startswith("14 grades")
    assert found.tables[0].rows[0][1:] == ("meaning of 2", 4, 10, "do not count")
    carried = edit_effect(OLD, with_another_meaning(), HELD, ["correctness"])
    assert carried.tables[0].rows[0][-1] == "count on"


def test_a_title_alone_leaves_all_as_it_is():
    found = edit_effect(OLD, edited(title="Right?"), HELD)
    assert {row[-1] for row in found.tables[0].rows} == {"count on"}


def test_current_grades_alone_are_counted(store, sheet, rubric, ana):
    version = rubric[1].versions()["correctness"]
    record(store, [Press(1, version, ana, score=2)])
    record(store, [Press(1, version, ana, score=3), Press(2, version, ana, score=1)])
    terse = graders.ensure(store, "judge", "terse")
    record(store, [Press(1, version, terse, score=2)])
    assert rubric_edits.grade_counts(store, sheet.id, rubric[1]) == {
        "correctness": GradeCounts(2, 1)
    }
