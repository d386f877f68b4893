"""Speeding: answers graded faster than they can be read. Noted, and never excluded.

Only the answer's own text is compared with the seconds: question and contexts may have been read
with the answer before. Only first grades count, since a repeat may be remembered.

The floor is twice the pace of reading aloud (Trauzettel-Klosinski and Dietz 2012: 68 milliseconds a
letter over 14 alphabetic languages, 255 Chinese characters and 447 Japanese syllables a minute).
For English that is 30 letters a second, 300 words of six letters a minute, where the silent reading
of most adults ends (Brysbaert 2019: 175 to 300 words of non-fiction). Kana and Hangul are taken for
one syllable each.
"""

import re
from typing import NamedTuple

import numpy as np

from concord.reports.panel.grading_times import Moments
from concord.reports.panel.panel import Panel
from concord.stats.core.minimums import TIMED_FLOOR
from concord.store import items
from concord.store.database import Store

LETTERS, HAN, SYLLABLES = 30.0, 8.5, 15.0
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_SYLLABLES = re.compile(r"[\u3041-\u30ff\uac00-\ud7a3]")
_SPACES = re.compile(r"\s+")


class Speed(NamedTuple):
    """An annotator's answers with a time, median seconds (None below ten), and those too fast."""

    timed: int
    seconds: float | None
    others_seconds: float | None
    too_fast: int


def speeds(store: Store, panel: Panel, moments: Moments) -> dict[int, Speed]:
    """Return the speed of each annotator, by grader id."""
    length = np.array([letters(text) for text in items.answers(store, panel.sheet.id)])
    took = {}
    for person in panel.annotators:
        graded = np.any(
            [panel.of(one.name, person).scored for one in panel.rubric.criteria], axis=0
        )
        took[person] = np.where(graded & panel.open, moments.took(person), np.nan)
    found = {}
    for person, own in took.items():
        others = np.concatenate([each for one, each in took.items() if one != person] or [[]])
        known = ~np.isnan(own)
        too_fast = int((length[known] > LETTERS * own[known]).sum())
        found[person] = Speed(int(known.sum()), _median(own), _median(others), too_fast)
    return found


def letters(text: str) -> float:
    """Return the number of letters a text counts as; a Chinese one counts three and a half."""
    text = _SPACES.sub(" ", text.strip())
    han, syllables = len(_HAN.findall(text)), len(_SYLLABLES.findall(text))
    plain = len(text) - han - syllables
    return plain + han * LETTERS / HAN + syllables * LETTERS / SYLLABLES


def _median(seconds: np.ndarray) -> float | None:
    known = seconds[~np.isnan(seconds)]
    return float(np.median(known)) if len(known) >= TIMED_FLOOR else None
