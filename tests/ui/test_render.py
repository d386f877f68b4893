from streamlit.testing.v1 import AppTest

from concord.reports.document import Column, Table
from concord.stats.core.estimate import Estimate
from concord.ui.render import translated_rows, unrounded


def test_a_column_of_numbers_and_texts_is_text_which_arrow_can_send():
    frame = translated_rows([{"hours": 1.5, "n": 3}, {"hours": "no number", "n": 4}])
    assert frame["hours"].tolist() == ["1.5", "no number"] and frame["n"].tolist() == [3, 4]


def _wide_grid() -> None:
    import pandas as pd

    from concord.ui.render import picked_row

    texts = ["How far is the Moon?" * 3, "月" * 20_000]
    rows = pd.DataFrame([{"item": "a1", **dict.fromkeys("bcdefg", one)} for one in texts])
    picked_row(rows, "grid", "Table: answers", first=["c", "d"])


def test_a_grid_shows_the_columns_that_fit_the_window_and_cuts_no_letter():
    app = AppTest.from_function(_wide_grid).run()
    wide = app.dataframe[0]
    assert list(wide.proto.column_order) == ["item", "b", "c", "d"]
    assert wide.value["c"].tolist() == ["How far is the Moon?How far i…", f"{'月' * 14}…"]
    app.session_state["window"] = {"room": 358}
    narrow = app.run().dataframe[0]
    assert list(narrow.proto.column_order) == ["c", "d"]
    assert narrow.value["d"].tolist()[1] == f"{'月' * 15}…"
    app.session_state["window"] = {"room": 704}
    assert list(app.run().dataframe[0].proto.column_order) == ["item", "b", "c", "d", "e"]


def test_a_file_has_fractions_and_says_so_in_its_heads():
    columns = (
        Column("exact [95% CI]", "share", in_file="exact"),
        Column("difference, points", "points", in_file="difference"),
    )
    table = Table("t", columns, ((Estimate(0.75, 0.7, 0.8), Estimate(-0.164, -0.2, -0.1)),))
    (row,) = unrounded(table).to_dict("records")
    assert (row["exact"], row["exact low"], row["exact high"]) == (0.75, 0.7, 0.8)
    assert (row["difference"], row["difference low"]) == (-0.164, -0.2)
