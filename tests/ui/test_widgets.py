import pandas as pd
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from concord.ui.widgets import _standalone, _with_thousands, explanation, translated_rows


@pytest.mark.parametrize(
    "term",
    [
        *("exact", "within one", "off by two", "failure recall", "failing", "bias", "mae", "kappa"),
        *("qwk", "ac2", "alpha", "tau-b", "ccc", "composite", "ceiling", "majority-class baseline"),
        *("baseline", "each", "consensus", "left out", "alt-test", "repeats", "blind"),
        *(
            "grading set",
            "model ranking",
            "few-shot pool",
            "evaluation",
            "held-out test",
            "half-width",
            "margin",
            "pilot",
            "enriched",
        ),
        *("rmse", "linear kappa", "ac1", "spearman", "pearson", "icc", "worst case", "length"),
        *(
            "among annotators",
            "strictness",
            "second annotator",
            "consistency over time",
            "speeding",
        ),
        *(
            "other answering models",
            "leniency",
            "central tendency",
            "halo",
            "self-preference",
            "cause",
        ),
        *(
            "variant",
            "distance",
            "same answers",
            "paired difference",
            "spread",
            "test-retest",
            "flip",
        ),
        *("by annotators", "list errors", "extraction"),
        *(
            "metric validity",
            "AUC",
            "unrelated texts",
            "canary",
            "fitted threshold",
            "balanced accuracy",
        ),
    ],
)
def test_every_term_has_one_sentence(term):
    said = explanation(term)
    assert said.endswith((".", ")"))
    assert "\n" not in said and len(said) < 220


def test_a_column_of_numbers_and_texts_is_text_which_arrow_can_send():
    frame = translated_rows([{"hours": 1.5, "n": 3}, {"hours": "no number", "n": 4}])
    assert frame["hours"].tolist() == ["1.5", "no number"] and frame["n"].tolist() == [3, 4]


def test_large_counts_of_a_table_have_their_thousands_parted_and_keep_their_help():
    frame = pd.DataFrame({"answers": [2500, 3], "few": [999, 1], "name": ["a", "b"]})
    found = _with_thousands(frame, {"answers": {"help": "How many"}})
    assert found.keys() == {"answers"}
    assert found["answers"]["help"] == "How many"
    assert found["answers"]["type_config"]["format"] == "localized"


def test_a_chart_as_html_fits_a_phone_and_has_a_main_part_under_one_title():
    page = _standalone(go.Figure(), "a <b>", "Two bars.", "ja")
    assert '<html lang="ja">' in page and page.count("<main>") == page.count("</main>") == 1
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in page
    assert ">a &lt;b&gt;</h1>" in page and page.count("<h1") == 1 and "<p>Two bars.</p>" in page


def _cards() -> None:
    import pandas as pd

    from concord.ui.widgets import table

    table(pd.DataFrame([{"裁判": "a", "b": 1, "c": "", "d": 3, "e": 4}]), "judges", in_full=True)


def test_the_head_on_a_card_ends_in_the_colon_of_the_language():
    def labels(language: str) -> str:
        app = AppTest.from_function(_cards)
        app.session_state["lang"] = language
        (style,) = [one.proto.body for one in app.run().get("html") if "<style>" in one.proto.body]
        return style

    assert "content: '裁判\\ff1a '" in labels("zh")
    assert "content: '裁判\\3a \\20 '" in labels("en")


def test_a_card_leaves_out_what_is_empty():
    (style,) = [one.proto.body for one in AppTest.from_function(_cards).run().get("html")]
    assert style.count("display: none") == 1
    assert "tr:nth-child(1) td:nth-child(3) { display: none }" in style


def _grid() -> None:
    import pandas as pd

    from concord.ui.widgets import picked_row

    for name in ("gpt-5", "openai-gpt-5.6-terra-few-shot-reasons-v1"):
        rows = pd.DataFrame([{"judge": name, "status": "done, and said in many short words"}])
        picked_row(rows, f"grid-{name}", "Table: judges")


def test_only_a_name_longer_than_a_line_makes_the_rows_of_a_grid_higher():
    short, long = (one.proto for one in AppTest.from_function(_grid).run().dataframe)
    assert (short.row_height, long.row_height) == (35, 65)


def _wide_grid() -> None:
    import pandas as pd

    from concord.ui.widgets import picked_row

    texts = ["How far is the Moon?" * 3, "月" * 20_000]
    rows = pd.DataFrame([{"item": "a1", **dict.fromkeys("bcdefg", one)} for one in texts])
    picked_row(rows, "grid", "Table: answers", first=["c", "d"])


def test_a_grid_shows_the_columns_that_fit_the_window_and_cuts_no_letter():
    app = AppTest.from_function(_wide_grid).run()
    wide = app.dataframe[0]
    assert list(wide.proto.column_order) == ["item", "b", "c", "d"]
    assert wide.value["c"].tolist() == ["How far is the Moon?How far i…", f"{'月' * 14}…"]
    app.session_state["window"] = {"narrow": True}
    narrow = app.run().dataframe[0]
    assert list(narrow.proto.column_order) == ["c", "d"]
    assert narrow.value["d"].tolist()[1] == f"{'月' * 15}…"
