"""Colours that are told apart by every common kind of colour vision, and text that can be read."""

import re
import tomllib
from itertools import combinations

import numpy as np
import pytest

from concord.resources import ROOT
from concord.ui import style

# Machado, Oliveira and Fernandes (2009): linear RGB as it is seen without one kind of cone.
LACKING = {
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
READABLE = 4.5  # WCAG 1.4.3


def linear(colour: str) -> np.ndarray:
    shares = np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    return np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)


def lab(seen: np.ndarray) -> np.ndarray:
    """CIE L*a*b* of linear RGB, for the white of D65."""
    xyz = TO_XYZ @ np.clip(seen, 0, 1) / [0.9505, 1, 1.089]
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def contrast(one: np.ndarray, other: np.ndarray) -> float:
    darker, lighter = sorted(float(TO_XYZ[1] @ colour) + 0.05 for colour in (one, other))
    return lighter / darker


@pytest.mark.parametrize("lack", LACKING)
def test_who_is_who_is_told_apart_without_one_kind_of_cone(lack):
    fills = [fill for fill, _ in style.FILLS]
    for one, other in combinations([style.ANNOTATORS.colour, style.BASELINE.colour, *fills], 2):
        seen = [lab(np.array(LACKING[lack]) @ linear(colour)) for colour in (one, other)]
        assert np.linalg.norm(seen[0] - seen[1]) > 12, (one, other)  # some 2.3 can just be told


@pytest.mark.parametrize("ground", ["light", "dark"])
def test_text_in_the_colour_of_the_accent_can_be_read_in_the_panes(ground):
    """The accent itself has 4.04 : 1 in the dark, so no text takes it unmixed."""
    theme = tomllib.loads((ROOT / ".streamlit/config.toml").read_text("utf-8"))["theme"][ground]
    panes = [*(ROOT / "concord/ui/components").rglob("*.css")]
    css = "".join(pane.read_text("utf-8") for pane in panes)
    assert not re.search(r"[{;]\s*color: var\(--accent\)", css)
    share = int(re.search(r"--accent-text: color-mix\(in srgb, var\(--accent\) (\d+)%, ", css)[1])
    accent, text = parts(theme["primaryColor"]), parts(theme["textColor"])
    mixed = (share * accent + (100 - share) * text) / 100
    shown = "#" + "".join(f"{round(part):02x}" for part in mixed)
    for paper in (theme["backgroundColor"], theme["secondaryBackgroundColor"]):
        assert contrast(linear(shown), linear(paper)) >= READABLE


def parts(colour: str) -> np.ndarray:
    return np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)])
