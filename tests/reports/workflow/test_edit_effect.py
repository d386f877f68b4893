from concord.reports.document import as_json
from concord.reports.workflow.edit_effect import document, effect
from concord.rubrics.model import presets
from concord.store import graders
from concord.store.grades import Press, record
from concord.store.rubrics import rubric_edits
from concord.store.rubrics.rubric_edits import GradeCounts
from tests.support.rubrics import OLD, edited, with_another_meaning

OF_A = {"correctness": GradeCounts(3, 10), "readability": GradeCounts(2, 0)}
HELD = {"a": OF_A, "b": {"correctness": GradeCounts(1, 0)}}


def after(new, carried=()):
    found = effect(OLD, new, HELD, carried)
    return [(one.criterion, one.sheet, one.after, one.comparable) for one in found.rows]


def test_grades_left_behind_are_counted_by_sheet_and_by_who_gave_them():
    found = effect(OLD, with_another_meaning(), HELD)
    assert found.sentence == (
        "Left with the earlier version, not counted under the new one: 14 grades (4 by annotators, "
        "10 by judges) on 2 sheets."
    )
    assert [(one.sheet, one.annotators, one.judges) for one in found.rows[:2]] == [
        ("a", 3, 10),
        ("b", 1, 0),
    ]
    assert document(found).headline == found.sentence
    assert as_json(found)["rows"][0]["what"] == ["meaning of 2"]


def test_grades_carried_as_wording_only_count_on():
    sentence = effect(OLD, with_another_meaning(), HELD, {"correctness"}).sentence
    assert sentence == "No grade becomes outdated. All still count (16 grades)."
    assert after(with_another_meaning(), {"correctness"})[0][2:] == (
        "count under the new version",
        "yes: wording only, as you say",
    )


def test_a_title_alone_leaves_all_as_it_is():
    found = effect(OLD, edited(title="Right?"), HELD)
    assert found.sentence == (
        "No criterion gets a new version. All grades count as before (16 grades)."
    )
    assert not any(one.stays_behind for one in found.rows)
    assert effect(OLD, OLD, HELD).sentence == "Nothing is changed yet."


def test_what_is_shown_or_the_scale_makes_grades_incomparable():
    new = OLD.model_copy(update={"shown": ("question",)})
    left = "stay with the earlier version"
    assert after(new)[0] == ("correctness", "a", left, "no: what is shown changed")
    assert after(presets()["doc-qa-0-4"])[0][3] == "no: scale changed"


def test_a_removed_criterion_keeps_its_grades_with_the_earlier_rubric():
    new = OLD.model_copy(update={"criteria": OLD.criteria[:2]})
    assert after(new)[-1] == ("readability", "a", "stay with the earlier rubric", None)


def test_current_grades_alone_are_counted(store, sheet, rubric, ana):
    version = rubric[1].versions()["correctness"]
    record(store, [Press(1, version, ana, score=2)])
    record(store, [Press(1, version, ana, score=3), Press(2, version, ana, score=1)])
    judge = graders.ensure(store, "judge", "terse")
    record(store, [Press(1, version, judge, score=2)])
    assert rubric_edits.grade_counts(store, sheet.id, rubric[1]) == {
        "correctness": GradeCounts(2, 1)
    }
