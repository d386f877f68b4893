"""What must be graded again when a criterion is worded anew, and what an edit leaves behind."""

from concord.grading.disagreement_causes import Tag, tag
from concord.reports.workflow import regrade
from concord.reports.workflow.regrade import edit_effect
from concord.store import graders
from concord.store.grades import Press, record
from concord.store.rubrics import rubric_edits
from concord.store.rubrics.rubric_edits import GradeCounts
from tests.support.panels import ATLAS, BIRCH, give, judge
from tests.support.rubrics import OLD, edited, reworded, with_another_meaning


def called_unclear(store, doc_qa, ana):
    ids = [
        row["id"]
        for row in store.rows(
            "select id from grades where item_id = 1 and repeat = 1"
            " and version = ? and status = 'scored'",
            [doc_qa.versions()["correctness"]],
        )
    ]
    tag(store, Tag(1, doc_qa.versions()["correctness"], tuple(ids), "rubric_unclear", ana))


def listed(found):
    if found.empty:
        return []
    rows = found[["grader", "item", "status"]].itertuples(index=False)
    return [(grader.split("@")[0], item, status) for grader, item, status in rows]


def test_a_copy_made_after_a_tag_lists_what_was_graded_and_shrinks(
    store, sheet, doc_qa, graded_anew, ana
):
    called_unclear(store, doc_qa, ana)
    new = reworded(doc_qa)
    rubric_edits.save(store, doc_qa, new, {})
    found = regrade.outstanding(store, new, "correctness")
    assert listed(found) == [
        ("Ana", "000-atlas", "scored"),
        ("Ana", "000-birch", "scored"),
        ("Ben", "000-atlas", "cannot_grade"),
        ("gpt", "000-atlas", "scored"),
        ("gpt", "000-birch", "scored"),
    ]
    counts = [(row.pop("grader").split("@")[0], *row.values()) for row in regrade.by_grader(found)]
    assert counts == [
        ("Ana", "annotator", 2, 2),
        ("Ben", "annotator", 1, 1),
        ("gpt", "judge", 2, 2),
    ]
    assert {*found["version"]} == {doc_qa.versions()["correctness"]}
    assert not listed(regrade.outstanding(store, new, "readability"))
    give(store, new, "Ana", {ATLAS: 2})
    judge(store, new, "gpt", {ATLAS: 2, BIRCH: 2})
    assert listed(regrade.outstanding(store, new, "correctness")) == [
        ("Ana", "000-birch", "scored"),
        ("Ben", "000-atlas", "cannot_grade"),
    ]


def test_a_copy_that_no_tag_led_to_starts_without_grades(store, sheet, doc_qa, graded_anew):
    new = reworded(doc_qa)
    rubric_edits.save(store, doc_qa, new, {})
    assert not listed(regrade.outstanding(store, new, "correctness"))


def test_later_versions_of_ones_own_rubric_list_the_earlier_ones(store, sheet, doc_qa, graded_anew):
    first, second = reworded(doc_qa), reworded(doc_qa, words="Is it true?")
    rubric_edits.save(store, doc_qa, first, {})
    give(store, first, "Ana", {ATLAS: 2})
    rubric_edits.save(store, first, second, {})
    assert listed(regrade.outstanding(store, second, "correctness")) == [
        ("Ana", "000-atlas", "scored")
    ]


def test_wording_that_was_carried_over_asks_for_nothing(store, sheet, doc_qa, graded_anew):
    first, second = reworded(doc_qa), reworded(doc_qa, words="Is it true?")
    rubric_edits.save(store, doc_qa, first, {})
    give(store, first, "Ana", {ATLAS: 2})
    rubric_edits.save(store, first, second, {"correctness": "the same in other words"})
    assert not listed(regrade.outstanding(store, second, "correctness"))


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
