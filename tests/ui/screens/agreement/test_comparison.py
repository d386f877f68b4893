"""The screen that compares prompts and scales, without a browser."""

from streamlit.testing.v1 import AppTest

from tests.support import scales
from tests.support.screens import opened, tables

PAGE = "pages/compare.py"


def shown(monkeypatch, db, **query) -> AppTest:
    app = opened(monkeypatch, db, PAGE, **query)
    assert not app.exception and not app.error
    return app


def test_flips_stand_beside_the_diff_of_the_prompts(monkeypatch, db, store, graded_sheet):
    scales.judged(store, graded_sheet, "zero", every=3, temperature=0)
    scales.judged(store, graded_sheet, "few", every=9, prompt="few_shot", temperature=1)
    app = shown(monkeypatch, db, view="flips")
    nearer, settings = tables(app)
    assert [*nearer["flips"]] == [0, 16, 0, 0]
    (flips,) = (frame.value for frame in app.dataframe)
    assert (len(flips), set(flips["annotators nearer"])) == (16, {"to"})
    assert settings["setting"].tolist() == ["temperature"]
    pages = " ".join(element.proto.body for element in app.get("html"))
    assert "# Examples" in pages and "concord-diff" in pages
    assert app.query_params["item"]
