"""What must be graded again when a criterion is worded anew: these grades, and no others."""

from concord.grading.disagreement_causes import Tag, tag
from concord.reports.workflow import regrade
from concord.store.rubrics import rubric_edits
from tests.support.panels import ATLAS, BIRCH, give, judge
from tests.support.rubrics import reworded


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
    return [(row.grader.split("@")[0], row.item, row.status) for row in found]


def test_a_change_would_leave_behind_every_first_grade_annotators_first(
    store, sheet, doc_qa, graded_anew
):
    found = regrade.after_change(store, doc_qa, "correctness")
    assert listed(found) == [
        ("Ana", "000-atlas", "scored"),
        ("Ana", "000-birch", "scored"),
        ("Ben", "000-atlas", "cannot_grade"),
        ("gpt", "000-atlas", "scored"),
        ("gpt", "000-birch", "scored"),
    ]
    assert regrade.sentence(found) == "5 grades to regrade (3 by annotators, 2 by judges)."
    counts = [(row[0].split("@")[0], *row[1:]) for row in regrade.grader_table(found).rows]
    assert counts == [
        ("Ana", "annotator", 2, 2),
        ("Ben", "annotator", 1, 1),
        ("gpt", "judge", 2, 2),
    ]
    assert {one.version for one in found} == {doc_qa.versions()["correctness"]}


def test_before_any_change_nothing_must_be_graded_again(store, sheet, doc_qa, graded_anew):
    found = regrade.outstanding(store, doc_qa, "correctness")
    assert found == ()
    assert regrade.sentence(found) == "no grades to regrade."


def test_a_copy_made_after_a_tag_lists_what_was_graded_and_shrinks(
    store, sheet, doc_qa, graded_anew, ana
):
    called_unclear(store, doc_qa, ana)
    new = reworded(doc_qa)
    rubric_edits.save(store, doc_qa, new, {})
    assert len(regrade.outstanding(store, new, "correctness")) == 5
    assert not regrade.outstanding(store, new, "readability")
    give(store, new, "Ana", {ATLAS: 2})
    judge(store, new, "gpt", {ATLAS: 2, BIRCH: 2})
    assert listed(regrade.outstanding(store, new, "correctness")) == [
        ("Ana", "000-birch", "scored"),
        ("Ben", "000-atlas", "cannot_grade"),
    ]


def test_a_copy_that_no_tag_led_to_starts_without_grades(store, sheet, doc_qa, graded_anew):
    new = reworded(doc_qa)
    rubric_edits.save(store, doc_qa, new, {})
    assert not regrade.outstanding(store, new, "correctness")


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
    assert not regrade.outstanding(store, second, "correctness")
    assert listed(regrade.after_change(store, second, "correctness")) == [
        ("Ana", "000-atlas", "scored")
    ]
