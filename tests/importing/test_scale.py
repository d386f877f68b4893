"""The scale of grade columns: whole numbers, words or continuous, and what is proposed for it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.importing.proposals.grade_scales import MOST_VALUES, read_scale
from concord.importing.readers.cells import Damaged

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


def test_every_value_is_counted_and_the_reason_says_what_occurs():
    found = scale_of(["1", "2", "4", "5", "5.0", ""])
    assert [(one.text, one.n, one.score) for one in found.values] == [
        ("1", 1, 1),
        ("2", 1, 2),
        ("4", 1, 4),
        ("5", 2, 5),
    ]
    assert (found.n, found.blank, found.low, found.high) == (5, 1, 1, 5)
    assert found.reason == "values: 1, 2, 4, 5; the common scale that contains them is 1 to 5"


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


def test_fractions_are_counted_and_kept():
    found = scale_of(["4.5", "3", "3,25"])
    assert (found.fractions, found.n) == (2, 3)
    assert [one.score for one in found.values] == [3, 3.25, 4.5]
    assert found.reason.startswith("2 of 3 grades are fractional")


def test_what_is_kept_does_not_grow_with_the_file():
    found = scale_of(str(n) for n in range(5000))
    assert (found.n, len(found.values), found.uncounted) == (5000, MOST_VALUES, 4000)
    assert (found.scale, found.high) == ((), 4999)


def test_cells_without_text_are_counted_apart():
    found = scale_of([["1"], {"a": 1}, Damaged("torn"), "2"])
    assert (found.unreadable, found.n, found.kind) == (3, 1, "whole")


CELLS = st.one_of(
    st.none(),
    st.text(),
    st.integers().map(str),
    st.floats().map(str),
    st.sampled_from(["Useful", "👍", "好", "4,5", "1e999", "nan", "-0", "9" * 400, "\0", "\ud800"]),
    st.lists(st.text(), max_size=2),
)


@given(st.lists(CELLS, max_size=40))
def test_any_cells_are_read(cells):
    found = scale_of(cells)
    assert found.n + found.blank + found.unreadable == len(cells)
    assert sum(one.n for one in found.values) + found.uncounted == found.n
    assert list(found.scale) == sorted(set(found.scale)) and len(found.scale) <= 101
    assert len(found.scale) != 1
    if found.kind == "whole":
        assert not found.scale or found.whole() <= set(found.scale)
    if found.kind == "continuous" and found.scale:
        assert found.scale[0] <= found.low <= found.high <= found.scale[-1]


def test_a_reason_is_no_whole_sentence():
    reasons = [read_scale([(word, 2) for word in words]).reason for words in ("ab", "☂☕", "12")]
    assert not any(reason.endswith(".") for reason in reasons)
