"""Contradicted claims: the units that judges call contradicted, for annotators to review.

The reviews give the precision of a judge's refutations. They change no grade and enter no
reference, since the reviewer has seen the verdict.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from concord.messages import counted, said
from concord.model import Sheet
from concord.reports.cells import reasons, written
from concord.reports.panel import unit_words
from concord.rubrics.model import Rubric
from concord.sampling import splits
from concord.stats.agreement.failure_recall import refutation_precision
from concord.stats.core.estimate import Estimate
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.store.units import unit_verdicts
from concord.store.units.unit_verdicts import CONFIRMED, Refutation

CONTRADICTED = "contradicted"


class RubricRefutations(NamedTuple):
    """The refutations of one rubric of units, oldest first.

    `closed` is how many are on questions that are held out or that judges were shown; `others` are
    those of judges that are not in the list.
    """

    rubric: Rubric
    listed: tuple[Refutation, ...]
    closed: int
    others: tuple[Refutation, ...] = ()


@dataclass(frozen=True)
class Precision:
    """Precision of refutations: how many annotators confirmed and overturned.

    `precision` is the confirmed share of both, 0 to 1; `open` are unchecked and in neither. A unit
    contradicted for several judges is several refutations: `units` counts them once.
    """

    confirmed: int
    overturned: int
    open: int
    precision: Estimate
    units: int


def rubrics(store: Store, sheet: Sheet) -> list[Rubric]:
    """The rubrics of units whose verdicts may be `contradicted`, of those that are graded here."""
    graded = rubric_versions.units_graded(store, sheet.id)
    return [
        rubric
        for name, rubric in rubric_versions.of_parts(store).items()
        if name in graded and _score(rubric) is not None
    ]


def read(store: Store, sheet: Sheet, rubric: Rubric, judge: str | None = None) -> RubricRefutations:
    """Return judges' refutations under a rubric; `judge` restricts to one, by name or label."""
    version = rubric.version(rubric.criteria[0])
    every = unit_verdicts.refutations(store, sheet.id, version, _score(rubric))
    shut = splits.held_out(store, sheet.id) | splits.leaked(store, sheet.id)
    wanted, others = [], []
    for one in every:
        (wanted if judge in (None, one.judge, label(one)) else others).append(one)
    free, beside = (
        tuple(one for one in some if one.question_id not in shut) for some in (wanted, others)
    )
    return RubricRefutations(rubric, free, len(wanted) - len(free), beside)


def precision(listed: Sequence[Refutation]) -> Precision:
    """Return the precision of refutations, by annotators' checks."""
    reviewed = [one for one in listed if one.word]
    right = np.array([one.word == CONFIRMED for one in reviewed], bool)
    by_question = [one.cluster or f"question {one.question_id}" for one in reviewed]
    share = refutation_precision(right, np.array(by_question, dtype=object).astype(str))
    hits = int(right.sum())
    units = len({one.unit_id for one in listed})
    return Precision(hits, len(reviewed) - hits, len(listed) - len(reviewed), share, units)


def headline(found: Precision) -> str:
    """Return how many reviewed refutations were confirmed, and their precision."""
    reviewed = found.confirmed + found.overturned
    if not reviewed:
        refutations = counted(found.open, "“contradicted” verdict", "“contradicted” verdicts")
        return said("{refutations}, none reviewed yet.", refutations=refutations)
    return said(
        "{n} of {refutations} confirmed: precision {figure}.",
        n=found.confirmed,
        refutations=counted(reviewed, "“contradicted” verdict", "“contradicted” verdicts"),
        figure=written(found.precision, "value"),
    )


def not_shown(closed: int) -> str:
    """Note how many refutations the list leaves out; '' without any."""
    if not closed:
        return ""
    return said(
        "{refutations} on held-out questions or in the few-shot pool is not shown."
        if closed == 1
        else "{refutations} on held-out questions or in the few-shot pool are not shown.",
        refutations=counted(closed, "“contradicted” verdict", "“contradicted” verdicts"),
    )


def nothing(closed: int) -> str:
    """Say that the list is empty; `closed` is how many it leaves out."""
    if closed:
        return said("No contradiction to show.")
    return said("No judge found a contradiction here.")


def notes(found: Estimate, often: str | None) -> list[str]:
    """Return the reason for a missing CI, and that a unit counts more than once where it does."""
    why = found.why_none if found.value is not None else None
    return [*reasons([why]), *([often] if often else [])]


def counts_often(found: Precision, rubric: Rubric) -> str:
    """Note that a unit counts for each judge that refutes it; '' where none is refuted twice."""
    every = found.confirmed + found.overturned + found.open
    if found.units == every:
        return ""
    return said(
        "All {refutations} concern {units}; {unit} counts once for each judge that "
        "calls it contradicted.",
        refutations=counted(every, "“contradicted” verdict", "“contradicted” verdicts"),
        units=unit_words.how_many(unit_words.of_rubric(rubric), found.units),
        unit=unit_words.one(rubric),
    )


def elsewhere(found: RubricRefutations, one: Refutation) -> list[Refutation]:
    """Return annotators' checks of the same unit as refuted by other judges."""
    every = (*found.listed, *found.others)
    same = [other for other in every if other.unit_id == one.unit_id and other.word]
    return [other for other in same if other.judge_id != one.judge_id]


def label(one: Refutation) -> str:
    """The judge's name with its fingerprint."""
    return f"{one.judge}@{one.fingerprint}" if one.fingerprint else one.judge


def _score(rubric: Rubric) -> int | None:
    """The score whose label says contradicted; None where a rubric has none."""
    levels = rubric.criteria[0].levels
    return next((level.score for level in levels if level.label == CONTRADICTED), None)
