"""Reading pace: the least time it takes to read a text, and whose grades came faster.

The floor is twice the pace of reading aloud (Trauzettel-Klosinski and Dietz 2012: 68 milliseconds a
letter over 14 alphabetic languages, 255 Chinese characters and 447 Japanese syllables a minute).
For English that is 30 letters a second, 300 words of six letters a minute, where the silent reading
of most adults ends (Brysbaert 2019: 175 to 300 words of non-fiction). Kana and Hangul are taken for
one syllable each.
"""

import re
from collections.abc import Sequence

import numpy as np

from concord.messages import said

LETTERS, HAN, SYLLABLES = 30.0, 8.5, 15.0
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_SYLLABLES = re.compile(r"[\u3041-\u30ff\uac00-\ud7a3]")
_SPACES = re.compile(r"\s+")
OWN_TIMES, OWN_AT_LEAST = 4, 10
FLOOR = said("faster than {n:.0f} letters a second", n=LETTERS)
OWN = said("{n} times as fast as usual for this person", n=OWN_TIMES)


def letters(text: str) -> float:
    """How many letters a text counts as; one of Chinese takes as long as three and a half."""
    text = _SPACES.sub(" ", text.strip())
    han, syllables = len(_HAN.findall(text)), len(_SYLLABLES.findall(text))
    plain = len(text) - han - syllables
    return plain + han * LETTERS / HAN + syllables * LETTERS / SYLLABLES


def flags(length: Sequence[float] | np.ndarray, seconds: np.ndarray) -> list[str]:
    """Why each of a person's grades came too fast, '' where it did not.

    Faster than the floor; else four times as fast as the person's own median pace, from ten timed
    answers on.

    Args:
        length: (n,) letters of each text.
        seconds: (n,) what the person spent on it, 0 or more, NaN where it is not known.
    """
    speed = pace(length, seconds)
    known = speed[~np.isnan(speed)]
    own = np.median(known) if len(known) >= OWN_AT_LEAST else np.inf
    return [FLOOR if one > LETTERS else OWN if one > OWN_TIMES * own else "" for one in speed]


def pace(length: Sequence[float] | np.ndarray, seconds: np.ndarray) -> np.ndarray:
    """(n,) letters per second; infinite in no time at all, NaN where the time is not known."""
    length, seconds = np.asarray(length, float), np.asarray(seconds, float)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(seconds > 0, length / seconds, np.where(seconds == 0, np.inf, np.nan))
