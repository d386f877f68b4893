"""Adjudication by key: the list that one adjudicator works through, and the keys pressed on it.

A key is bound to the annotators' grades that were on screen when it was pressed (`seen`), so that
none decides a difference that is no more. Nothing here reads judges' grades.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from concord.definitions import digest
from concord.grading import keypress
from concord.grading.keypress import Key
from concord.grading.workspace import Saved
from concord.messages import Problem, said
from concord.model import Grader
from concord.reports.disagreements import adjudicate
from concord.reports.disagreements.adjudicate import Cases, Voice
from concord.reports.panel.panel import Panel
from concord.store.database import Store


class AdjudicationPick(NamedTuple):
    """Cases to adjudicate, the adjudicator (None before one is picked), and all answers.

    `own` counts the cases left out because the adjudicator graded them.
    """

    panel: Panel
    trigger: str
    cases: Cases
    adjudicator: Grader | None
    seed: int
    own: int = 0


def seen(voices: Sequence[Voice]) -> str:
    """Return a token of the grades shown of an answer, which a change of them changes."""
    return digest(sorted(one.grade_id for voice in voices for one in voice.said.values()))


def save(store: Store, wanted: AdjudicationPick, sent: Sequence[Any]) -> Saved:
    """Store keys in the order they were pressed; a refused one holds up none of those behind it."""
    on_disk, refused = [], {}
    for one in sent:
        key = keypress.read(one)
        try:
            # What is no mapping has a fault.
            why_not = keypress.fault(key) or _save(store, wanted, key, one.get("seen"))
        except Problem as problem:
            why_not = problem.on_screen
        if why_not:
            refused[key.press_id] = why_not
        else:
            on_disk.append(key.press_id)
    return Saved(on_disk, refused)


def _save(store: Store, wanted: AdjudicationPick, key: Key, shown: Any) -> str:
    """Store one key; return why it never can be, '' where it is. Its `quote` is the cause."""
    panel, who = wanted.panel, wanted.adjudicator
    names = {version: name for name, version in panel.rubric.versions().items()}
    case = next((case for case in wanted.cases if case.at == key.place_id), None)
    if who is None or case is None or names.get(key.slot) not in case.points_apart:
        return said("this answer is not to be adjudicated here")
    if key.status not in ("scored", "withdrawn"):
        return said("{field} is not valid", field="status")
    voices = adjudicate.voices(store, panel, case.at, wanted.seed)
    if shown != seen(voices):
        return said("an annotator changed a grade of this answer; review it again")
    score = key.score if key.status == "scored" else None
    what = (score, key.quote, key.note) if score is not None else (None, "", "")
    given = {names[key.slot]: what}
    adjudicate.record(store, panel, case.at, voices, wanted.trigger, who.id, given)
    return ""
