"""Speeding: grades given faster than the answer can be read. Listed, and never excluded.

Only the answer's own text is compared with the seconds: question and contexts may have been read
with the answer before. Only first grades count, since a repeat may be remembered.

The floor is twice the pace of reading aloud (Trauzettel-Klosinski and Dietz 2012: 68 milliseconds a
letter over 14 alphabetic languages, 255 Chinese characters and 447 Japanese syllables a minute).
For English that is 30 letters a second, 300 words of six letters a minute, where the silent reading
of most adults ends (Brysbaert 2019: 175 to 300 words of non-fiction). Kana and Hangul are taken for
one syllable each.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from concord.messages import said
from concord.model import Grader
from concord.reports.panel.grading_times import Moments
from concord.reports.panel.panel import Panel
from concord.stats.core.minimums import TIMED_FLOOR
from concord.store import items
from concord.store.database import Store

NO_SECONDS = said("no grade has a duration; imported grades rarely have one")
LETTERS, HAN, SYLLABLES = 30.0, 8.5, 15.0
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_SYLLABLES = re.compile(r"[\u3041-\u30ff\uac00-\ud7a3]")
_SPACES = re.compile(r"\s+")
OWN_TIMES = 4
FLOOR = said("faster than {n:.0f} letters a second", n=LETTERS)
OWN = said("{n} times as fast as usual for this annotator", n=OWN_TIMES)


@dataclass(frozen=True)
class Pace:
    """Speed of an annotator, as medians over the answers with a time.

    Attributes:
        seconds: Per answer; None without a time.
        letters_per_second: None without a time.
        flagged: Grades given too fast.
        why_none: Why the medians are undefined.
    """

    annotator: str
    simulated: bool
    n: int
    untimed: int
    seconds: float | None
    letters_per_second: float | None
    flagged: int
    why_none: str | None


@dataclass(frozen=True)
class FastGrade:
    """A grade given too fast; `letters_per_second`: None for a time of zero."""

    annotator: str
    item_id: int
    item: str
    letters: int
    seconds: float
    letters_per_second: float | None
    why: str


def speeding(
    store: Store, panel: Panel, moments: Moments
) -> tuple[tuple[Pace, ...], tuple[FastGrade, ...]]:
    """Return the pace of each annotator, by name, and the grades given too fast, fastest first."""
    length = np.array([letters(text) for text in items.answers(store, panel.sheet.id)])
    names = items.item_names(store, panel.sheet.id)
    annotators = sorted(panel.annotators.values(), key=lambda one: (one.name.casefold(), one.id))
    found = [_of_annotator(panel, person, moments, length, names) for person in annotators]
    paces = tuple(pace for pace, _ in found)
    return paces, tuple(grade for _, flagged in found for grade in flagged)


def _of_annotator(
    panel: Panel, person: Grader, moments: Moments, length: np.ndarray, names: dict
) -> tuple[Pace, list[FastGrade]]:
    graded = _graded(panel, person.id)
    at, seconds = timed(panel, person.id, moments)
    speed = pace(length[at], seconds)
    why = flags(length[at], seconds)
    flagged = [index for index in np.argsort(-speed, kind="stable") if why[index]]
    ids = panel.items["id"].to_numpy()
    own = Pace(
        annotator=person.name,
        simulated=person.simulated,
        n=len(at),
        untimed=int(graded.sum()) - len(at),
        seconds=float(np.median(seconds)) if len(at) else None,
        letters_per_second=_finite(np.median(speed)) if len(at) else None,
        flagged=len(flagged),
        why_none=None if len(at) else NO_SECONDS,
    )
    return own, [
        FastGrade(
            annotator=person.name,
            item_id=int(ids[at[index]]),
            item=names[int(ids[at[index]])][0],
            letters=round(float(length[at[index]])),
            seconds=float(seconds[index]),
            letters_per_second=_finite(speed[index]),
            why=why[index],
        )
        for index in flagged
    ]


def timed(panel: Panel, grader_id: int, moments: Moments) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices of the answers an annotator graded in a known time, and the seconds."""
    took = moments.took(grader_id)
    at = np.flatnonzero(_graded(panel, grader_id) & ~np.isnan(took))
    return at, took[at]


def median_seconds(
    panel: Panel, moments: Moments, grader_id: int
) -> tuple[int, float | None, int, float | None]:
    """Return the timed answers and their median seconds, of an annotator and of all others.

    A median is None below ten answers.
    """
    times = {person: timed(panel, person, moments)[1] for person in panel.annotators}
    own = times.pop(grader_id)
    others = np.concatenate([*times.values(), np.empty(0)])
    return len(own), _median(own), len(others), _median(others)


def _median(times: np.ndarray) -> float | None:
    return float(np.median(times)) if len(times) >= TIMED_FLOOR else None


def _graded(panel: Panel, grader_id: int) -> np.ndarray:
    given = [panel.of(one.name, grader_id).scored for one in panel.rubric.criteria]
    return np.any(given, axis=0) & panel.open


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def letters(text: str) -> float:
    """Return the number of letters a text counts as; a Chinese one counts three and a half."""
    text = _SPACES.sub(" ", text.strip())
    han, syllables = len(_HAN.findall(text)), len(_SYLLABLES.findall(text))
    plain = len(text) - han - syllables
    return plain + han * LETTERS / HAN + syllables * LETTERS / SYLLABLES


def flags(length: Sequence[float] | np.ndarray, seconds: np.ndarray) -> list[str]:
    """Return why each of an annotator's grades is too fast, '' where it is not.

    Too fast is above the absolute limit, or four times the annotator's own median pace, from ten
    timed answers on.

    Args:
        length: (n,) letters of each text.
        seconds: (n,) time spent on it, 0 or more, NaN where unknown.
    """
    speed = pace(length, seconds)
    known = speed[~np.isnan(speed)]
    own = np.median(known) if len(known) >= TIMED_FLOOR else np.inf
    return [FLOOR if one > LETTERS else OWN if one > OWN_TIMES * own else "" for one in speed]


def pace(length: Sequence[float] | np.ndarray, seconds: np.ndarray) -> np.ndarray:
    """(n,) letters per second; infinite in no time at all, NaN where the time is not known."""
    length, seconds = np.asarray(length, float), np.asarray(seconds, float)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(seconds > 0, length / seconds, np.where(seconds == 0, np.inf, np.nan))
