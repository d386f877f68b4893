"""Which rubric a file of grades is under: the sheet's, or the only one that fits, or ask."""

import pytest

from concord.grading import grading_sets
from concord.importing import grade_file, sheet_import
from concord.importing.columns import column_map
from concord.importing.fields import GRADE_FIELDS
from concord.importing.readers.formats import open_table
from concord.importing.sheet_rubric import (
    criteria,
    of_file,
    proposed_for_set,
    proposed_rubric,
)
from concord.messages import Problem
from concord.rubrics.model import FIRST
from concord.store.items import item_keys
from concord.store.rubrics import rubric_versions

LONG = "item_id,criterion,grader,grader_kind,score\n"


def table(text):
    return open_table(text.encode(), "g.csv")


def chosen(store, sheet, text, said=()):
    found = table(text)
    return of_file(store, sheet, found, column_map(found.columns, said, GRADE_FIELDS))


def grade(store, sheet, rubric, criterion):
    text = f"{LONG}000-atlas,{criterion},Ana,annotator,1\n"
    read = grade_file.load(text.encode(), "g.csv", rubric=rubric, known=item_keys(store, sheet.id))
    sheet_import.take_grades(store, sheet, read, rubric)


@pytest.mark.parametrize("word", ["tone", "Tone of voice", " TONE "])
def test_the_only_rubric_with_the_files_criteria_is_taken(store, sheet, own_rubric, word):
    assert chosen(store, sheet, f"{LONG}000-atlas,{word},Ana,annotator,1\n") == own_rubric


def test_the_sheets_own_rubric_comes_before_all_others(store, sheet, rubric):
    grade(store, sheet, rubric[1], "correctness")
    found = chosen(store, sheet, f"{LONG}001-atlas,readability,Ana,annotator,1\n")
    assert found.name == "doc-qa-0-3"


def test_several_rubrics_that_fit_are_never_chosen_between(store, sheet):
    text = f"{LONG}000-atlas,correctness,Ana,annotator,3\n"
    with pytest.raises(Problem, match=r"Several rubrics .*doc-qa-0-3, doc-qa-0-4.*--rubric"):
        chosen(store, sheet, text)


def test_two_rubrics_of_the_sheet_are_never_chosen_between(store, sheet, rubric):
    grade(store, sheet, rubric[1], "correctness")
    grade(store, sheet, rubric_versions.named(store, "doc-qa-0-4")[1], "correctness")
    with pytest.raises(Problem, match=r"\(“correctness”\): doc-qa-0-3, doc-qa-0-4\."):
        chosen(store, sheet, f"{LONG}001-atlas,correctness,Ana,annotator,1\n")


def test_a_rubric_of_the_sheet_that_does_not_fit_is_not_taken(store, sheet, rubric, own_rubric):
    grade(store, sheet, rubric[1], "correctness")
    assert chosen(store, sheet, f"{LONG}001-atlas,tone,Ana,annotator,1\n") == own_rubric


def test_a_criterion_no_rubric_has_is_named(store, sheet):
    with pytest.raises(Problem, match=r"No rubric has what g\.csv grades: “wit”"):
        chosen(store, sheet, f"{LONG}000-atlas,wit,Ana,annotator,3\n")


def test_columns_of_scores_name_their_criteria(store, sheet, own_rubric):
    said = ["score:person:Ana:tone=ana"]
    assert chosen(store, sheet, "item_id,ana\n000-atlas,1\n", said) == own_rubric


def test_a_file_without_criteria_fits_rubrics_of_one_criterion(store, sheet, own_rubric):
    text = "item_id,grader,grader_kind,score\n000-atlas,Ana,annotator,1\n"
    with pytest.raises(Problem, match="Several rubrics") as told:
        chosen(store, sheet, text)
    assert "own" in str(told.value) and "doc-qa" not in str(told.value)


def test_a_file_that_holds_no_grades_is_called_that_first(store, sheet):
    with pytest.raises(Problem, match="No column is recognised as the score or the grader"):
        chosen(store, sheet, "name,colour\na,b\n")


def test_every_criterion_of_the_file_is_read(store):
    found = table(f"{LONG}a,one,Ana,annotator,1\nb, two ,Ana,annotator,1\nc,,Ana,annotator,1\n")
    assert criteria(found, column_map(found.columns, (), GRADE_FIELDS)) == {"one", "two"}


def judged(store, sheet, rubric, criterion="correctness", kind="judge", n=3):
    rows = "".join(f"{i:03}-atlas,{criterion},Jo,{kind},1\n" for i in range(n))
    text = f"{LONG}{rows}"
    read = grade_file.load(text.encode(), "g.csv", rubric=rubric, known=item_keys(store, sheet.id))
    sheet_import.take_grades(store, sheet, read, rubric)


def test_the_rubric_of_annotators_stays_the_default_whatever_judges_were_run_with(
    store, sheet, rubric
):
    other = rubric_versions.named(store, "doc-qa-0-4")[1]
    grade(store, sheet, other, "correctness")
    judged(store, sheet, rubric[1])
    assert rubric_versions.annotators_use(store, sheet.id) == "doc-qa-0-4"
    assert rubric_versions.graded(store, sheet.id) == ["doc-qa-0-4", "doc-qa-0-3"]
    assert rubric_versions.of_sheet(store, sheet)[1] == other
    assert proposed_rubric(store, sheet) == "doc-qa-0-4"
    grade(store, sheet, rubric[1], "correctness")
    with pytest.raises(Problem, match="under several rubrics: doc-qa-0-3, doc-qa-0-4"):
        rubric_versions.of_sheet(store, sheet)
    assert rubric_versions.of_sheet(store, sheet, "doc-qa-0-3")[1] == rubric[1]


def test_figures_of_a_sheet_that_no_annotator_graded_are_of_the_rubric_that_judges_used(
    store, sheet, rubric
):
    with pytest.raises(Problem, match="Nothing in sheet “numbers” is graded yet"):
        rubric_versions.of_sheet(store, sheet)
    assert proposed_rubric(store, sheet) == FIRST
    judged(store, sheet, rubric[1])
    judged(store, sheet, rubric_versions.named(store, "doc-qa-0-4")[1])
    assert rubric_versions.of_sheet(store, sheet) == rubric


def test_annotators_who_have_not_graded_yet_keep_the_rubric_of_their_newest_set(
    store, sheet, rubric
):
    judged(store, sheet, rubric[1])
    assert proposed_rubric(store, sheet) == "doc-qa-0-3"
    rubric_id, _ = rubric_versions.named(store, "doc-qa-1-5")
    grading_sets.create(store, sheet.id, rubric_id, "Team", None, 1)
    assert proposed_rubric(store, sheet) == "doc-qa-1-5"


def test_a_new_set_begins_with_the_rubric_last_saved_or_last_used_on_the_sheet(
    store, sheet, four, rubric
):
    grade(store, sheet, rubric[1], "correctness")
    assert proposed_for_set(store, sheet) == "doc-qa-0-3"
    own = rubric[1].model_copy(update={"name": "ours"})
    own_id = rubric_versions.register(store, own, "app")
    assert proposed_for_set(store, sheet) == "ours"
    assert proposed_rubric(store, sheet) == "doc-qa-0-3", "judges keep to what annotators use"
    used, _ = rubric_versions.named(store, "doc-qa-1-5")
    made = grading_sets.create(store, sheet.id, used, "Team", None, 1)
    with store.write():
        store.execute("update grading_sets set created_at = '9999' where id = ?", (made.id,))
    assert proposed_for_set(store, sheet) == "doc-qa-1-5"
    grading_sets.create(store, four.id, own_id, "Theirs", None, 1)
    with store.write():
        store.execute("delete from grading_sets where id = ?", (made.id,))
    assert proposed_for_set(store, sheet) == "doc-qa-0-3", "saved for the other sheet"
