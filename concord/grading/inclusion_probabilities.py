"""Inclusion probabilities of every answer of a sheet, for each of its grading sets.

With unequal inclusion probabilities the statistics weight every graded answer by the inverse of its
probability of being sampled at all, so the probability is needed in every set that annotators
graded, also in those without the answer:

- a set of the whole sheet: 1 for its answers;
- a sample stratified by the answering models of the question: that of sampled answers of the same
  stratum, 0 where it has none;
- any other sample: only what was stored with `record`.

The answers of a sample must be laid out in blocks in random order, so that stopping early leaves a
random part of it.
"""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from concord.stats.core.inclusion_weights import DrawnSet
from concord.store.database import Row, Store
from concord.store.rubrics import rubric_versions

# Probabilities are quotients of counts, so equal ones may differ by rounding.
_EQUAL = 1e-9


class _Answers(NamedTuple):
    """The answers of a sheet in rising order of ids, and the stratum of each one's question."""

    id: np.ndarray
    question: np.ndarray
    stratum: np.ndarray


def record(store: Store, set_id: int, probability: dict[int, float]) -> None:
    """Store the inclusion probability of each answer in a set, by item id; inside `write()`.

    For every answer that could have been sampled, whether it was or not: also for those excluded
    because another set holds them, as if it did not.
    """
    rows = [(set_id, item_id, chance) for item_id, chance in probability.items()]
    store.insert_many("draw_probabilities", ("set_id", "item_id", "probability"), rows)


def of_sheet(store: Store, sheet_id: int, versions: Collection[str]) -> list[DrawnSet]:
    """Return the grading sets of a sheet whose grades count, if any is an unequal sample.

    Empty where all have equal inclusion probabilities, so that no weights are needed. Sets made for
    other rubrics than those of the `versions` are left out.
    """
    sets = counting_sets(store, sheet_id, versions)
    # The common case, decided from two numbers per set before any answer is read.
    if all(row["lowest"] is None or row["highest"] - row["lowest"] < _EQUAL for row in sets):
        return []
    found = counted_sets(store, sheet_id, versions)
    return found if any(one.unequal for one in found) else []


def of_items(
    store: Store, sheet_id: int, versions: Collection[str], item_ids: np.ndarray
) -> list[DrawnSet]:
    """Return the sets of `of_sheet` seen from some (N,) items, an id once or several times.

    Units of an answer share its probability.
    """
    found = of_sheet(store, sheet_id, versions)
    if not found:
        return []
    # The ids rise (`_Answers`), and every item is of this sheet.
    place = np.searchsorted(_answers(store, sheet_id).id, item_ids)
    return [
        one._replace(member=one.member[place], probability=one.probability[place]) for one in found
    ]


def counted_sets(store: Store, sheet_id: int, versions: Collection[str]) -> list[DrawnSet]:
    """Return all grading sets of a sheet whose grades count, however they were sampled."""
    answers = _answers(store, sheet_id)
    return [_drawn_set(store, row, answers) for row in counting_sets(store, sheet_id, versions)]


def counting_sets(store: Store, sheet_id: int, versions: Collection[str]) -> list[Row]:
    """Return the sets (`id`, `name`, `rubric_id` and more) whose grades count, oldest first.

    Includes sets regraded under a version that counts: their answers were sampled by that set. A
    regrade set is not a sample of its own.
    """
    versions = {*versions, *_regraded(store, sheet_id, versions)}
    return [row for row in _sets(store, sheet_id) if _shares(store, row["rubric_id"], versions)]


def _sets(store: Store, sheet_id: int) -> list[Row]:
    return store.rows(
        "select s.id, s.name, s.kind, s.rubric_id, min(m.inclusion_probability) as lowest,"
        " max(m.inclusion_probability) as highest from grading_sets s"
        " left join grading_set_items m on m.set_id = s.id and s.kind = 'draw'"
        " where s.sheet_id = ? and not s.emptied and not exists (select 1 from regrade_requests r"
        " where r.set_id = s.id) group by s.id order by s.id",
        (sheet_id,),
    )


def _shares(store: Store, rubric_id: int, versions: Collection[str]) -> bool:
    """True where grades given in a set of this rubric count."""
    return not set(versions).isdisjoint(rubric_versions.get(store, rubric_id).versions().values())


def _answers(store: Store, sheet_id: int) -> _Answers:
    rows = store.rows(
        "select id, question_id, coalesce(answer_model, '') as model from items"
        " where sheet_id = ? order by id",
        (sheet_id,),
    )
    models: dict[int, list[str]] = {}
    for row in rows:
        models.setdefault(row["question_id"], []).append(row["model"])
    kinds: dict[tuple[str, ...], int] = {}
    kind = {q: kinds.setdefault(tuple(sorted(m)), len(kinds)) for q, m in models.items()}
    question = np.array([row["question_id"] for row in rows])
    stratum = np.array([kind[row["question_id"]] for row in rows])
    return _Answers(np.array([row["id"] for row in rows]), question, stratum)


def _drawn_set(store: Store, row: Row, answers: _Answers) -> DrawnSet:
    member, chance = _spread(
        answers,
        store.rows(
            "select item_id, inclusion_probability from grading_set_items where set_id = ?",
            (row["id"],),
        ),
    )
    if row["kind"] == "whole":
        return DrawnSet(row["name"], member, member.astype(float), False)
    strata = _strata(answers, member, chance)
    probability = np.full(len(member), np.nan)
    if strata is not None:
        probability = strata[answers.stratum]
    written, recorded = _spread(
        answers,
        store.rows(
            "select item_id, probability from draw_probabilities where set_id = ?", (row["id"],)
        ),
    )
    probability = np.where(written, recorded, 0.0 if written.any() else probability)
    probability = np.where(member, chance, probability)
    return DrawnSet(row["name"], member, probability, _unequal(answers, member, strata))


def _spread(answers: _Answers, rows: list[Row]) -> tuple[np.ndarray, np.ndarray]:
    """Return (N,) True for the answers in the rows, and (N,) their probability."""
    named, number = np.zeros(len(answers.id), bool), np.full(len(answers.id), np.nan)
    place = np.searchsorted(answers.id, [row[0] for row in rows])
    named[place], number[place] = True, [row[1] for row in rows]
    return named, number


def _strata(answers: _Answers, member: np.ndarray, chance: np.ndarray) -> np.ndarray | None:
    """Return the probability of each stratum, 0 if unsampled; None where it varies within one."""
    found = np.zeros(int(answers.stratum.max()) + 1)
    for stratum in np.unique(answers.stratum[member]):
        own = chance[member & (answers.stratum == stratum)]
        if np.ptp(own) > _EQUAL:
            return None
        found[stratum] = own[0]
    return found


def _unequal(answers: _Answers, member: np.ndarray, strata: np.ndarray | None) -> bool:
    """True where probabilities differ more than under proportional sampling of questions."""
    if strata is None:
        return True
    drawn = np.unique(np.stack([answers.stratum, answers.question])[:, member], axis=1)[0]
    taken = np.bincount(drawn, minlength=len(strata))[strata > 0]
    size = taken / strata[strata > 0]
    rate = taken.sum() / size.sum()
    # Within one question of proportional counts as equal: rounding to whole questions needs no
    # weights.
    return bool(np.any((taken - 1 >= rate * size) | (taken + 1 <= rate * size)))


def _regraded(store: Store, sheet_id: int, versions: Collection[str]) -> set[str]:
    """Return the versions whose grades on a sheet were regraded under one of these."""
    rows = store.rows(
        "select distinct g.version as earlier, r.version from regrade_requests r"
        " join grades g on g.id = r.grade_id join items i on i.id = r.item_id"
        " where i.sheet_id = ?",
        (sheet_id,),
    )
    return {row["earlier"] for row in rows if row["version"] in versions}
