"""Corrected scores on the ranking screen and on the command line."""

from tests.support import drawn_sheet
from tests.support.screens import tables

PAGE = "pages/ranking.py"


def corrected(app):
    frame = next(f for f in tables(app) if "corrected" in f.columns)
    return frame.set_index("answering model")


def test_raw_and_corrected_stand_side_by_side_where_a_drawn_set_was_graded(store, rubric, screen):
    drawn_sheet.made(store, rubric)
    app = screen()
    frame = corrected(app)
    assert float(frame["uncorrected"]["cobalt"][:4]) > float(frame["corrected"]["cobalt"][:4]) + 0.5
    assert list(frame["graded in the sample"]) == [30, 30, 30]
