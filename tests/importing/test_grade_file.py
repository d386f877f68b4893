"""Grades made elsewhere: each finds its item, and what cannot be taken is named."""

import csv
import io

import pytest

from concord.importing import answer_file, grade_file
from concord.language.languages import shown
from concord.messages import Problem
from concord.model import Distribution
from concord.store import additions, items
from tests.support.files import csv_bytes
from tests.support.made_items import made_item
from tests.support.rubrics import rubric

HEADER = (
    "item_id",
    "criterion",
    "grader",
    "grader_kind",
    "score",
    "status",
    "reason",
    "repeat",
    "blind",
)
ITEMS = answer_file.load(
    csv_bytes(
        ("item_id", "question_id", "question", "answer", "model"),
        ("007", "q1", "Why?", "A", "m"),
        ("8", "q1", "Why?", "B", "n"),
        ("9", "q2", "How?", "C", "m"),
        ("10", "q2", "How?", "D", "m"),
    ),
    "s.csv",
).items


def known_keys(items: list) -> dict[str, str | None]:
    """Item identity by every key a grade may name it by; None for a key that fits several."""
    keys, identities = {}, {}
    for item in items:
        identities[item.identity] = item.identity
        for key in item.keys[1:]:
            keys[key] = None if key in keys else item.identity
    return keys | identities


KNOWN = known_keys(ITEMS)
GOOD = {
    "item_id": "007",
    "criterion": "correctness",
    "grader": "ann",
    "grader_kind": "person",
    "score": "3",
}


def load(*rows, using=None, mapped=()) -> grade_file.GradeSheet:
    return grade_file.load(
        csv_bytes(*rows),
        "g.csv",
        rubric=using or rubric("correctness", "style"),
        known=KNOWN,
        mapped=mapped,
    )


def of_dicts(*rows, **options) -> grade_file.GradeSheet:
    names = list(dict.fromkeys(name for row in rows for name in row))
    file = io.StringIO()
    writer = csv.DictWriter(file, names)
    writer.writeheader()
    writer.writerows(rows)
    return load(*csv.reader(io.StringIO(file.getvalue(), newline="")), **options)


def test_every_column_is_read():
    read = load(HEADER, ("007", "Style", " ann ", "human", "3.0", "", "Good.", "2", "1"))
    (grade,) = read.grades
    assert (grade.item_id, grade.criterion, grade.grader) == ("007", "style", "ann")
    assert (grade.grader_kind, grade.score, grade.status) == ("person", 3, "scored")
    assert (grade.reason, grade.repeat, grade.blind, grade.row) == ("Good.", 2, True, 1)
    assert (grade.item_key, grade.column) == (ITEMS[0].identity, "score")
    assert (read.bad_rows, read.refusal(), read.lost) == ([], None, {})


@pytest.mark.parametrize(
    "word, kind",
    [
        ("person", "person"),
        ("Human", "person"),
        ("judge", "judge"),
        ("LLM", "judge"),
        ("metric", "metric"),
    ],
)
def test_kinds_of_grader_have_two_names(word, kind):
    assert of_dicts({**GOOD, "grader_kind": word}).grades[0].grader_kind == kind


def test_a_metric_may_give_a_fraction():
    (comma,) = of_dicts({**GOOD, "grader_kind": "metric", "score": "0,25"}).grades
    (grade,) = of_dicts({**GOOD, "grader_kind": "metric", "score": "0.25"}).grades
    assert comma.score == grade.score
    assert grade.score == 0.25


def test_an_item_is_also_found_by_question_and_answering_model():
    row = {key: value for key, value in GOOD.items() if key != "item_id"}
    (grade,) = of_dicts({**row, "question_id": "q1", "answer_model": "n"}).grades
    assert ITEMS[1].identity == KNOWN[grade.item_key]
    (grade,) = of_dicts({**row, "question_id": "", "item_id": "8"}).grades
    assert grade.item_key == ITEMS[1].identity


@pytest.mark.parametrize(
    "change, column, words",
    [
        ({"item_id": "7"}, "item_id", "no item “7” in the sheet"),
        ({"item_id": ""}, "item_id", "no item id"),
        ({"criterion": "tone"}, "criterion", "Use one of: correctness, style"),
        ({"criterion": ""}, "criterion", "is not a criterion"),
        ({"grader": " "}, "grader", "there is no grader"),
        ({"grader_kind": "robot"}, "grader_kind", "Use annotator, judge"),
        ({"grader_kind": ""}, "grader_kind", "Use annotator, judge"),
        ({"score": "2.5"}, "score", "“2.5” is not a whole number"),
        ({"score": "2,000"}, "score", "“2,000” is not a whole number"),
        ({"score": "7"}, "score", "not on the scale"),
        ({"score": "good"}, "score", "is not a number"),
        ({"score": "", "status": ""}, "status", "there is no score"),
        ({"score": "3", "status": "refused"}, "status", "Keep one of them"),
        ({"score": "", "status": "tired"}, "status", "Use one of: scored, cannot_grade"),
        ({"repeat": "0"}, "repeat", "whole number from 1 to"),
        ({"repeat": "1.5"}, "repeat", "whole number from 1 to"),
        ({"repeat": "9" * 5000}, "repeat", "is not a whole number"),
        ({"blind": "maybe"}, "blind", "neither yes nor no"),
        ({"seconds": "-1"}, "seconds", "number of seconds"),
        ({"grader_kind": "metric", "score": "inf"}, "score", "is not a number"),
    ],
)
def test_a_bad_grade_is_named_by_row_and_column(change, column, words):
    read = of_dicts({**GOOD, "item_id": "8"}, {**GOOD, **change})
    (bad,) = read.bad_rows
    assert (bad.row, bad.line, bad.column) == (2, 3, column)
    assert words in bad.problem
    assert len(read.grades) == 1


@pytest.mark.parametrize("status", ["cannot_grade", "Cannot grade", "not_applicable", "failed"])
def test_a_status_stands_in_for_a_score(status):
    (grade,) = of_dicts({**GOOD, "score": "", "status": status}).grades
    assert grade.score is None
    assert grade.status == status.lower().replace(" ", "_")


def test_a_key_that_fits_two_items_is_refused():
    row = {**GOOD, "question_id": "q2", "answer_model": "m", "item_id": ""}
    (bad,) = of_dicts(row).bad_rows
    assert "matches several items" in bad.problem


def test_the_criterion_may_be_left_out_where_there_is_one():
    row = {key: value for key, value in GOOD.items() if key != "criterion"}
    assert of_dicts(row, using=rubric("clarity")).grades[0].criterion == "clarity"
    with pytest.raises(Problem, match="No column has the criterion"):
        of_dicts(row)


def test_identical_grades_fold():
    read = of_dicts(GOOD, GOOD)
    assert (len(read.grades), read.folded, read.bad_rows) == (1, 1, [])


def test_two_grades_of_one_grader_are_a_conflict_in_both_rows():
    read = of_dicts(GOOD, {**GOOD, "score": "2"}, {**GOOD, "grader": "bob"})
    assert [bad.row for bad in read.bad_rows] == [1, 2]
    assert "in row 2: 2 instead of 3" in read.bad_rows[0].problem
    assert [grade.grader for grade in read.grades] == ["bob"]
    assert read.lost == {"ann": 2}


def test_a_conflict_names_the_criterion_in_the_readers_language(doc_qa, translate):
    (bad, _) = of_dicts(GOOD, {**GOOD, "score": "2"}, using=doc_qa).bad_rows
    assert bad.problem.startswith("ann also grades correctness of the same item in row 2: 2 ")
    english = "{grader} also grades {criterion} of the same item in row {row}: {what}. Keep one "
    english += "of them, or number them in a column “repeat”."
    translate("ja", {english: "{grader}は{row}行でも{criterion}を採点：{what}"})
    assert shown(bad.problem, "ja").startswith("ann は2行でも正確さを採点：")


def test_a_conflict_is_seen_through_different_ways_of_naming_the_item():
    by_id = {**GOOD, "question_id": "", "answer_model": ""}
    by_question = {**GOOD, "item_id": "", "question_id": "q1", "answer_model": "m", "score": "0"}
    assert len(of_dicts(by_id, by_question).bad_rows) == 2


def test_repeats_are_told_apart_by_number():
    read = of_dicts({**GOOD, "repeat": "1"}, {**GOOD, "repeat": "2", "score": "2"})
    assert [(grade.repeat, grade.score) for grade in read.grades] == [(1, 3), (2, 2)]


def test_simulated_graders_are_marked():
    assert of_dicts({**GOOD, "simulated": "1"}).grades[0].simulated
    assert not of_dicts(GOOD).grades[0].simulated


def test_a_grader_who_loses_grades_is_warned_about():
    rows = [{**GOOD, "item_id": i, "score": s} for i, s in (("007", "3"), ("8", "2.5"))]
    read = of_dicts(*rows)
    assert read.lost == {"ann": 1}
    assert "ann loses 1 of 2 grades" in str(read.refusal())


def test_rows_with_the_same_fault_are_named_in_one_line():
    row = {"item_id": "", "criterion": "correctness", "grader": "Ana", "grader_kind": "person"}
    bad, good = row | {"score": 1}, row | {"item_id": "007", "score": 1}
    said = str(of_dicts(*[bad] * 3, good, *[bad] * 141).refusal()).splitlines()
    assert "Rows 1-3, 5-145 (lines 2-4, 6-146), column “item_id”: there is no item id" in said[1]
    assert "the question_id and, if several models answered, the answer_model." in said[1]
    assert [line[:4] for line in said if line.startswith("Row")] == ["Rows"]


def test_rows_whose_faults_differ_only_in_a_word_are_named_once_with_examples():
    bad = [{**GOOD, "item_id": f"x{number // 2}"} for number in range(40)]
    said = str(of_dicts(*bad, {**GOOD, "item_id": "8"}).refusal()).splitlines()
    assert said[1] == (
        "Rows 1-40 (lines 2-41), column “item_id”: there is no item “…” in the sheet. It has, for "
        "example, “007”, “8”, “9”. Correct the file, or import the answers first."
    )
    assert said[2] == "    For example row 1: “x0”, row 3: “x1”, row 5: “x2”."
    assert sum(line.startswith("Row") for line in said) == 1


@pytest.mark.parametrize(
    ("model", "column", "words"),
    [
        ("GPT", "model", "no answer by “GPT” to question “q1” in the sheet. It has, for example, "
         "“m”, “n”."),
        ("", "question_id", "question “q1” was answered by “m”, “n”. Map a column to the "
         "answering model too."),
    ],
)  # fmt: skip
def test_an_answer_that_is_not_found_is_told_the_answering_models_of_the_sheet(
    model, column, words
):
    given = {**GOOD, "question_id": "q1", "model": model}
    (bad,) = of_dicts({name: cell for name, cell in given.items() if name != "item_id"}).bad_rows
    assert bad.column == column and words in bad.problem


@pytest.mark.parametrize("model", ["", "m"])
def test_a_question_that_the_sheet_has_not_is_named_as_what_is_missing(model):
    given = {**GOOD, "question_id": "q7", "model": model}
    (bad,) = of_dicts({name: cell for name, cell in given.items() if name != "item_id"}).bad_rows
    assert bad.column == "question_id"
    assert bad.problem == (
        "there is no question “q7” in the sheet. Correct it, or import the answers first."
    )


def test_names_of_answers_are_listed_in_the_order_of_the_file(store):
    made = [made_item(n, own_id=None, question_id=None) for n in range(9)]
    sheet = additions.add(store, "bare", made, "bare.csv", "x", {})
    first, second, third, *_ = items.answer_names(store, sheet.id).values()
    rows = csv_bytes(tuple(GOOD), tuple({**GOOD, "item_id": "x"}.values()))
    known = items.item_keys(store, sheet.id)
    (bad,) = grade_file.load(rows, "g.csv", rubric=rubric("correctness"), known=known).bad_rows
    assert f"It has, for example, “{first}”, “{second}”, “{third}”." in bad.problem


def test_what_the_sheet_has_is_listed_and_quoted_as_in_the_readers_language():
    (bad,) = of_dicts({**GOOD, "item_id": "x"}).bad_rows
    assert "「007」、「8」、「9」" in shown(bad.problem, "ja")


def test_one_column_per_grader_can_be_mapped():
    read = load(
        ("id", "ann's", "bob's"),
        ("007", "3", ""),
        ("8", "2", "9"),
        mapped=["score:person:ann:style=ann's", "score:person:bob:style=bob's"],
    )
    assert [(g.item_id, g.grader, g.score) for g in read.grades] == [
        ("007", "ann", 3),
        ("8", "ann", 2),
    ]
    assert [(bad.row, bad.column) for bad in read.bad_rows] == [(2, "bob's")]
    assert read.lost == {"bob": 1}


def test_a_column_per_criterion_may_be_of_the_grader_whom_each_row_names():
    read = load(
        ("id", "Who", "Right", "Tone"),
        ("007", "ann", "3", "2"),
        ("007", "bob", "", "1"),
        ("8", "", "3", ""),
        ("8", "cy", "9", "2"),
        mapped=["score:person:{Who}:correctness=Right", "score:person:{Who}:style=Tone"],
    )
    assert [(g.item_id, g.grader, g.criterion, g.score) for g in read.grades] == [
        ("007", "ann", "correctness", 3),
        ("007", "ann", "style", 2),
        ("007", "bob", "style", 1),
        ("8", "cy", "style", 2),
    ]
    assert [(bad.row, bad.column) for bad in read.bad_rows] == [(3, "Right"), (4, "Right")]
    assert read.lost == {"cy": 1}


def test_a_criterion_is_not_read_from_a_column_of_its_own():
    with pytest.raises(Problem, match="reads a name from a column"):
        load(("id", "Of", "s"), ("7", "style", "3"), mapped=["score:person:ann:{Of}=s"])


def test_a_file_that_names_no_item_is_a_problem():
    with pytest.raises(Problem, match="which item a grade is for"):
        of_dicts({**GOOD, "item_id": "1"}, mapped=["item_id="])


def test_items_without_ids_are_found_by_the_text_of_their_question():
    items = answer_file.load(
        csv_bytes(("question", "answer", "model"), ("Why?", "A", "m")), "s.csv"
    ).items
    read = grade_file.load(
        csv_bytes(
            ("question", "model", "grader", "grader_kind", "score"), ("why?", "m", "a", "llm", "1")
        ),
        "g.csv",
        rubric=rubric(),
        known=known_keys(items),
    )
    assert read.grades[0].item_key == items[0].identity


def test_a_judges_own_numbers_and_a_mean_are_kept_as_they_are():
    rows = [
        GOOD | {"grader": "own", "grader_kind": "judge", "score": "0.25"},
        GOOD | {"grader": "own", "grader_kind": "judge", "score": "77", "item_id": "8"},
        GOOD | {"grader": "crowd", "grader_kind": "mean", "score": "1.6"},
    ]
    read = of_dicts(*rows)
    assert read.bad_rows == []
    assert [(one.grader_kind, one.score) for one in read.grades] == [
        ("judge", 0.25),
        ("judge", 77),
        ("mean", 1.6),
    ]


def test_a_judges_whole_number_off_the_scale_is_refused_without_fractions():
    rows = [
        GOOD | {"grader": "j", "grader_kind": "judge", "score": "3"},
        GOOD | {"grader": "j", "grader_kind": "judge", "score": "77", "item_id": "8"},
    ]
    read = of_dicts(*rows)
    (bad,) = read.bad_rows
    assert (bad.row, bad.column) == (2, "score")
    assert "77 is not on the scale" in bad.problem and "as kind metric" in bad.problem
    assert [one.score for one in read.grades] == [3] and read.lost == {"j": 1}


def test_words_without_a_score_are_named():
    rows = [GOOD | {"item_id": i, "score": w} for i, w in (("007", "Useful"), ("8", "Useless"))]
    assert [bad.problem.split("”")[0] for bad in of_dicts(*rows).bad_rows] == [
        "the score “Useful",
        "the score “Useless",
    ]


def by_judge(*columns, kind="judge", score="3"):
    """One row of a judge with more columns, given as (name, cell)."""
    more = dict(columns)
    row = GOOD | {"grader_kind": kind, "score": score} | more
    return load(tuple(row), tuple(row.values()))


def test_columns_of_probabilities_are_recognised_and_read():
    read = by_judge(*((f"p:{score}", share) for score, share in enumerate(["0", ".1", ".2", ".7"])))
    assert read.bad_rows == [] and read.columns.leftovers == ()
    [grade] = read.grades
    assert grade.distribution == Distribution("imported", ((0, 0.0), (1, 0.1), (2, 0.2), (3, 0.7)))
    assert grade.score == 3


def test_probabilities_without_a_score_are_read_by_their_expected_score():
    read = by_judge(("probabilities", "[0, 0.1, 0.2, 0.7]"), score="")
    assert [grade.score for grade in read.grades] == [3]
    stated = by_judge(("probabilities", '{"3": 0.7}'), ("probabilities_source", "stated"), score="")
    assert [bad.problem for bad in stated.bad_rows] == [
        "there is no score. Add one, or a status that says why."
    ]


def test_a_file_of_probabilities_needs_no_column_of_scores():
    row = {name: cell for name, cell in GOOD.items() if name != "score"}
    row |= {"grader_kind": "judge", "probabilities": "[0, 0.1, 0.2, 0.7]"}
    [grade] = load(tuple(row), tuple(row.values())).grades
    assert (grade.score, grade.status) == (3, "scored")


def test_a_row_with_all_probability_outside_names_the_column():
    shares = ((f"p:{score}", "0") for score in range(4))
    [bad] = by_judge(*shares, ("outside_mass", "1"), score="").bad_rows
    assert bad.column == "p:0" and "all probability is outside the scale" in bad.problem


def test_a_status_without_a_score_stays_and_its_probabilities_are_left():
    read = by_judge(("probabilities", "[0, 0.1, 0.2, 0.7]"), ("status", "refused"), score="")
    assert [(g.status, g.score, g.distribution) for g in read.grades] == [("refused", None, None)]


def test_an_annotator_gives_no_probabilities():
    [bad] = by_judge(("probabilities", "[0, 0.1, 0.2, 0.7]"), kind="person").bad_rows
    assert (bad.column, bad.problem) == (
        "probabilities",
        "only a judge gives probabilities. Leave them empty.",
    )


def test_bad_probabilities_are_named_by_row_and_column():
    [bad] = by_judge(("p:0", "0"), ("p:1", "0.1"), ("p:2", "0.2"), ("p:3", "x")).bad_rows
    assert (bad.row, bad.column) == (1, "p:0")
    assert "“x” is not a probability" in bad.problem


def test_probabilities_beside_a_column_per_grader_are_refused():
    with pytest.raises(Problem, match="Probabilities need one row per grade"):
        load(
            ("item_id", "gpt", "probabilities"),
            ("007", "3", "[0, 0, 0, 1]"),
            mapped=["score:judge:gpt:correctness=gpt"],
        )


def test_contradicting_probabilities_of_one_grade_are_a_conflict():
    row = GOOD | {"grader_kind": "judge"}
    names = (*row, "probabilities")
    read = load(names, (*row.values(), "[0, 0, 0, 1]"), (*row.values(), "[0, 0, 0.1, 0.9]"))
    assert len(read.bad_rows) == 2
