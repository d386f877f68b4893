"""Gold: how each annotator graded the gold items. For leads; by name, no ranks.

Nobody else is told: a grader's connection reads neither the known scores nor which answers have
them, and a viewer's reads no score. The answers belong to questions that are in no figure.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from concord.grading import gold_items
from concord.grading.grading_sets import GradingSet
from concord.language.plurals import counted
from concord.messages import Said, capital, joined, said
from concord.problems import Problem
from concord.reports.cells import share
from concord.stats.core.tables import ranked
from concord.stats.intervals import wilson
from concord.store.database import Store
from concord.store.permissions import LEAD
from concord.store.rubrics import rubric_versions

ALL = said("all criteria")
LEADS_ONLY = said("Only whoever leads reads how annotators graded the known answers. Ask a lead.")


class Hit(NamedTuple):
    """One grade of a known answer: its question, the score given and the one known."""

    question: int
    given: float
    known: float


def document(store: Store, grading_set: GradingSet) -> dict:
    """How each annotator graded the known answers; the keys are those of `gold --json`.

    `answers` are mixed in; `outdated` lack a known score under the rubric as it is worded now. Of
    each annotator and criterion, and of all criteria together: `n` grades, `cannot_grade`, which
    are left out, and the shares that are exact and within one score, with intervals by question.
    """
    if store.who and store.who.role != LEAD:
        raise Problem(LEADS_ONLY)
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    criteria = {version: name for name, version in rubric.versions().items()}
    known = gold_items.scores(store, grading_set.id, list(criteria))
    rows = [
        row
        for row in gold_items.given(store, grading_set.id, list(criteria))
        if (row["item_id"], row["version"]) in known
    ]
    named = {row["person"]: row["name"] for row in rows}
    return {
        "set": grading_set.name,
        "answers": len({item_id for item_id, _ in known}),
        "outdated": gold_items.outdated(store, grading_set.id, list(criteria)),
        "annotators": [
            {"name": name, "criterion": label, **_row([one for one in own if holds(one)], known)}
            for person, name in sorted(named.items(), key=lambda one: (one[1].casefold(), one[0]))
            for own in [[row for row in rows if row["person"] == person]]
            for label, holds in _parts(criteria)
        ],
    }


def shares(hits: Iterable[Hit]) -> dict:
    """`n`, and the shares `exact` and `within_one` as estimates. Pure.

    Below 10 questions they have no interval.
    """
    hits = list(hits)
    count, group = ranked(np.array([hit.question for hit in hits], dtype=np.int64))
    off = np.array([abs(hit.given - hit.known) for hit in hits])
    base = np.bincount(group, minlength=count).astype(float)
    found = {
        name: wilson.proportion(
            np.bincount(group, weights=off <= most, minlength=count), base, len(hits)
        )._asdict()
        for name, most in (("exact", 0), ("within_one", 1))
    }
    return {"n": len(hits), **found}


def text(found: dict) -> str:
    """The same for a terminal."""
    if not found["answers"]:
        return outdated(found) or f"No answer with a known score is mixed into “{found['set']}”."
    lines = [f"{counted(found['answers'], 'answer')} with known scores mixed in."]
    for row in found["annotators"]:
        lines.append(
            f"{row['name']}, {row['criterion']}: n {row['n']}, exact {share(row['exact'])},"
            f" within one {share(row['within_one'])}"
        )
    return "\n".join([*lines, *whys(found), *filter(None, [outdated(found)])])


def whys(found: dict) -> list[Said]:
    """Why shares or intervals are missing, each reason once, as sentences."""
    rows = [
        row[name]["why_none"] for row in found["annotators"] for name in ("exact", "within_one")
    ]
    return [capital(said("{why}.", why=why)) for why in sorted({*rows} - {None})]


def outdated(found: dict) -> str:
    """What is said where known scores are of earlier words; '' where none are."""
    if not found["outdated"]:
        return ""
    answers = counted(found["outdated"], "answer")
    lack = said(
        "{answers} lacks a known score under the rubric as it is worded now."
        if found["outdated"] == 1
        else "{answers} lack a known score under the rubric as it is worded now.",
        answers=answers,
    )
    return joined(" ", [lack, said("Give the scores again, or take the answers out.")])


def _parts(criteria: dict[str, str]) -> list[tuple]:
    """Each criterion and all together, with what picks their rows."""
    one = [
        (name, lambda row, own=version: row["version"] == own) for version, name in criteria.items()
    ]
    return [*one, (ALL, lambda row: True)] if len(one) > 1 else one


def _row(rows: list, known: dict) -> dict:
    scored = [row for row in rows if row["status"] == "scored"]
    hits = [
        Hit(row["question_id"], row["score"], known[row["item_id"], row["version"]])
        for row in scored
    ]
    return {**shares(hits), "cannot_grade": len(rows) - len(scored)}
