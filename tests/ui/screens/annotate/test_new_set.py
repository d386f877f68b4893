"""The form of a new grading set."""

from streamlit.testing.v1 import AppTest


def _sizes() -> None:
    from concord.ui.screens.annotate.new_set import _size

    _size(2500, "x")


def test_the_size_of_a_large_sheet_is_read_with_its_thousands_apart():
    app = AppTest.from_function(_sizes).run()
    assert app.radio[0].options[0] == "The whole sheet (2,500 questions)"
