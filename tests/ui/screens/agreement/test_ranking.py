"""The ranking screen: the finding on top, weights to explore, and what to do where it is empty."""

import pytest

from tests.support.panels import give
from tests.support.screens import tables

CRITERIA = ("correctness", "comprehensiveness", "readability")
PAGE = "pages/ranking.py"


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
