"""The rubric of a file's grades where none is named."""

import pytest

from concord.importing.columns import column_map
from concord.importing.proposals.grade_rubric import grade_rubric, under
from concord.importing.readers.formats import open_table
from concord.messages import Problem
from concord.rubrics.model import presets

ANA = "score:annotator:Ana:Overall quality=quality"


def table(*cells: str):
    rows = "".join(f"Q{n}?,A{n},{cell}\n" for n, cell in enumerate(cells))
    return open_table(f"question,answer,quality\n{rows}".encode(), "mine.csv")


def proposed(*cells: str, mapped=ANA, words=None, stored=()):
    opened = table(*cells)
    return grade_rubric(opened, column_map(opened.columns, [mapped]), stored, words or {})


def test_a_rubric_is_made_with_the_scale_of_the_grades():
    found = proposed("1", "2", "5", "4")
    rubric = found.fit.rubric
    assert found.fit.is_new and rubric.name == "mine" and rubric.scale == (1, 2, 3, 4, 5)
    assert [(one.name, one.title) for one in rubric.criteria] == [
        ("overall_quality", "Overall quality")
    ]
    assert [score.criterion for score in found.columns.scores] == ["overall_quality"]


@pytest.mark.parametrize(
    ("cells", "scale"),
    [(("9", "7"), "Scale 1-10: values: 7, 9; "), (("0.5", "0.7"), "Scale 0-1: "),
     (("55", "72"), "Scale 1-100: values: 55, 72; ")],
)  # fmt: skip
def test_the_scale_that_is_assumed_is_said_with_how_to_give_another(cells, scale):
    told = proposed(*cells).sentence()
    assert scale in told and told.endswith("Another: --scale")


def test_a_stored_rubric_fits_by_criterion_and_scale_and_not_by_criterion_alone():
    stored = [one for one in presets().values() if not one.units]
    of_correctness = "score:annotator:Ana:correctness=quality"
    found = proposed("0", "3", "2", "1", mapped=of_correctness, stored=stored)
    assert not found.fit.is_new and found.fit.rubric.scale == (0, 1, 2, 3)
    found = proposed("1", "100", mapped=of_correctness, stored=stored)
    assert found.fit.is_new and 100 in found.fit.rubric.scale


def test_words_get_their_conventional_scores_and_the_users_before_them():
    found = proposed("Useful", "Not useful", "Useful")
    assert sorted(found.words.values()) == [0, 1] and found.fit.rubric.scale == (0, 1)
    with pytest.raises(Problem, match="without a known score: blorp"):
        proposed("Useful", "blorp", "Not useful")


def test_a_file_without_grades_needs_no_rubric():
    assert proposed("", "", "") is None


def test_a_criterion_that_the_rubric_does_not_have_is_named():
    columns = column_map(table("1").columns, [ANA])
    with pytest.raises(Problem, match="Overall quality"):
        under(columns, presets()["doc-qa-0-3"])
