"""Frozen: what changed of a set's rubric until it was frozen, and what later edits leave behind."""

import pandas as pd

from data import freezes, regrades, rubric_versions
from data.grading_sets import GradingSet
from data.store import Store
from reports import regrade


def document(store: Store, grading_set: GradingSet) -> dict:
    """The freeze of a set, or what one would change; the keys are those of `campaign --json`.

    `changed` and `since` list criteria with `old` and `new` words: until the freeze (or until now
    where there is none yet), and after it, with the grades that the later words leave behind.
    """
    held = freezes.find(store, grading_set.id)
    own = rubric_versions.get(store, grading_set.rubric_id)
    newest = own
    if not regrades.is_one(store, grading_set.id):  # such a set has one criterion of a rubric
        _, newest = rubric_versions.named(store, own.name)
    later = freezes.changes(own, newest)
    since = [
        {**one, "grades": len(left), "sentence": regrade.sentence(left)}
        for one in _listed(store, later if held else {})
        for left in [_left_behind(store, newest, one["criterion"])]
    ]
    return {
        "rubric": own.name,
        "at": held and held.created_at,
        "by": held and held.frozen_by,
        "changed": _listed(store, held.changed if held else later),
        "since": since,
    }


def text(found: dict) -> str:
    """The same in sentences, a line each."""
    if found["at"]:
        lines = [f"The rubric {found['rubric']} was frozen on {found['at'][:10]} by {found['by']}."]
        changed = "Until then nothing of its words changed."
    else:
        lines = [f"The rubric {found['rubric']} is not frozen yet."]
        changed = "Nothing of its words has changed since the set was made."
    lines += [line for one in found["changed"] for line in difference(one)] or [changed]
    for one in found["since"]:
        lines.append(f"{one['criterion']} was worded anew after that: {one['sentence']}")
    return "\n".join(lines)


def difference(one: dict) -> list[str]:
    """Old and new words of a criterion, only where they differ; a sentence each."""
    name, old, new = one["criterion"], one["old"], one["new"]
    if old is None or new is None:
        return [f"{name} was {'added' if old is None else 'left out'}."]
    parts = {"question": (old["question"], new["question"])}
    parts |= {
        score: (old["meanings"].get(score, "no score"), new["meanings"].get(score, "no score"))
        for score in {**old["meanings"], **new["meanings"]}
    }
    said = [
        f"{name}, {part}: “{before}” became “{after}”."
        for part, (before, after) in parts.items()
        if before != after
    ]
    return said or [f"{name}: what is shown beside the answer changed."]


def _listed(store: Store, changed: freezes.Changed) -> list[dict]:
    return [
        {"criterion": name, "old": freezes.words(store, old), "new": freezes.words(store, new)}
        for name, (old, new) in changed.items()
    ]


def _left_behind(store: Store, newest, criterion: str):
    """The grades that are to be given again; none where the criterion is there no more."""
    if criterion not in newest.versions():
        return pd.DataFrame(columns=list(regrade.COLUMNS))
    return regrade.outstanding(store, newest, criterion)
