"""Inclusion probabilities of a sheet's answers by grading set, and the grades a set accounts for.

With unequal inclusion probabilities the statistics weight every graded answer by the inverse of its
probability of being sampled at all, so the probability is needed in every set that annotators
graded, also in those without the answer:

- a set of the whole sheet: 1 for its answers;
- a sample stratified by the answering models of the question: that of sampled answers of the same
  stratum, 0 where it has none;
- any other sample: only what was stored with `record`.

The answers of a sample must be laid out in blocks in random order, so that stopping early leaves a
random part of it. The grades of an annotator who follows the blocks are then those of a random part
of the sheet, wherever they stop. Two kinds of grade qualify:

- of an answer that the set's queue gave the annotator in the app;
- given after sampling in any other way, as in a file, where they fill the set's first blocks: every
  answer of these, on every criterion. A partly graded block does not count, because the choice of
  its graded answers may not be random.
"""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from concord.messages import counted, said
from concord.stats.core.inclusion_weights import DrawnSet
from concord.store.database import Row, Store, marks
from concord.store.grades import CURRENT
from concord.store.permissions import CLOSED
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


def drawn_sets(store: Store, sheet_id: int, versions: Collection[str]) -> list[DrawnSet]:
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
    found = drawn_sets(store, sheet_id, versions)
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
    """Return the sets (`id`, `name`, `rubric_id` and more) whose grades count, oldest first."""
    sets = store.rows(
        """select s.id, s.name, s.kind, s.rubric_id, min(m.inclusion_probability) as lowest,
        max(m.inclusion_probability) as highest from grading_sets s
        left join grading_set_items m on m.set_id = s.id and s.kind = 'draw'
        where s.sheet_id = ? group by s.id order by s.id""",
        (sheet_id,),
    )
    return [
        row
        for row in sets
        if {*versions} & {*rubric_versions.get(store, row["rubric_id"]).versions().values()}
    ]


def _answers(store: Store, sheet_id: int) -> _Answers:
    rows = store.rows(
        """select id, question_id, coalesce(answer_model, '') as model from items
        where sheet_id = ? order by id""",
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


class ExcludedGrades(NamedTuple):
    """A person's grades of a set's answers that do not count for it.

    `missing` is the number of answers to grade until the next block counts.
    """

    person: str
    set: str
    answers: int
    missing: int

    def sentence(self) -> str:
        """Return why they do not count, and what would make them count."""
        return said(
            "{person} graded {answers} of “{set}” outside its queue, as in a file, so the answers "
            "graded may not be a random sample. Only complete blocks count: the next one lacks "
            "{missing}.",
            person=self.person,
            answers=counted(self.answers, "answer"),
            set=self.set,
            missing=counted(self.missing, "answer"),
        )


class DrawnGrades(NamedTuple):
    """The grades that grading sets account for, and those of their answers that do not count.

    `pairs` are (grader id, item id) of every answer assigned to a grader, or graded with its block.
    """

    pairs: set[tuple[int, int]]
    excluded: list[ExcludedGrades]


def drawn_grades(store: Store, sheet_id: int, versions: Collection[str]) -> DrawnGrades:
    """Return the grades accounted for by the grading sets of a sheet whose grades count."""
    pairs: set[tuple[int, int]] = set()
    excluded = []
    for one in counting_sets(store, sheet_id, versions):
        given = _given(store, one["id"])
        pairs |= given
        blocks = _blocks(store, one["id"])
        for (person, name), items in _graded(store, one).items():
            filled, missing = _filled(blocks, items)
            pairs |= {(person, item) for item in filled}
            left = {item for item in items - filled if (person, item) not in given}
            if left:
                excluded.append(ExcludedGrades(name, one["name"], len(left), missing))
    return DrawnGrades(pairs, excluded)


def graded_before_sampling(
    store: Store, sheet_id: int, versions: Collection[str], of: DrawnGrades
) -> set[int]:
    """Return the answers graded outside any set before the sheet's newest set was sampled.

    Sampling may have excluded them for that.
    """
    rows = store.rows(
        f"""select distinct g.item_id, coalesce(r.merged_into, r.id) as person from grades g
        join graders r on r.id = g.grader_id
        join items i on i.id = g.item_id where i.sheet_id = ? and r.kind = 'person'
        and g.unit_id is null and g.version in ({marks(versions)}) and g.status <> 'withdrawn'
        and g.created_at < (select max(s.created_at) from grading_sets s where s.sheet_id = ?)""",
        (sheet_id, *versions, sheet_id),
    )
    return {row["item_id"] for row in rows if (row["person"], row["item_id"]) not in of.pairs}


def _given(store: Store, set_id: int) -> set[tuple[int, int]]:
    rows = store.rows(
        """select distinct coalesce(r.merged_into, r.id), a.item_id from assignments a
        join graders r on r.id = a.grader_id where a.set_id = ?""",
        (set_id,),
    )
    return {(row[0], row[1]) for row in rows}


def _blocks(store: Store, set_id: int) -> list[set[int]]:
    """The answers to grade of each block, the first block first."""
    found: dict[int, set[int]] = {}
    for row in store.rows(
        f"""select block, item_id from grading_set_items where set_id = ?
        and item_id not in {CLOSED}
        order by block""",
        (set_id,),
    ):
        found.setdefault(row["block"], set()).add(row["item_id"])
    return list(found.values())


def _graded(store: Store, of_set: Row) -> dict[tuple[int, str], set[int]]:
    """Return by annotator (id, name) the set's answers graded in full after sampling."""
    rubric = rubric_versions.get(store, of_set["rubric_id"])
    criteria = rubric_versions.criteria(store, rubric)
    told: dict[tuple[int, str], dict[int, set[str]]] = {}
    for row in store.rows(
        f"""select p.id, p.name, g.item_id, g.version from grades g
        join grading_sets s on s.id = ? join graders r on r.id = g.grader_id
        join graders p on p.id = coalesce(r.merged_into, r.id)
        join grading_set_items m on m.item_id = g.item_id and m.set_id = s.id
        where p.kind = 'person' and g.unit_id is null and g.status <> 'withdrawn'
        and {CURRENT} and g.created_at >= s.created_at and g.version in ({marks(criteria)})
        and g.item_id not in {CLOSED}""",
        (of_set["id"], *criteria),
    ):
        of_person = told.setdefault((row["id"], row["name"]), {})
        of_person.setdefault(row["item_id"], set()).add(criteria[row["version"]])
    every = set(criteria.values())
    return {
        person: {item for item, on in items.items() if on == every}
        for person, items in told.items()
    }


def _filled(blocks: list[set[int]], items: set[int]) -> tuple[set[int], int]:
    """Return the answers of the first completely graded blocks, and how many the next one lacks."""
    filled: set[int] = set()
    # Complete blocks from the first on: of a file, any other part may have been chosen by its
    # answers.
    for block in blocks:
        if not block <= items:
            return filled, len(block - items)
        filled |= block
    return filled, 0
