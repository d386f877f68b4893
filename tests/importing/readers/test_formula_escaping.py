"""CSV that goes out runs nothing in a spreadsheet, and comes in again letter by letter."""

import csv

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from concord.importing import answer_file
from concord.importing.readers import formula_escaping
from tests.support.commandline import invoke
from tests.support.files import TEXTS


@given(st.text(alphabet="'=+-@\t\r＝＋－＠a ", max_size=6))
def test_taking_the_apostrophe_off_gives_every_text_again(text):
    assert formula_escaping.unescape(formula_escaping.escape(text)) == text
    assert formula_escaping.escape(text)[:1] not in {*"=+-@\t\r＝＋－＠"} or not text


def test_an_export_holds_no_formula_and_is_read_again_exactly(store, hostile, tmp_path):
    out = tmp_path / "out"
    assert invoke(store.path, "export", out).exit_code == 0
    for path in out.glob("*.csv"):
        with path.open(encoding="utf-8-sig", newline="") as file:
            cells = [cell for row in csv.reader(file) for cell in row]
        assert [cell for cell in cells if cell[:1] in {*"=+@\t\r＝＋－＠"}] == []
    read = answer_file.load(out / "items.csv")
    assert [item.answer for item in read.items] == TEXTS
    assert {item.answer_model for item in read.items} == {"=model"}
    assert formula_escaping.ESCAPED not in read.columns.leftovers


def test_what_is_downloaded_from_a_screen_holds_no_formula_and_keeps_negative_numbers():
    frame = pd.DataFrame({"=name": ["=1", "a"], "difference": [-0.5, 2.0], "n": [-1, 3]})
    lines = formula_escaping.frame_csv(frame).decode("utf-8-sig").splitlines()
    assert lines == ["'=name,difference,n", "'=1,-0.5,-1", "a,2.0,3"]


def test_a_file_to_fill_in_says_so_where_a_text_was_escaped():
    assert formula_escaping.to_csv(("a", "n"), [("x", -1)]) == "a,n\r\nx,-1\r\n"
    assert formula_escaping.to_csv(("a",), [("=1",)]) == "a,formulas_escaped\r\n'=1,yes\r\n"
