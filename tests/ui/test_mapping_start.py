"""Where a mapping starts: from values, from words, from a column map."""

import pytest

from concord.importing.columns import column_map
from concord.importing.readers.formats import open_table
from concord.ui.mapping_start import column_of, filled, grade_row, of_words
from concord.ui.screens.data.import_sheet import proposed


def table(text: str):
    return open_table(text.encode(), "a.csv")


def test_values_say_the_fields_and_the_grades():
    rows = "".join(f"Why is {n} so?,Because it is {n}.,{n},sales\n" for n in (1, 2, 1, 2))
    start = proposed(table("ask_question,reply_text,annotator_1,team\n" + rows))
    assert start.fields == {"question": ("ask_question",), "answer": ("reply_text",)}
    assert "question" in start.reasons
    assert [(row.take, row.column) for row in start.grades] == [
        (True, "annotator_1"),
        (False, "team"),
    ]


def test_columns_of_answers_are_no_grades_of_judges():
    rows = "Why is it?,Because of this.,I do not know.\nWho?,He.,She is.\n"
    start = proposed(table("question,gpt,claude\n" + rows))
    assert start.answers == {"gpt": "gpt", "claude": "claude"}
    assert start.grades == ()


def test_words_fill_the_start_and_complete_ones_leave_the_rest_out():
    given = table("question,answer,id,ana\nWhy?,So.,a,1\n")
    words = ("question=question", "answer=answer", "score:annotator:Ana:tone=ana")
    open_start, closed = of_words(given, words), of_words(given, words, complete=True)
    assert (open_start.column("item_id"), closed.column("item_id")) == ("id", None)
    assert closed.grades[0][:5] == (True, "ana", "tone", "Ana", "annotator")


@pytest.mark.parametrize(
    ("text", "field", "column"),
    [
        ("system", "answer_model", "system"),
        ("ours", "answer_model", ":=ours"),
        (":=ours", "answer_model", ":=ours"),
        ("meta.model", "answer_model", "meta.model"),
        ("{answer_model}", "answer_model", "{answer_model}"),
        ("replies", "answer", "replies"),  # which no column is called, and is refused as such
    ],
)
def test_a_typed_value_counts_for_every_row_where_it_may(text, field, column):
    assert column_of(text, field, ("system", "meta")) == column


def test_a_row_has_the_grader_the_kind_and_the_criterion_that_the_file_says():
    found = table("id,rater,corr,style\n1,Ana,2,3\n")
    mapped = ["item_id=id", "grader=rater", "grader_kind:=annotator"]
    columns = column_map(found.columns, mapped)
    criteria = ["correctness", "readability"]
    corr = filled(grade_row("corr"), columns, criteria)
    assert (corr.grader, corr.kind, corr.criterion) == ("{rater}", "annotator", "correctness")
    assert filled(grade_row("style"), columns, criteria).criterion == ""
    assert filled(grade_row("style"), columns, criteria[:1]).criterion == "correctness"
