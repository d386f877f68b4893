"""Rows of the table of grade columns as words of a column map."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from concord.language import languages
from concord.messages import Problem, said
from concord.ui.grade_columns_table import Edited, edited_before, words
from concord.ui.mapping_start import GradeRow, grade_row


def test_rows_that_are_taken_become_words():
    rows = [
        GradeRow(True, "a", "tone", "Ana", "annotator"),
        GradeRow(False, "b", "tone", "Ben", "annotator"),
        GradeRow(True, "c", " tone ", "from column who", "judge"),
        GradeRow(True, "d", "tone", "{who}", "mean"),
        GradeRow(True, "e", "from column aspect", "", "annotator"),
    ]
    assert words(rows) == [
        "score:annotator:Ana:tone=a",
        "score:judge:{who}:tone=c",
        "score:mean:{who}:tone=d",
        "score:annotator:e:{aspect}=e",
    ]


@pytest.mark.parametrize("criterion", ["", None, "  ", "tone: formal"])
def test_a_criterion_is_needed_and_has_no_colon(criterion):
    with pytest.raises(Problem, match="“a”"):
        words([GradeRow(True, "a", criterion, "Ana", "annotator")])


def test_who_graded_is_never_assumed():
    with pytest.raises(Problem, match="“feedback” has no kind of grader"):
        words([grade_row("feedback")._replace(take=True, criterion="tone")])


def test_what_the_user_changed_in_a_column_outlasts_the_mapping_of_another():
    old = [(False, name, None, "", None, "") for name in ("priya", "tom", "model")]
    done = (True, "priya", "tone", "Priya", "annotator", "")
    before = Edited(old, old, {"priya": (old[0], done), "tom": (old[1], old[1])})
    assert edited_before(old, before) is old  # the editor still has the changes
    better = (False, "tom", "tone", "Tom", "annotator", "")
    assert edited_before([old[0], better], before) == [done, better]


def _table_of_columns(columns: list[str], press: bool) -> None:
    import streamlit as st

    from concord.ui.grade_columns_table import grade_columns_table
    from concord.ui.mapping_start import grade_row

    editor = st.data_editor
    st.data_editor = lambda frame, **more: frame.assign(take=True, criterion="a", kind="judge")
    try:
        if not press:
            st.data_editor = lambda frame, **more: frame
        words = grade_columns_table([grade_row(one) for one in columns], "grades")
    finally:
        st.data_editor = editor
    st.text(" ".join(words))


def test_the_table_of_fewer_or_more_columns_begins_with_the_changes():
    app = AppTest.from_function(_table_of_columns, args=(["priya", "model"], True)).run()
    for columns in (["priya"], ["priya", "tom"]):
        again = AppTest.from_function(_table_of_columns, args=(columns, False))
        again.session_state["grades.edited"] = app.session_state["grades.edited"]
        app = again.run()
        assert app.text[0].value == "score:judge:priya:a=priya"


def _table() -> None:
    from concord.messages import Translated
    from concord.ui.grade_columns_table import grade_columns_table
    from concord.ui.mapping_start import grade_row

    titles = {"correctness": Translated("Correctness", [("zh", "正确性")])}
    grade_columns_table([grade_row("ana")._replace(criterion="correctness")], "grades", titles)


def test_what_is_open_asks_to_be_chosen_and_a_criterion_has_its_title_in_the_language():
    app = AppTest.from_function(_table)
    app.session_state["lang"] = "zh"
    (table,) = app.run().dataframe
    assert table.proto.placeholder == languages.shown(said("Choose"), "zh") != "Choose"
    options = json.loads(table.proto.columns)["criterion"]["type_config"]["options"]
    assert options == [{"value": "correctness", "label": "正确性"}]
