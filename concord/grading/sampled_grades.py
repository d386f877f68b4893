"""Sampled grades: the annotators' grades that a grading set accounts for.

A set is a random sample in blocks of random order, so the grades of an annotator who follows it are
those of a random part of the sheet, wherever they stop. Two kinds of grade qualify:

- of an answer that the set's queue gave the annotator in the app, but for those that a
  lead assigned one by one;
- given after sampling in any other way, as in a file, where they fill the set's first blocks: every
  answer of these, on every criterion. A partly graded block does not count, because the choice of
  its graded answers may not be random.
"""

from collections.abc import Collection
from typing import NamedTuple

from concord.grading import inclusion_probabilities
from concord.grading.campaign_plan import SINGLE
from concord.messages import Said, counted, joined, said
from concord.store.database import Row, Store, marks
from concord.store.grades import CURRENT
from concord.store.permissions import CLOSED
from concord.store.rubrics import rubric_versions


class ExcludedGrades(NamedTuple):
    """A person's grades of a set's answers that do not count for it.

    `missing` is the number of answers to grade until the next block counts.
    """

    person: str
    set: str
    answers: int
    missing: int

    def sentence(self) -> Said:
        """Return why they do not count, and what would make them count."""
        given = said(
            "{answers} of “{set}” that {person} graded did not come from its queue but, for "
            "example, from a file, so the answers graded may not be a random sample."
            if self.answers == 1
            else "{answers} of “{set}” that {person} graded did not come from its queue but, for "
            "example, from files, so they may not be a random sample.",
            answers=counted(self.answers, "answer"),
            set=self.set,
            person=self.person,
        )
        missing = said(
            "Only complete blocks count: {answers} of the next block is still to be graded on "
            "every criterion."
            if self.missing == 1
            else "Only complete blocks count: {answers} of the next block are still to be graded "
            "on every criterion.",
            answers=counted(self.missing, "answer"),
        )
        return joined(" ", [given, missing])


class DrawnGrades(NamedTuple):
    """The grades that grading sets account for, and those of their answers that do not count.

    `pairs` are (grader id, item id) of every answer assigned to a grader, or graded with its block.
    """

    pairs: set[tuple[int, int]]
    excluded: list[ExcludedGrades]


def of_sheet(store: Store, sheet_id: int, versions: Collection[str]) -> DrawnGrades:
    """Return the grades accounted for by the grading sets of a sheet whose grades count."""
    pairs: set[tuple[int, int]] = set()
    excluded = []
    for one in inclusion_probabilities.counting_sets(store, sheet_id, versions):
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
        "select distinct g.item_id, coalesce(r.merged_into, r.id) as person from grades g"
        " join graders r on r.id = g.grader_id"
        " join items i on i.id = g.item_id where i.sheet_id = ? and r.kind = 'person'"
        f" and g.unit_id is null and g.version in ({marks(versions)}) and g.status <> 'withdrawn'"
        " and g.created_at < (select max(s.created_at) from grading_sets s where s.sheet_id = ?"
        " and not s.emptied"
        " and not exists (select 1 from regrade_requests q where q.set_id = s.id))",
        (sheet_id, *versions, sheet_id),
    )
    return {row["item_id"] for row in rows if (row["person"], row["item_id"]) not in of.pairs}


def _given(store: Store, set_id: int) -> set[tuple[int, int]]:
    rows = store.rows(
        "select distinct coalesce(r.merged_into, r.id), a.item_id from assignments a"
        " join graders r on r.id = a.grader_id where a.set_id = ? and a.block <> ?",
        (set_id, SINGLE),
    )
    return {(row[0], row[1]) for row in rows}


def _blocks(store: Store, set_id: int) -> list[set[int]]:
    """The answers to grade of each block, the first block first."""
    found: dict[int, set[int]] = {}
    for row in store.rows(
        f"select block, item_id from grading_set_items where set_id = ? and item_id not in {CLOSED}"
        " order by block",
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
        "select p.id, p.name, g.item_id, g.version from grades g"
        " join grading_sets s on s.id = ? join graders r on r.id = g.grader_id"
        " join graders p on p.id = coalesce(r.merged_into, r.id)"
        " join grading_set_items m on m.item_id = g.item_id and m.set_id = s.id"
        " where p.kind = 'person' and g.unit_id is null and g.status <> 'withdrawn'"
        f" and {CURRENT} and g.created_at >= s.created_at and g.version in ({marks(criteria)})"
        f" and g.item_id not in {CLOSED}",
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
