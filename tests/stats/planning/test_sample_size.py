import pytest

from concord.stats.planning.sample_size import (
    for_non_inferiority,
    for_share,
)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (for_share(0.05, 0.8), 246),
        (for_share(0.05, 0.8, design_effect=1 + 2 * 0.4), 443),
        (for_share(0.1, 0.5), 97),
        (for_non_inferiority(0.05, 0.2), 495),
        (for_non_inferiority(0.05, 0.3), 742),
        (for_non_inferiority(0.1, 0.2), 124),
        (for_non_inferiority(0.05, 0.2, difference=-0.02), 1372),
        (for_non_inferiority(0.05, 0.2, design_effect=2), 990),
    ],
)
def test_the_formulas_give_the_published_numbers(found, expected):
    assert found == expected


def test_more_certainty_takes_more_answers():
    assert for_share(0.05, 0.8, confidence=0.99) > for_share(0.05, 0.8)
    assert for_non_inferiority(0.1, 0.2, power=0.9) > for_non_inferiority(0.1, 0.2)


def test_what_cannot_be_shown_is_refused():
    with pytest.raises(ValueError, match="minus the margin"):
        for_non_inferiority(0.05, 0.2, difference=-0.05)
    with pytest.raises(ValueError, match="half_width"):
        for_share(0, 0.8)
