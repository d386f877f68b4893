"""Scores of cells, and the scale that columns of them have."""

import pytest

from concord.importing.grade_scales import read_scale
from concord.importing.readers.cells import BadCell
from concord.importing.scores import number, score, words_to_scores
from concord.messages import Problem

FIVE = (1, 2, 3, 4, 5)


@pytest.mark.parametrize("kind", ["judge", "metric", "mean"])
def test_judges_metrics_and_means_give_any_number_and_nothing_is_rounded(kind):
    assert score("4.25", FIVE, kind) == 4.25
    assert score("4,25", FIVE, kind) == 4.25
    assert score("", FIVE, kind) is None
    with pytest.raises(BadCell, match="nan"):
        score("nan", FIVE, kind)


def test_a_mean_lies_within_the_scale():
    with pytest.raises(BadCell, match=r"5.5"):
        score("5.5", FIVE, "mean")
    assert score("0.5", FIVE, "judge") == 0.5


def test_words_stand_for_scores():
    words = words_to_scores(["Useful=5", "not useful = 1", "N/A=", "a=b=2"])
    assert words == {"useful": 5, "not useful": 1, "n/a": None, "a=b": 2}
    assert score(" USEFUL ", FIVE, "person", words) == 5
    assert score("Not_useful", FIVE, "judge", words) == 1
    assert score("N/A", FIVE, "person", words) is None
    assert score("3", FIVE, "person", words) == 3
    with pytest.raises(BadCell, match="Bad"):
        score("Bad", FIVE, "person", words)


def test_an_annotators_word_is_mapped_to_a_score_of_the_scale():
    words = words_to_scores(["good=7", "so-so=2.5"])
    for word in ("good", "so-so"):
        with pytest.raises(BadCell, match=word):
            score(word, FIVE, "person", words)
    assert score("so-so", FIVE, "judge", words) == 2.5


@pytest.mark.parametrize("text", ["Useful", "=3", "Useful=x", "Useful=nan"])
def test_what_maps_no_word_is_refused(text):
    with pytest.raises(Problem, match="WORD=SCORE"):
        words_to_scores([text])


def test_a_word_has_one_score():
    assert words_to_scores(["a=1", "A=1"]) == {"a": 1}
    with pytest.raises(Problem, match="“A=2”"):
        words_to_scores(["a=1", "A=2"])


def test_numbers_are_read_as_scores_are():
    assert [number(text) for text in ("3", "3.0", "3,5", "１", "1,000", "x", "1e999", "")] == [
        3, 3, 3.5, 1, None, None, None, None,
    ]  # fmt: skip


def scale_of(cells):
    """The scale of cells that occur once each."""
    return read_scale((cell, 1) for cell in cells)


@pytest.mark.parametrize(
    ("cells", "kind", "scale"),
    [
        (["1", "2", "4", "5"], "whole", (1, 2, 3, 4, 5)),
        (["0", "1", "", None], "whole", (0, 1)),
        (["0", "7"], "whole", tuple(range(11))),
        (["-1", "1"], "whole", ()),
        (["3.0", "5,0", "１"], "whole", (1, 2, 3, 4, 5)),
        (["4.5", "3"], "continuous", (1, 2, 3, 4, 5)),
        (["0.25", "1"], "continuous", (0, 1)),
        (["Useful", "not useful"], "words", (0, 1)),
        (["yes", "no", "partially"], "words", (0, 1, 2)),
        (["👍", "👎🏽"], "words", (0, 1)),
        (["好", "很差"], "words", (1, 2, 3, 4, 5)),
        (["×", "△", "○"], "words", (0, 1, 2)),
        (["5 - excellent", "1: bad"], "words", (1, 2, 3, 4, 5)),
        (["strongly agree", "disagree"], "words", (1, 2, 3, 4, 5)),
        (["funny", "long"], "words", ()),
        (["", None], "none", ()),
    ],
)
def test_the_scale_is_read_off_the_cells(cells, kind, scale):
    found = scale_of(cells)
    assert (found.kind, found.scale) == (kind, scale)


def test_words_get_scores_where_it_is_conventional_and_none_where_it_is_not():
    found = scale_of(["Useful", "useless", "Useful", "useful ", "N/A"])
    assert found.values == (("useless", 1, 0), ("Useful", 3, 1), ("N/A", 1, None))
    assert scale_of(["funny", "long"]).values == (("funny", 1, None), ("long", 1, None))


def test_numbers_of_0_to_1_are_mapped_exactly_between_the_ends():
    for text, exact in (("0", 1), ("0.1", 1.4), ("0.8", 4.2), ("1.0", 5)):
        assert score(text, FIVE, "judge", spread=True) == exact
    with pytest.raises(BadCell):
        score("0.1", FIVE, "person", spread=True)
