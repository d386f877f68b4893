import pytest

from concord.ui import style


def luminance(colour: str) -> float:
    """Relative luminance of a hex colour, WCAG 2.2."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(a: str, b: str) -> float:
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


LOOKS = [style.ANNOTATORS, style.BASELINE, *map(style.look, range(3))]


def test_no_two_of_twenty_judges_look_the_same():
    looks = map(style.look, range(20))
    assert len({(look.colour, look.symbol) for look in looks}) == 20


def test_no_judge_has_the_colour_or_the_shape_of_annotators():
    for look in map(style.look, range(21)):
        assert look.colour != style.ANNOTATORS.colour
        assert look.symbol != style.ANNOTATORS.symbol


@pytest.mark.parametrize("look", LOOKS)
def test_every_mark_stands_out_on_both_grounds(look):
    assert contrast(look.outline, "#fdfcfa") >= 3  # WCAG 1.4.11 for graphical objects
    assert contrast(look.colour, "#16191d") >= 3
