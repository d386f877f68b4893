"""Panel: everything the reports read of one sheet under one rubric, as arrays.

Read once from the store; all reports over it are functions of it. Only first grades (repeat 1)
of whole answers count. What does not count is kept as a reason per answer and never dropped
without one.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from data import adjudications, contents, graders, grades, roles, rubric_versions
from data.graders import Grader
from data.model import STATUSES
from data.people import counting as who_counts
from data.sheets import Sheet
from data.store import Store
from judges.baseline_run import BASELINE
from rubrics.model import Rubric

COMPOSITE = "composite"
OTHER = "of another answering model"
SEALED = "sealed"
LEAKED = "judges may have seen its question as an example"
INCOMPLETE, OFF_SCALE = "a criterion is missing", "off the scale"
STATUS_NAMES = (*STATUSES, INCOMPLETE, OFF_SCALE)


class Marks(NamedTuple):
    """What one grader said of one criterion (or the composite): an entry for every item.

    Attributes:
        score: (N,) the score; nan unless there is one.
        status: (N,) index into `STATUS_NAMES`, -1 where there is no grade.
        blind: (N,) False where the grade is known to be given after seeing what judges said.
    """

    score: np.ndarray
    status: np.ndarray
    blind: np.ndarray

    @property
    def scored(self) -> np.ndarray:
        """(N,) whether there is a score."""
        return self.status == 0


@dataclass(frozen=True)
class Panel:
    """The items of a sheet and the current grades of them under a rubric's criterion versions.

    Attributes:
        sheet: The sheet.
        rubric: The rubric.
        items: One row per item, in order: columns id, question, cluster (both indices from 0),
            answer_model ('' where unknown), closed ('' or why the item is never scored).
        marks: By (criterion, grader id).
        repeats: People's later grades: columns item (index), criterion, grader_id, status, score,
            repeat.
        persons: Every person who graded, by grader id.
        people: Those of them who count as people.
        judges: Judges and metrics by grader id; of the baseline only the newest.
        uncounted: People who graded and do not count, with the reason, by name.
        adjudicated: Columns item (index), criterion, score: what enters the consensus first.
        weights: Exact weight by criterion of the composite; the rubric's, unless explored.
    """

    sheet: Sheet
    rubric: Rubric
    items: pd.DataFrame
    marks: dict[tuple[str, int], Marks]
    repeats: pd.DataFrame
    persons: dict[int, Grader]
    people: dict[int, Grader]
    judges: dict[int, Grader]
    uncounted: dict[str, str]
    adjudicated: pd.DataFrame
    weights: dict[str, Fraction]
    _composites: dict[int, Marks] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def question(self) -> np.ndarray:
        """(N,) index of each item's question."""
        return self.items["question"].to_numpy()

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
    def labels(self) -> dict[int, str]:
        """What each judge is called: the name, with the fingerprint where a name occurs twice."""
        names = [judge.name for judge in self.judges.values()]
        return {
            i: judge.label() if names.count(judge.name) > 1 else judge.name
            for i, judge in self.judges.items()
        }

    @cached_property
    def denominator(self) -> int:
        """What composites are whole multiples of one over."""
        return math.lcm(*(weight.denominator for weight in self.weights.values()))

    @property
    def criteria(self) -> list[str]:
        """The names of the criteria, and of the composite where there is more than one."""
        names = [criterion.name for criterion in self.rubric.criteria]
        return [*names, COMPOSITE] if len(names) > 1 else names

    def of(self, criterion: str, grader_id: int) -> Marks:
        """What a grader said of a criterion, or the composite of what they said."""
        if criterion != COMPOSITE:
            return self.marks.get((criterion, grader_id)) or _nothing(len(self.items))
        if grader_id not in self._composites:
            parts = {name: self.of(name, grader_id) for name in self.weights}
            self._composites[grader_id] = composite(parts, self.weights)
        return self._composites[grader_id]

    def counted(self, criterion: str, grader_id: int) -> np.ndarray:
        """(N,) on which items a person's score counts: scored, blind as far as known, and open."""
        marks = self.of(criterion, grader_id)
        return marks.scored & marks.blind & self.open

    def choosing(self, people: Collection[str]) -> "Panel":
        """The same panel with these people alone; a Problem where one has no grade here."""
        chosen, uncounted = who_counts(self.persons.values(), tuple(people))
        return replace(self, people=chosen, uncounted=uncounted)

    def within(self, answer_model: str) -> "Panel":
        """The panel of one answering model's answers; item indices stay as they are."""
        items = self.items.copy()
        items.loc[items["answer_model"] != answer_model, "closed"] = OTHER
        return replace(self, items=items)

    def weighing(self, weights: dict[str, Fraction]) -> "Panel":
        """The same panel with other weights; a criterion of weight 0 need not be graded."""
        weights = {name: weight for name, weight in weights.items() if weight}
        return replace(self, weights=weights, _composites={})


def composite(parts: dict[str, Marks], weights: dict[str, Fraction]) -> Marks:
    """Weighted means over the criteria of one grader, in whole numbers until the one division.

    Scored only where every criterion is; else the status is that of the first criterion that has
    a grade without a score, or says that a criterion is missing. Not blind where one is not.

    Args:
        parts: What the grader said, by criterion.
        weights: Exact and positive, by criterion; they sum to 1.
    """
    denominator = math.lcm(*(weight.denominator for weight in weights.values()))
    total = sum(int(weights[name] * denominator) * parts[name].score for name in weights)
    every = [parts[name] for name in weights]
    status = np.full(len(total), -1, np.int8)
    status[np.any([part.status >= 0 for part in every], axis=0)] = STATUS_NAMES.index(INCOMPLETE)
    for part in reversed(every):
        unscored = part.status > 0
        status[unscored] = part.status[unscored]
    status[np.all([part.scored for part in every], axis=0)] = 0
    return Marks(total / denominator, status, np.all([part.blind for part in every], axis=0))


def read(
    store: Store,
    sheet: Sheet,
    rubric: Rubric,
    people: Collection[str] | None = None,
    only: str | None = None,
) -> Panel:
    """Read a panel; a Problem where a person named in `people` has no grade here.

    Args:
        store: The open store.
        sheet: The sheet.
        rubric: The rubric.
        people: Restricts who counts as people, by name.
        only: Read this criterion alone, which is quicker.
    """
    items = _items(store, sheet)
    versions = rubric_versions.criteria(store, rubric)
    versions = {version: name for version, name in versions.items() if only in (None, name)}
    table = grades.table(store, sheet.id, versions)
    table["item"] = np.searchsorted(items["id"], table.pop("item_id"))
    if len(versions) > len(set(versions.values())):  # where versions were carried the newest counts
        slot = ["item", "criterion", "grader_id", "repeat"]
        table = table.drop_duplicates(slot, keep="last", ignore_index=True)
    first = np.unique(table.loc[table["repeat"] == 1, "grader_id"])
    everyone = {int(grader_id): graders.get(store, int(grader_id)) for grader_id in first}
    persons = {i: grader for i, grader in everyone.items() if grader.kind == "person"}
    chosen, uncounted = who_counts(persons.values())
    adjudicated = adjudications.entering_consensus(store, sheet.id, versions)
    adjudicated["item"] = np.searchsorted(items["id"], adjudicated.pop("item_id"))
    marks = _marks(table, len(items), rubric.scale)
    repeats = table[(table["repeat"] > 1) & table["grader_id"].isin(list(persons))]
    panel = Panel(
        sheet=sheet,
        rubric=rubric,
        items=items,
        marks=marks,
        repeats=repeats,
        persons=persons,
        people=chosen,
        judges=_judges(everyone),
        uncounted=uncounted,
        adjudicated=adjudicated,
        weights=rubric.weights(),
    )
    return panel.choosing(people) if people else panel


def _items(store: Store, sheet: Sheet) -> pd.DataFrame:
    rows = [tuple(row)[:4] for row in contents.item_index(store, sheet.id)]
    frame = pd.DataFrame(rows, columns=["id", "question", "cluster", "answer_model"], dtype=object)
    frame = frame.astype({"id": np.int64, "question": np.int64})
    closed = np.full(len(frame), "", dtype=object)
    closed[frame["question"].isin(roles.sealed(store, sheet.id))] = SEALED
    closed[frame["question"].isin(roles.leaked(store, sheet.id))] = LEAKED
    frame["closed"] = closed
    frame["cluster"] = _clusters(frame["cluster"], frame["question"].to_numpy())
    frame["question"] = pd.factorize(frame["question"])[0]
    frame["answer_model"] = frame["answer_model"].map(lambda model: model or "")
    return frame


def _clusters(named: pd.Series, question: np.ndarray) -> np.ndarray:
    """An index per cluster; a question without one is its own."""
    codes = pd.factorize(named)[0]
    alone = codes < 0
    return pd.factorize(np.where(alone, question + codes.max(initial=0) + 1, codes))[0]


def _marks(table: pd.DataFrame, items: int, scale: tuple[int, ...]) -> dict[tuple[str, int], Marks]:
    """The first grades of every criterion and grader, spread over the items."""
    first = (table["repeat"] == 1).to_numpy()
    item, score = table["item"].to_numpy()[first], table["score"].to_numpy()[first]
    status = table["status"].cat.codes.to_numpy()[first]
    status = np.where((status == 0) & ~np.isin(score, scale), _OFF, status).astype(np.int8)
    blind = table["blind"].to_numpy()[first] != 0
    names = table["criterion"].cat.categories
    grader = table["grader_id"].to_numpy()[first]
    key = grader * len(names) + table["criterion"].cat.codes.to_numpy()[first]
    order = np.argsort(key, kind="stable")
    ends = np.flatnonzero(np.diff(key[order])) + 1
    found = {}
    for rows in np.split(order, ends) if len(order) else []:
        marks = _nothing(items)
        marks.status[item[rows]] = status[rows]
        marks.score[item[rows]] = np.where(status[rows] == 0, score[rows], np.nan)
        marks.blind[item[rows]] = blind[rows]
        grader_id, code = divmod(int(key[rows[0]]), len(names))
        found[names[code], grader_id] = marks
    return found


_OFF = STATUS_NAMES.index(OFF_SCALE)


def _nothing(items: int) -> Marks:
    return Marks(np.full(items, np.nan), np.full(items, -1, np.int8), np.ones(items, bool))


def _judges(everyone: dict[int, Grader]) -> dict[int, Grader]:
    """Judges and metrics; of the baseline only the newest."""
    judges = {i: g for i, g in everyone.items() if g.kind != "person"}
    baselines = [i for i, g in judges.items() if g.name == BASELINE]
    return {i: g for i, g in judges.items() if i not in baselines[:-1]}
