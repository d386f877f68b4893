"""Reasons of the embedded baseline: which text features moved a score, and which way.

They are stored as English sentences. `read_again` makes a message of one again, for the screens.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from concord.messages import Said, joined, listed, said


class Feature(NamedTuple):
    """A text feature: its name, and how a reason speaks of a high and of a low value."""

    name: str
    high: str
    low: str


FEATURES = (
    Feature("is_empty", said("an empty answer"), said("an answer that is not empty")),
    Feature("log_tokens", said("its length"), said("its shortness")),
    Feature("length_off", said("an unusual length"), said("a usual length")),
    Feature(
        "length_to_contexts",
        said("length relative to the contexts"),
        said("brevity relative to the contexts"),
    ),
    Feature(
        "question_covered",
        said("words of the question taken up"),
        said("few words of the question"),
    ),
    Feature("echo", said("repeating the question"), said("hardly repeating the question")),
    Feature("has_contexts", said("having contexts"), said("having no contexts")),
    Feature(
        "terms_in_contexts",
        said("wording found in the contexts"),
        said("wording not in the contexts"),
    ),
    Feature(
        "pairs_in_contexts",
        said("word pairs from the contexts"),
        said("word pairs not in the contexts"),
    ),
    Feature(
        "contexts_covered",
        said("covering much of the contexts"),
        said("covering little of the contexts"),
    ),
    Feature(
        "rouge_l_contexts", said("following a context in order"), said("not following any context")
    ),
    Feature(
        "foreign_numbers",
        said("numbers not in the contexts"),
        said("no numbers foreign to the contexts"),
    ),
    Feature("has_reference", said("having a reference"), said("having no reference")),
    Feature(
        "reference_covered",
        said("wording of the reference"),
        said("missing wording of the reference"),
    ),
    Feature(
        "terms_in_reference", said("keeping to the reference"), said("wording not in the reference")
    ),
    Feature(
        "rouge_l_reference", said("closeness to the reference"), said("distance from the reference")
    ),
    Feature("repeated_trigrams", said("repeated phrases"), said("few repeated phrases")),
    Feature("distinct_share", said("varied wording"), said("unvaried wording")),
    Feature("longest_stutter", said("a word repeated in a row"), said("no word repeated in a row")),
    Feature("stray_symbols", said("stray symbols"), said("no stray symbols")),
    Feature("ends_open", said("ending in mid-sentence"), said("a closed last sentence")),
    Feature("declines", said("saying that it does not know"), said("giving an answer")),
)
_WAYS = {
    "raised": said("raised by {features}"),
    "lowered": said("lowered by {features}"),
}
_ONE_SCORE = said("Every graded answer it could learn from has {score}.")
_AVERAGE = said("From text features alone: close to the average graded answer in every one.")
_PHRASES = {phrase: phrase for one in FEATURES for phrase in (one.high, one.low)}
_STORED = re.compile(
    r"From text features alone: (?:raised by ([^;]+))?(?:; )?(?:lowered by ([^;]+))?\."
)
_STORED_SCORE = re.compile(_ONE_SCORE.format(score=r"(-?\d+)").replace(".", r"\."))


def moved_by(raised: Sequence[str], lowered: Sequence[str]) -> Said:
    """Return the reason that names the features that moved a score most."""
    ways = {"raised": raised, "lowered": lowered}
    parts = [said(_WAYS[way], features=listed(some)) for way, some in ways.items() if some]
    return (
        said("From text features alone: {what}.", what=joined("; ", parts)) if parts else _AVERAGE
    )


def one_score(score: int) -> Said:
    """Return the reason where all graded answers have the same score."""
    return said(_ONE_SCORE, score=score)


def read_again(stored: str) -> str:
    """Return the message of a stored reason; any other text, such as a judge's, unchanged."""
    if stored == _AVERAGE:
        return _AVERAGE
    if found := _STORED_SCORE.fullmatch(stored):
        return one_score(int(found[1]))
    if not (found := _STORED.fullmatch(stored)):
        return stored
    raised, lowered = (re.split(", | and ", part) if part else [] for part in found.groups())
    if not {*raised, *lowered} <= _PHRASES.keys():
        return stored
    made = moved_by([_PHRASES[one] for one in raised], [_PHRASES[one] for one in lowered])
    return made if made == stored else stored
