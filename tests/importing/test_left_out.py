"""What importing the rest leaves out, and what would be biased by it."""

from collections import Counter

import pytest

from concord.importing import answer_file, faults, grade_file
from concord.importing.columns import column_map
from concord.importing.faults import Group, LeftOut, Lost, score_name
from concord.importing.readers.formats import open_table
from concord.rubrics.model import presets
from tests.support.files import csv_bytes

RUBRIC = presets()["doc-qa-0-3"]
HEAD = ("question", "answer", "answer_model", "score")
MAPPED = ("score:annotator:Ana:correctness=score",)


def read(*rows):
    return answer_file.load(csv_bytes(HEAD, *rows), "s.csv", MAPPED, RUBRIC)


def test_refused_rows_are_counted_by_answering_model_and_by_score():
    good = [(f"Why {n}?", "So.", "birch", "3") for n in range(6)]
    bad = [("", "So.", "atlas", "0"), ("", "So.", "atlas", "0.0"), ("", "So.", "birch", "")]
    found = read(*good, *bad).left_out()
    assert found.models == (Group("atlas", 0, 2), Group("birch", 6, 1))
    assert found.scores == (Group("0", 0, 2), Group("3", 6, 0))
    assert (found.answers, found.grades) == (3, 2)
    assert found.sentence() == (
        "Importing the rest leaves out 3 of 9 answers and 2 of 8 grades. The import may be "
        "biased, because some groups lose more than others: all 2 answers of atlas, all 2 grades "
        "with score 0."
    )


def test_words_are_counted_as_the_scores_they_are_mapped_to():
    rows = [("Why?", "So.", "atlas", "Good"), ("", "So.", "atlas", "good"), ("", "", "", "2,0")]
    table = open_table(csv_bytes(HEAD, *rows), "s.csv")
    columns = column_map(table.columns, MAPPED)
    found = answer_file.read(table, columns, RUBRIC, {"good": 2})
    assert found.left_out().scores == (Group("2", 1, 2),)


def test_of_many_scores_only_those_that_are_lost_are_shown():
    rows = [(f"Why {n}?", "So.", "atlas", f"0.{n:02}") for n in range(1, 31)]
    mapped = ("score:judge:j:correctness=score",)
    content = csv_bytes(HEAD, ("", "So.", "atlas", "0.55"), *rows)
    found = answer_file.load(content, "s.csv", mapped, RUBRIC).left_out()
    assert [(name, [one.name for one in groups]) for name, groups in found.tables()] == [
        ("score", ["0.55"])
    ]


def test_a_refused_score_leaves_its_answer_in():
    found = read(("Why?", "So.", "atlas", "2.5"), ("Who?", "He.", "atlas", "2")).left_out()
    assert found.models == (Group("atlas", 2, 0),)
    assert found.scores == (Group("2", 1, 0), Group("2.5", 0, 1))
    assert found.sentence().startswith("Importing the rest leaves out 1 of 2 grades. ")


def test_contradicting_rows_are_one_answer_and_all_their_grades():
    rows = [("Why?", "So.", "atlas", "2"), ("Why?", "Not so.", "atlas", "3")]
    found = read(*rows, ("Who?", "He.", "birch", "2")).left_out()
    assert found.models == (Group("atlas", 0, 1), Group("birch", 1, 0))
    assert found.grades == 2


def test_in_a_wide_sheet_a_row_loses_an_answer_of_each_model():
    content = csv_bytes(("question", "a", "b"), ("", "x", "y"), ("", "x", ""), ("Why?", "x", "y"))
    found = answer_file.load(content, "w.csv", ("answer:one=a", "answer:two=b")).left_out()
    assert found.models == (Group("one", 1, 2), Group("two", 1, 1))


def test_nothing_left_out_says_nothing():
    found = read(("Why?", "So.", "atlas", "2")).left_out()
    assert (found.sentence(), found.tables(), found.answers) == ("", [], 0)


def test_rows_that_contradict_the_store_are_left_out_too():
    sheet = read(("Why?", "So.", "atlas", "2"), ("Who?", "He.", "birch", "2"))
    assert sheet.left_out({2}).models == (Group("atlas", 1, 0), Group("birch", 0, 1))
    assert sheet.left_out({2}).scores == (Group("2", 1, 1),)


def test_grades_of_a_file_are_counted_by_score():
    head = ("item_id", "criterion", "grader", "grader_kind", "score")
    rows = [("a", "correctness", "Ana", "annotator", score) for score in ("3", "1.5", "1.5")]
    known = {f'["{name}"]': number for number, name in enumerate("ab")}
    rows.append(("b", "correctness", "Ana", "annotator", "3"))
    rows.append(("zz", "correctness", "Ana", "annotator", "3"))
    found = grade_file.load(csv_bytes(head, *rows), "g.csv", rubric=RUBRIC, known=known).left_out()
    assert found.scores == (Group("1.5", 0, 2), Group("3", 2, 1))
    assert found.sentence().startswith("Importing the rest leaves out 3 of 5 grades. ")


def test_groups_that_lose_alike_are_not_called_biased():
    groups = (Group("atlas", 3, 1), Group("birch", 3, 1))
    said = LeftOut(groups, ()).sentence()
    assert said == "Importing the rest leaves out 2 of 8 answers."


def test_answers_of_an_unknown_model_are_a_group_of_their_own():
    found = faults.exclusions([], [], Lost(Counter({None: 2}), Counter()))
    assert found.models == (Group(None, 0, 2),)
    assert found.as_json()["by_answering_model"] == [
        {"name": None, "taken": 0, "left_out": 2, "share_left_out": 1.0}
    ]


@pytest.mark.parametrize(
    ("given", "named"), [(2, "2"), (2.0, "2"), ("2.50", "2.5"), ("good", "good"), (None, "")]
)
def test_scores_are_counted_as_numbers_and_words_as_written(given, named):
    assert score_name(given) == named
