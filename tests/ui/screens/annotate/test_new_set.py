"""The form of a new grading set."""

from streamlit.testing.v1 import AppTest

from tests.support.screens import opened, said


def _sizes() -> None:
    from concord.ui.screens.annotate.new_set import _size

    _size(2500, "x")


def test_the_size_of_a_large_sheet_is_read_with_its_thousands_apart():
    app = AppTest.from_function(_sizes).run()
    assert app.radio[0].options[0] == "The whole sheet (2,500 questions)"


def _workload(answers: int = 132) -> None:
    from concord.grading.grading_sets import AnnotatorWorkload
    from concord.ui.screens.annotate.new_set import _meaning

    _meaning(AnnotatorWorkload(44, answers, (9,) * 14 + (6,), 13), 60.0)


def test_the_sizes_of_blocks_are_those_of_whole_questions():
    app = AppTest.from_function(_workload).run()
    assert "gets 132 answers in 15 blocks of 6 to 9, 13 of them twice" in app.info[0].value
    assert not app.caption
    [few] = AppTest.from_function(_workload, args=(29,)).run().caption
    assert few.value == "Agreement is tested from 30 shared answers on, gold items from 5."


def test_the_form_leads_to_the_splits_where_no_answer_can_be_gold(store, sheet, monkeypatch):
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert "move some questions there under Splits" in said(app)
    assert "Go to Splits" in [one.proto.label for one in app.get("page_link")]
