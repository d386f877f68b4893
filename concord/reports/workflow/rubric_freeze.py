"""Frozen: what changed of a set's rubric until it was frozen, and what later edits leave behind."""

import pandas as pd

from concord.grading import regrades
from concord.grading.grading_sets import GradingSet
from concord.messages import Said, said
from concord.reports.workflow import regrade
from concord.store.database import Store
from concord.store.rubrics import rubric_freezes, rubric_versions


def document(store: Store, grading_set: GradingSet) -> dict:
    """The freeze of a set, or what one would change; the keys are those of `campaign --json`.

    `changed` and `since` list criteria with `old` and `new` words: until the freeze (or until now
    where there is none yet), and after it, with the grades that the later words leave behind.
    """
    held = rubric_freezes.find(store, grading_set.id)
    own = rubric_versions.get(store, grading_set.rubric_id)
    newest = own
    if not regrades.is_one(store, grading_set.id):  # such a set has one criterion of a rubric
        _, newest = rubric_versions.named(store, own.name)
    later = rubric_freezes.changes(own, newest)
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
    return "\n".join(sentences(found))


def sentences(found: dict) -> list[Said]:
    """The same in sentences."""
    if found["at"]:
        day = found["at"][:10]
        frozen = said(
            "The rubric {rubric} was frozen on {day} by {name}.",
            rubric=found["rubric"],
            day=day,
            name=found["by"],
        )
        changed = said("Until then nothing of its words changed.")
    else:
        frozen = said("The rubric {rubric} is not frozen yet.", rubric=found["rubric"])
        changed = said("Nothing of its words has changed since the set was made.")
    since = [
        said(
            "{criterion} was reworded after that: {grades}",
            criterion=one["criterion"],
            grades=one["sentence"],
        )
        for one in found["since"]
    ]
    differences = [line for one in found["changed"] for line in difference(one)]
    return [frozen, *(differences or [changed]), *since]


def difference(one: dict) -> list[Said]:
    """Old and new words of a criterion, only where they differ; a sentence each."""
    name, old, new = one["criterion"], one["old"], one["new"]
    if old is None or new is None:
        return [
            said("{criterion} was added.", criterion=name)
            if old is None
            else said("{criterion} was left out.", criterion=name)
        ]
    none = said("no score")
    parts = {said("question"): (old["question"], new["question"])}
    parts |= {
        score: (old["meanings"].get(score, none), new["meanings"].get(score, none))
        for score in {**old["meanings"], **new["meanings"]}
    }
    changed = [
        said(
            "{criterion}, {part}: “{before}” became “{after}”.",
            criterion=name,
            part=part,
            before=before,
            after=after,
        )
        for part, (before, after) in parts.items()
        if before != after
    ]
    beside = said("{criterion}: what is shown with the answer changed.", criterion=name)
    return changed or [beside]


def _listed(store: Store, changed: rubric_freezes.Changed) -> list[dict]:
    return [
        {
            "criterion": name,
            "old": rubric_freezes.words(store, old),
            "new": rubric_freezes.words(store, new),
        }
        for name, (old, new) in changed.items()
    ]


def _left_behind(store: Store, newest, criterion: str):
    """The grades that are to be given again; none where the criterion is there no more."""
    if criterion not in newest.versions():
        return pd.DataFrame(columns=list(regrade.COLUMNS))
    return regrade.outstanding(store, newest, criterion)
