"""The screen that compares prompts and scales, without a browser."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from concord.ui.screens.agreement.weights import percents, rebalanced
from tests.support import drawn_sheet, scales
from tests.support.panels import give
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


PAGE_OF_BIAS_CORRECTION = "pages/ranking.py"


def corrected(app):
    frame = next(f for f in tables(app) if "corrected" in f.columns)
    return frame.set_index("answering model")


def test_raw_and_corrected_stand_side_by_side_where_a_drawn_set_was_graded(store, rubric, screen):
    drawn_sheet.made(store, rubric)
    app = screen()
    frame = corrected(app)
    assert float(frame["uncorrected"]["cobalt"][:4]) > float(frame["corrected"]["cobalt"][:4]) + 0.5
    assert list(frame["graded in the sample"]) == [30, 30, 30]


CRITERIA = ("correctness", "comprehensiveness", "readability")
PAGE_OF_RANKING = "pages/ranking.py"


def grade(store, rubric, who, by_model, kind="person"):
    """A score per answering model and criterion, on all twelve questions of the sheet `numbers`."""
    for place, criterion in enumerate(CRITERIA):
        scores = {3 * q + m: s[place] for q in range(12) for m, s in enumerate(by_model)}
        give(store, rubric[1], who, scores, criterion, kind)


def title(app) -> str:
    return app.header[0].value.replace("\\", "")


def composites(app):
    """The mean composites by grader and answering model."""
    frame = next(f for f in tables(app) if "graded by" in f.columns)
    return frame.set_index(["graded by", "answering model"])["mean composite"]


@pytest.mark.parametrize(
    "weights", ["60,20,20", "50,50", "99,99,99", "a,b,c", "-20,60,60", "٦٠,20,20"]
)
def test_weights_in_a_link_that_do_not_fit_are_the_rubrics(sample_ranking, weights):
    app = sample_ranking(weights=weights)
    assert [slider.value for slider in app.slider] == [60, 20, 20]


def test_weights_decide_who_is_above(store, sheet, rubric, screen):
    """By hand: atlas has 3, 0, 0 and birch 1, 3, 3; at 60/20/20 that is 1.8 each, then 1.5 to 2."""
    grade(store, rubric, "Ana", [(3, 0, 0), (1, 3, 3), (0, 0, 0)])
    app = screen()
    app = screen(weights="50,25,25")
    assert composites(app)["annotators", "birch"].startswith("2.00")
    assert composites(app)["annotators", "atlas"].startswith("1.50")


@pytest.mark.parametrize(
    ("weights", "shares"),
    [
        (["3/5", "1/5", "1/5"], [60, 20, 20]),
        (["1/3", "1/3", "1/3"], [34, 33, 33]),
        (["1/8", "7/8"], [13, 87]),
        (["1"], [100]),
    ],
)
def test_whole_percents_are_the_nearest_that_sum_to_100(weights, shares):
    assert percents([Fraction(weight) for weight in weights]) == shares


@pytest.mark.parametrize(
    ("shares", "place", "share", "then"),
    [
        ([60, 20, 20], 0, 80, [80, 10, 10]),
        ([60, 20, 20], 1, 60, [30, 60, 10]),
        ([60, 20, 20], 0, 100, [100, 0, 0]),
        ([100, 0, 0], 0, 50, [50, 25, 25]),
        ([60, 20, 20], 2, 20, [60, 20, 20]),
        ([50, 50], 1, 33, [67, 33]),
    ],
)
def test_moving_one_weight_moves_the_others_in_proportion(shares, place, share, then):
    assert rebalanced(shares, place, share) == then


@given(st.lists(st.integers(0, 100), min_size=2, max_size=6).filter(sum), st.data())
def test_moved_weights_sum_to_100_and_the_moved_one_is_as_said(parts, data):
    shares = percents([Fraction(part, sum(parts)) for part in parts])
    place = data.draw(st.integers(0, len(shares) - 1))
    share = data.draw(st.integers(0, 100))
    then = rebalanced(shares, place, share)
    assert sum(then) == 100
    assert then[place] == share
    assert min(then) >= 0
