"""Panel: everything the reports read of one sheet under one rubric, as arrays.

Read once from the store; all reports over it are functions of it. Only first grades (repeat 1)
of whole answers count. What does not count is kept as a reason per answer and never dropped
without one.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
import pandas as pd

from data import adjudications, graders, grades, roles, rubric_versions, sheets
from data.graders import Grader
from data.people import counting as who_counts
from data.sheets import Sheet
from data.store import Store
from problems import Problem
from rubrics.model import Rubric

COMPOSITE = "composite"
BASELINE = "baseline"


@dataclass(frozen=True)
class Panel:
    """The items of a sheet and the current grades of them under a rubric's criterion versions.

    Attributes:
        sheet: The sheet.
        rubric: The rubric.
        items: One row per item, in order: columns id, question, cluster (both indices from 0),
            answer_model ('' where unknown), closed ('' or why the item is never scored).
        grades: One row per current grade of repeat 1: item (index), criterion, grader_id, status,
            score, blind.
        repeats: The same columns and `repeat`, for later repeats.
        people: Who counts as people, by grader id.
        judges: Judges and metrics by grader id; of the baseline only the newest.
        uncounted: People who graded and do not count, with the reason, by name.
        adjudicated: Columns item (index), criterion, score: what enters the consensus first.
    """

    sheet: Sheet
    rubric: Rubric
    items: pd.DataFrame
    grades: pd.DataFrame
    repeats: pd.DataFrame
    people: dict[int, Grader]
    judges: dict[int, Grader]
    uncounted: dict[str, str]
    adjudicated: pd.DataFrame

    @cached_property
    def cluster(self) -> np.ndarray:
        """(N,) index of each item's cluster, the unit that is resampled."""
        return self.items["cluster"].to_numpy()

    @cached_property
    def answer_models(self) -> list[str]:
        """The answering models in the order of their names; unknown ones are left out."""
        return sorted(set(self.items["answer_model"]) - {""})

    @cached_property
    def open(self) -> np.ndarray:
        """(N,) whether an item may be scored at all."""
        return (self.items["closed"] == "").to_numpy()

    @cached_property
    def composites(self) -> pd.DataFrame:
        """The composite of every item and grader, in the columns of `grades`.

        Scored only where all criteria are; exact, as whole numbers over a common denominator.
        """
        return composites(self.grades, self.rubric.weights())

    def of(self, criterion: str, graders: Iterable[int]) -> pd.DataFrame:
        """The grades of a criterion (or of the composite) by some graders, with every status."""
        frame = self.composites if criterion == COMPOSITE else self.grades
        return frame[(frame["criterion"] == criterion) & frame["grader_id"].isin(list(graders))]

    def within(self, answer_model: str) -> "Panel":
        """The panel of one answering model's answers; item indices stay as they are."""
        items = self.items.copy()
        items.loc[items["answer_model"] != answer_model, "closed"] = OTHER
        return replace(self, items=items)


def composites(grades: pd.DataFrame, weights: dict[str, Fraction]) -> pd.DataFrame:
    """Weighted means over the criteria per item and grader, in exact arithmetic until the end.

    Args:
        grades: Columns item, grader_id, criterion, status, score, blind.
        weights: Exact weight by criterion; they sum to 1.

    Returns:
        The same columns with criterion `composite`. The status is `scored` where every criterion
        is, else that of an unscored criterion, else `incomplete`. Not blind where one is not.
    """
    denominator = math.lcm(*(weight.denominator for weight in weights.values()))
    parts = grades["criterion"].map({n: int(w * denominator) for n, w in weights.items()})
    marked = grades.assign(part=parts * grades["score"], scored=grades["status"] == "scored")
    groups = marked.groupby(["item", "grader_id"], sort=True)
    found = groups.agg(
        total=("part", "sum"), scored=("scored", "sum"), blind=("blind", "min")
    ).reset_index()
    unscored = marked[~marked["scored"]].groupby(["item", "grader_id"])["status"].first()
    complete = found["scored"] == len(weights)
    slots = pd.MultiIndex.from_frame(found[["item", "grader_id"]])
    found["status"] = unscored.reindex(slots).fillna("incomplete").to_numpy()
    found.loc[complete, "status"] = "scored"
    found["score"] = (found.pop("total") / denominator).where(complete)
    found["criterion"] = COMPOSITE
    return found.drop(columns="scored")


OTHER = "of another answering model"
LEAKED = "question shown to judges as an example"
SEALED = "question sealed"


def read(
    store: Store, sheet: Sheet, rubric: Rubric, people: tuple[str, ...] | None = None
) -> Panel:
    """Read a panel; `people` restricts who counts as people, by name.

    A Problem where a named person has no grade here.
    """
    items = _items(store, sheet)
    versions = _versions(store, rubric)
    table = grades.table(store, sheet.id, versions)
    adjudicated = adjudications.entering_consensus(store, sheet.id, versions)
    position = pd.Series(items.index, index=items["id"])
    adjudicated["item"] = position.reindex(adjudicated.pop("item_id")).to_numpy()
    table["item"] = position.reindex(table.pop("item_id")).to_numpy()
    slot = ["item", "criterion", "grader_id", "repeat"]
    table = table.drop_duplicates(slot, keep="last", ignore_index=True)  # a carried version's
    everyone = _graders(store, table)
    chosen, uncounted = who_counts(everyone.values(), people)
    first = table["repeat"] == 1
    return Panel(
        sheet,
        rubric,
        items,
        table[first].reset_index(drop=True),
        table[~first].reset_index(drop=True),
        chosen,
        _judges(everyone),
        uncounted,
        adjudicated,
    )


def rubric_for(store: Store, sheet: Sheet, name: str | None) -> Rubric:
    """The rubric of that name, else the one the sheet's grades are under; a Problem if unclear."""
    if name:
        return rubric_versions.named(store, name)[1]
    graded = rubric_versions.graded(store, sheet.id)
    if not graded:
        raise Problem(
            f"Nothing in sheet “{sheet.name}” is graded yet. Grade some answers in the app, or "
            "bring grades with `grades FILE`."
        )
    if len(graded) > 1:
        raise Problem(
            f"Sheet “{sheet.name}” is graded under several rubrics: {', '.join(graded)}. Name one "
            "with --rubric."
        )
    return rubric_versions.named(store, graded[0])[1]


def _items(store: Store, sheet: Sheet) -> pd.DataFrame:
    rows = sheets.item_index(store, sheet.id)
    frame = pd.DataFrame(
        [tuple(row)[:4] for row in rows], columns=["id", "question", "cluster", "answer_model"]
    )
    closed = pd.Series("", index=frame.index, dtype=object)
    closed[frame["question"].isin(roles.sealed(store, sheet.id))] = SEALED
    closed[frame["question"].isin(roles.leaked(store, sheet.id))] = LEAKED
    unit = [
        ("cluster", cluster) if cluster is not None else ("question", question)
        for question, cluster in ((row["question_id"], row["cluster"]) for row in rows)
    ]
    frame["cluster"] = pd.factorize(pd.Series(unit, dtype=object))[0]
    frame["question"] = pd.factorize(frame["question"])[0]
    frame["answer_model"] = [row["answer_model"] or "" for row in rows]
    frame["closed"] = closed
    return frame


def _versions(store: Store, rubric: Rubric) -> dict[str, str]:
    """Criterion name by every criterion version whose grades count."""
    return {
        counting: name
        for name, version in rubric.versions().items()
        for counting in rubric_versions.counting(store, version)
    }


def _graders(store: Store, table: pd.DataFrame) -> dict[int, Grader]:
    ids = table.loc[table["repeat"] == 1, "grader_id"].unique()
    return {int(grader_id): graders.get(store, int(grader_id)) for grader_id in sorted(ids)}


def _judges(everyone: dict[int, Grader]) -> dict[int, Grader]:
    """Judges and metrics; of the baseline only the newest."""
    judges = {i: g for i, g in everyone.items() if g.kind != "person"}
    baselines = [i for i, g in judges.items() if g.name == BASELINE]
    return {i: g for i, g in judges.items() if i not in baselines[:-1]}
