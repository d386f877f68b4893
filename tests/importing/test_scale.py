"""The scale of grade columns: whole numbers, words or continuous, and what is proposed for it."""

import pytest

from concord.importing.proposals.grade_scales import read_scale

ZERO_TO_TEN = tuple(range(11))


def scale_of(cells):
    """The scale of cells that occur once each."""
    return read_scale((cell, 1) for cell in cells)


@pytest.mark.parametrize(
    ("cells", "kind", "scale"),
    [
        (["1", "2", "4", "5"], "whole", (1, 2, 3, 4, 5)),
        (["0", "3"], "whole", (0, 1, 2, 3)),
        (["0", "1", "", None], "whole", (0, 1)),
        (["1", "1"], "whole", (0, 1)),
        (["1", "10"], "whole", tuple(range(1, 11))),
        (["0", "7"], "whole", ZERO_TO_TEN),
        (["-1", "1"], "whole", (-1, 0, 1)),
        (["0", "25", "100"], "whole", (0, 25, 50, 75, 100)),
        (["3.0", "5,0", "１"], "whole", (1, 2, 3, 4, 5)),
        (["2020", "2021"], "whole", ()),
        (["4.5", "3"], "continuous", (1, 2, 3, 4, 5)),
        (["0.25", "1"], "continuous", (0, 1)),
        (["1e6"], "continuous", ()),
        (["Useful", "not useful"], "words", (0, 1)),
        (["pass", "FAIL"], "words", (0, 1)),
        (["yes", "no", "partially"], "words", (0, 1, 2)),
        (["👍", "👎🏽"], "words", (0, 1)),
        (["✅", "❌"], "words", (0, 1)),
        (["好", "很差"], "words", (1, 2, 3, 4, 5)),
        (["はい", "いいえ"], "words", (0, 1)),
        (["예", "아니오"], "words", (0, 1)),
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
    assert found.reason


@pytest.mark.parametrize(
    ("codes", "scale"),
    [(["99"], (1, 2, 3, 4, 5)), (["-1"], (1, 2, 3, 4, 5)), (["99", "7"], (1, 2, 3, 4, 5, 6, 7))],
)
def test_rare_codes_far_off_the_other_scores_do_not_stretch_the_scale(codes, scale):
    found = scale_of([*"12345"] * 10 + codes)
    assert (found.scale, found.outside) == (scale, (int(codes[0]),))
    assert f"{codes[0]} (1 of " in found.reason
    assert int(codes[0]) not in found.whole()


@pytest.mark.parametrize(
    "values",
    [
        ["1", "2", "3", "4", "5", "99"],  # too few to call one of them rare
        ["-1", "0", "1"] * 10,
        [*"12345"] * 10 + ["99"] * 9,
        ["1", "2", "4", "5"] * 10 + ["8"],
        [str(10 * n) for n in range(11)] * 9 + ["37"],
    ],
)
def test_a_scale_is_not_cut_where_the_others_may_be_part_of_it(values):
    assert scale_of(values).outside == ()


def test_words_get_scores_where_it_is_conventional_and_none_where_it_is_not():
    found = scale_of(["Useful", "useless", "Useful", "useful ", "N/A"])
    assert found.words() == {"useless": 0, "Useful": 1, "N/A": None}
    assert [one.n for one in found.values] == [1, 3, 1]
    assert "map “N/A” to a score" in found.reason
    assert scale_of(["funny", "long"]).words() == {"funny": None, "long": None}


def test_words_beside_numbers_have_no_score():
    found = scale_of(["1", "2", "cannot say"])
    assert (found.kind, found.words()) == ("whole", {"cannot say": None})
