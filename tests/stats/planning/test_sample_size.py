import pytest

from concord.stats.planning.sample_size import for_share


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (for_share(0.05, 0.8), 246),
        (for_share(0.05, 0.8, design_effect=1 + 2 * 0.4), 443),
        (for_share(0.1, 0.5), 97),
    ],
)
def test_the_formulas_give_the_published_numbers(found, expected):
    assert found == expected


def test_more_certainty_takes_more_answers():
    assert for_share(0.05, 0.8, confidence=0.99) > for_share(0.05, 0.8)


def test_what_cannot_be_shown_is_refused():
    with pytest.raises(ValueError, match="half_width"):
        for_share(0, 0.8)
