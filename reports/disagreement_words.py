"""Disagreements in words: how many are tagged, what the causes say, and what is not in the list."""

from collections import Counter

import numpy as np

from data.causes import CAUSES
from data.counted import counted
from reports.disagreements import Wanted
from reports.panel import Panel


def sentence(found: Counter, total: int) -> str:
    """How many are tagged and with what, as in “14 of 40 tagged: 9 rubric unclear”."""
    tagged = found.total()
    if not total:
        return "No disagreement is in this list."
    if not tagged:
        return f"None of {counted(total, 'disagreement')} is tagged yet."
    said = ", ".join(f"{count} {CAUSES[cause]}" for cause, count in found.most_common())
    return f"{tagged} of {total:,} tagged: {said}."


def meaning(found: Counter) -> str:
    """What the causes say is to be done; '' under five tags, which say too little.

    Whoever works worst first has not tagged a random sample, so no share of all is claimed.
    """
    tagged = found.total()
    if tagged < ENOUGH:
        return ""
    (cause, count), *_ = found.most_common(1)
    if 2 * count <= tagged:
        return "No cause stands behind most of those tagged."
    return f"Most of those tagged say: {_REMEDIES[cause]}"


def left_out(panel: Panel, wanted: Wanted) -> str:
    """Which answers cannot be in the list and why, as a sentence; '' where there are none."""
    closed = panel.items["closed"].to_numpy()
    found = Counter(reason for reason in closed if reason)
    judges = [wanted.judge] if wanted.judge is not None else list(panel.judges)
    names = [criterion.name for criterion in panel.rubric.criteria]
    wanting = [wanted.criterion] if wanted.criterion else names
    unscored = [panel.of(name, judge).status > 0 for judge in judges for name in wanting]
    people = [panel.of(name, person) for person in panel.people for name in wanting]
    seen = [one.scored & ~one.blind for one in people]
    said = [f"{counted(count, 'answer')}: {reason}" for reason, count in found.items()]
    for masks, words in ((unscored, "without a score"), (seen, "given after seeing the judges")):
        if count := sum(int(np.sum(mask & panel.open)) for mask in masks):
            said.append(f"{counted(count, 'grade')} {words}")
    return f"Not in the list: {'; '.join(said)}." if said else ""


ENOUGH = 5
_REMEDIES = {
    "judge_wrong": "the judge misreads the rubric. Change its prompt or give it examples, from "
    "questions kept for examples only.",
    "person_wrong": "people slipped. Their grades stay as they are; whoever gave them may grade "
    "these answers again.",
    "rubric_unclear": "the rubric is unclear. Reword the criterion before changing the judge; "
    "what must then be graded again can be listed.",
    "bad_question": "question or context is at fault. Mend the sheet; no judge can do better on "
    "these answers.",
    "both_defensible": "both scores can be defended. The criterion leaves room, which bounds how "
    "far anyone can agree.",
}
