import json

import pandas as pd
import streamlit as st
from streamlit.testing.v1 import AppTest

from concord.reports.document import Column, Table
from concord.stats.core.estimate import Estimate
from concord.ui.render import _with_thousands, called, translated_rows, unrounded, whole_table


def test_a_column_of_numbers_and_texts_is_text_which_arrow_can_send():
    frame = translated_rows([{"hours": 1.5, "n": 3}, {"hours": "no number", "n": 4}])
    assert frame["hours"].tolist() == ["1.5", "no number"] and frame["n"].tolist() == [3, 4]


def test_large_counts_of_a_table_have_their_thousands_parted_and_keep_their_help():
    frame = pd.DataFrame({"answers": [2500, 3], "few": [999, 1], "name": ["a", "b"]})
    found = _with_thousands(frame, {"answers": {"help": "How many"}})
    assert found.keys() == {"answers"}
    assert found["answers"]["help"] == "How many"
    assert found["answers"]["type_config"]["format"] == "localized"


def _cards() -> None:
    import pandas as pd

    from concord.ui.render import table

    table(pd.DataFrame([{"裁判": "a", "b": 1, "c": "", "d": 3, "e": 4}]), "judges", in_full=True)


def test_the_head_on_a_card_ends_in_the_colon_of_the_language():
    def labels(language: str) -> str:
        app = AppTest.from_function(_cards)
        app.session_state["lang"] = language
        (style,) = [one.proto.body for one in app.run().get("html") if "<style>" in one.proto.body]
        return style

    assert "content: '裁判\\ff1a '" in labels("zh")
    assert "content: '裁判\\3a \\20 '" in labels("en")


def _heads() -> None:
    from concord.messages import said
    from concord.reports.document import Document
    from concord.ui.render import head

    for text in (said("held-out questions"), said("Take one that is here.")):
        head(Document(text), folded=True)


def test_a_headline_that_is_a_paragraph_ends_in_one_full_stop_of_the_language():
    assert [one.value for one in AppTest.from_function(_heads).run().markdown] == [
        "held-out questions.",
        "Take one that is here.",
    ]
    app = AppTest.from_function(_heads)
    app.session_state["lang"] = "zh"
    assert app.run().markdown[0].value.endswith("。")


def test_a_narrow_head_keeps_a_letter_beside_its_word(monkeypatch):
    shown = []
    monkeypatch.setattr(st, "table", lambda data, **_: shown.append(data))
    heads = ["tau-b", "p-value", "inter-annotator agreement"]
    whole_table(pd.DataFrame([[1, 2, 3]], columns=heads), "held", "")
    assert [*shown[0].columns] == ["tau‑b", "p‑value", "inter-annotator agreement"]


def test_a_card_leaves_out_what_is_empty():
    (style,) = [one.proto.body for one in AppTest.from_function(_cards).run().get("html")]
    assert style.count("display: none") == 1
    assert "tr:nth-child(1) td:nth-child(3) { display: none }" in style


def _grid() -> None:
    import pandas as pd

    from concord.ui.render import picked_row

    for name in ("gpt-5", "openai-gpt-5.6-terra-few-shot-reasons-v1"):
        rows = pd.DataFrame([{"judge": name, "status": "done, and said in many short words"}])
        picked_row(rows, f"grid-{name}", "Table: judges")


def test_only_a_name_longer_than_a_line_makes_the_rows_of_a_grid_higher():
    short, long = (one.proto for one in AppTest.from_function(_grid).run().dataframe)
    assert (short.row_height, long.row_height) == (35, 65)


def _first_rows() -> None:
    import pandas as pd

    from concord.ui.render import plain_table

    for text, rows in (("x", 2), ("x" * 300, 2), ("x" * 300, 9)):
        plain_table(pd.DataFrame([{"answer": text}] * rows), "The first rows", 6)
    plain_table(pd.DataFrame([{"answer": "x"}] * 40), "All rows")


def test_the_rows_in_sight_are_as_high_as_the_lines_of_a_long_cell(monkeypatch):
    heights = []
    monkeypatch.setattr(st, "dataframe", lambda *_, **given: heights.append(given["height"]))
    AppTest.from_function(_first_rows).run()
    assert heights == [38 + 2 * 35, 38 + 2 * 65, 38 + 6 * 65, 38 + 10 * 35]


def _long_rows() -> None:
    import pandas as pd

    from concord.ui.render import plain_table

    rows = [{"question": "q1", "text": "How far is the Moon? " * 20}] * 12
    plain_table(pd.DataFrame(rows), "Table: questions")


def test_a_plain_table_cuts_no_sentence_through_a_letter():
    grid = AppTest.from_function(_long_rows).run().dataframe[0]
    assert grid.proto.row_height == 65
    text = grid.value["text"][0]
    assert text.endswith("…") and 100 < len(text) <= 150


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


def _kept_grid() -> None:
    import pandas as pd

    from concord.ui.render import picked_row

    row = {
        "judge": "simulated-decision-judge",
        "status": "imported · simulated",
        "exact agreement": "75%",
    }
    rows = pd.DataFrame([row | dict.fromkeys(["rubric", "differs in"], "x = 12345, " * 8)])
    picked_row(rows, "grid", "Table: judges", kept=["judge", "status", "exact agreement", "rubric"])


def test_a_grid_keeps_the_columns_it_must_show_and_cuts_their_texts_to_the_lines_of_a_row():
    app = AppTest.from_function(_kept_grid)
    for room in (358, 500):
        app.session_state["window"] = {"room": room}
        grid = app.run().dataframe[0]
        assert [*grid.proto.column_order][:4] == ["judge", "status", "exact agreement", "rubric"]
        widths = {name: one.get("width", 0) for name, one in json.loads(grid.proto.columns).items()}
        assert sum(widths.values()) <= room
        assert (widths["exact agreement"] >= 18 + 8 * len("exact agreement")) == (room == 500)
        assert grid.proto.row_height == 65
        assert grid.value["judge"][0] in (
            "simulated-\ndecision-\njudge",
            "simulated-\ndecision-judge",
        )
        assert grid.value["status"][0] == "imported · simulated"
        assert grid.value["rubric"][0].endswith("…") and len(grid.value["rubric"][0]) <= 45


def test_a_name_that_its_letters_let_into_one_line_is_not_broken():
    app = AppTest.from_function(_kept_grid)
    found = {}
    for room in range(600, 800, 2):  # the column of names widens with the window
        app.session_state["window"] = {"room": room}
        grid = app.run().dataframe[0]
        found[json.loads(grid.proto.columns)["judge"]["width"]] = grid.value["judge"][0]
    assert "\n" in found[min(found)] and found[max(found)] == "simulated-decision-judge"
    whole = min(width for width, name in found.items() if "\n" not in name)
    assert 176 + 16 <= whole < 18 + 8 * len("simulated-decision-judge")  # as drawn, at 8 a letter


def _named_grid() -> None:
    import pandas as pd

    from concord.ui.render import picked_row

    rows = [
        {
            "judge": f"strict-judge-of-answers (model = gpt-{model})",
            "status": "imported · simulated",
            "exact [95% CI]": "75% [70, 79]",
            "n": "9,106",
            "per 1,000": "$21.50",
            "rubric": "doc-qa-0-3",
            "prompt": "zero-shot",
            "last run": "2026-11-28",
        }
        for model in ("6-luna", "4o-2026-08-06")
    ]
    picked_row(pd.DataFrame(rows), "grid", "Table: judges", kept=[*rows[0]])


def test_names_give_way_last_and_no_word_that_fits_a_line_is_broken():
    app = AppTest.from_function(_named_grid)
    app.session_state["window"] = {"room": 971}
    grid = app.run().dataframe[0]
    widths = {
        name: one["width"]
        for name, one in json.loads(grid.proto.columns).items()
        if name in grid.value
    }
    assert sum(widths.values()) <= 971 - 36 and widths["judge"] > 200 > widths["status"]
    assert [*grid.value["last run"]] == ["2026-11-28"] * 2
    assert [*grid.value["status"]] == ["imported · simulated"] * 2
    assert not any("\n" in name for name in grid.value["judge"])


def _long_table() -> None:
    import pandas as pd

    from concord.ui.render import picked_rows, table

    rows = [{"id": "q1", "split": "pool", "cluster": "c" * 40, "text": "月" * 90}] * 61
    table(pd.DataFrame(rows), "sample-splits", title="Questions", first=["id", "text"])
    picked_rows(pd.DataFrame(rows), "rows", "Table: rows", ["text", "id"], inset=32)


def test_a_long_table_has_the_columns_that_fit_a_phone_and_all_of_them_in_a_wide_window():
    app = AppTest.from_function(_long_table).run()
    wide = app.dataframe[0]
    assert [*wide.value] == ["id", "split", "cluster", "text"] and not wide.proto.column_order
    app.session_state["window"] = {"room": 358}
    app.run()
    table, folded = app.dataframe
    assert [*table.proto.column_order] == ["id", "split", "text"]
    assert table.value["text"][0] == f"{'月' * 15}…"
    widths = [one["width"] for one in json.loads(folded.proto.columns).values() if "width" in one]
    assert 0 < sum(widths) <= 390 - 2 * 16 - 32 - 36


def test_a_screen_reader_hears_the_title_of_a_table_or_its_heads_in_the_language_and_no_file():
    app = AppTest.from_function(_long_table)
    app.session_state["lang"] = "ja"
    assert app.run().dataframe[0].proto.alt == "表：Questions"
    untitled = called("", pd.DataFrame([{"judge": 1, "price": 2}]))
    assert untitled == "Table: judge, price"


def test_a_file_has_fractions_and_says_so_in_its_heads():
    columns = (
        Column("exact [95% CI]", "share", in_file="exact"),
        Column("difference, points", "points", in_file="difference"),
    )
    table = Table("t", columns, ((Estimate(0.75, 0.7, 0.8), Estimate(-0.164, -0.2, -0.1)),))
    (row,) = unrounded(table).to_dict("records")
    assert (row["exact"], row["exact low"], row["exact high"]) == (0.75, 0.7, 0.8)
    assert (row["difference"], row["difference low"]) == (-0.164, -0.2)
