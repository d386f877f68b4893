"""Annotators' grades that a judge without a model is fitted to, and their folds of questions."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence

from concord.grading import annotators
from concord.messages import said
from concord.model import Sheet
from concord.rubrics.model import Rubric
from concord.store import grade_table, graders
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

FOLDS, SEED = 10, 0
MIN_ITEMS, MIN_GROUPS = 30, 10


def training_grades(
    store: Store, sheet: Sheet, rubric: Rubric, item_ids: list[int]
) -> dict[str, list[tuple[int, int]]]:
    """Return annotators' scores as (item index, score) by criterion, blind grades preferred."""
    table = grade_table.table(store, sheet.id, rubric_versions.criteria(store, rubric))
    table = table.drop_duplicates(["item_id", "criterion", "grader_id", "repeat"], keep="last")
    usable = table[(table["status"] == "scored") & (table["repeat"] == 1) & table["blind"]]
    graded_by = (graders.get(store, int(g)) for g in usable["grader_id"].unique())
    who, _ = annotators.counting(graded_by, graders.annotator_states(store, sheet.id))
    usable = usable[usable["grader_id"].isin(list(who))]
    place = {item_id: index for index, item_id in enumerate(item_ids)}
    training: dict[str, list[tuple[int, int]]] = {name: [] for name in rubric.versions()}
    for row in usable.itertuples():
        training[row.criterion].append((place[row.item_id], int(row.score)))
    return training


def deal(groups: Sequence[str], graded: Iterable[int]) -> dict[str, int]:
    """The fold of each group with graded items: largest first, to the fold with fewest items.

    `groups` has the group of each item, `graded` the places of the graded items. Which items are
    graded decides it, never how; groups of equal size are ordered by a hash.
    """
    sizes = Counter(groups[item] for item in set(graded))

    def place(group: str) -> tuple[int, str, str]:
        # Of equal size in a random order that is the same on every machine.
        shuffled = hashlib.sha256(f"{SEED}:{group}".encode()).hexdigest()
        return -sizes[group], shuffled, group

    loads = [0] * min(FOLDS, max(1, len(sizes)))
    folds = {}
    for group in sorted(sizes, key=place):
        folds[group] = loads.index(min(loads))
        loads[folds[group]] += sizes[group]
    return folds


def too_few(groups: Sequence[str], grades: Iterable[tuple[int, int]]) -> str | None:
    """Return what grades, as (item, score), lack to be learnt from; None when there is enough.

    Needed are 30 graded items in 10 groups of questions, and two different scores among them.
    """
    items, scores = map(set, zip(*grades, strict=True)) if grades else (set(), set())
    found = len({groups[item] for item in items})
    if len(items) < MIN_ITEMS or found < MIN_GROUPS:
        return said(
            "At least {least} graded answers to {groups} questions are needed, questions on the "
            "same document counted once; there are {n} to {found}.",
            least=MIN_ITEMS,
            groups=MIN_GROUPS,
            n=len(items),
            found=found,
        )
    if len(scores) < 2:
        return said(
            "At least two different scores are needed; all {n:,} graded answers have {score}.",
            n=len(items),
            score=next(iter(scores)),
        )
    return None
