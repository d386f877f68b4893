"""Panel: everything the reports know of one sheet under one rubric, as arrays.

Read once from the store (`read`); all reports over it are functions of it. Only
first grades (repeat 1) of whole answers count. What does not count is kept as a reason per answer
and never dropped without one.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import NamedTuple

import numpy as np
import pandas as pd

from concord.grading.annotators import MEAN, WITHOUT
from concord.grading.annotators import counting as who_counts
from concord.grading.inclusion_probabilities import of_items
from concord.messages import Said, joined, said
from concord.model import BASELINE, STATUSES, Grader, Sheet
from concord.rubrics.model import Rubric
from concord.sampling import splits
from concord.stats.core.estimate import Reason
from concord.stats.core.inclusion_weights import DrawnSet, chance
from concord.stats.core.inclusion_weights import weights as over_chances
from concord.stats.core.tables import ranked
from concord.store import grade_table, graders, grades
from concord.store import items as store_items
from concord.store.database import Store
from concord.store.graders import INCLUDED, AnnotatorState
from concord.store.rubrics import rubric_versions
from concord.store.units import units

COMPOSITE = "composite"
REWEIGHTED = "reweighted by inclusion probability"
OTHER = "of another answering model"
IN_HELD_OUT_TEST = "in the held-out test"
EDITED = "no longer in the list of its answer"
NOT_HELD_OUT = "not among the held-out questions"
LEAKED = "judges may have seen its question as an example"
INCOMPLETE, OFF_SCALE = "a criterion is missing", "off the scale"
CONTINUOUS = "a continuous number, which is not a score of the scale"
STATUS_NAMES = (*STATUSES, INCOMPLETE, OFF_SCALE, CONTINUOUS)


class Marks(NamedTuple):
    """One grader's grades of one criterion (or the composite): an entry for every item.

    Attributes:
        score: (N,) the score; NaN where missing.
        status: (N,) index into `STATUS_NAMES`, -1 without a grade.
        blind: (N,) False where the grade is known to be given after seeing judges' grades.
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
        items: One row per item, in order: columns id, question, cluster (both indices from 0),
            answer_model ('' where unknown), closed ('' or why the item is never scored), item_id.
            Under a rubric of units, one row per unit; item_id is then that of its answer.
        marks: By (criterion, grader id).
        repeats: Everyone's later grades, but those of rechecks: columns item (index), criterion,
            grader_id, status, score, repeat.
        persons: Every annotator who graded, and every mean of several, by grader id.
        annotators: Those of them who count as annotators.
        judges: Judges and metrics by grader id; of the baseline only the newest.
        uncounted: Annotators who graded and do not count, with the reason, by name.
        restricted: Whether the user named who counts.
        states: What was decided on the sheet about annotators, by grader id.
        adjudicated: Columns item (index), criterion, score: what enters the consensus first.
        weights: Exact weight by criterion of the composite; the rubric's, unless explored.
        draws: The grading sets, where one of them was drawn with unequal chances; else none.
        continuous: By (criterion, grader id) the numbers of those whose grades are continuous. In
            `marks` these have the status CONTINUOUS and no score, so that nothing takes them for
            scores of the scale.
        only: The one criterion whose grades were read; None where those of all were.
        graded_open: Ids of all who graded an item that may be scored, on any criterion.
    """

    sheet: Sheet
    rubric: Rubric
    items: pd.DataFrame
    marks: dict[tuple[str, int], Marks]
    repeats: pd.DataFrame
    persons: dict[int, Grader]
    annotators: dict[int, Grader]
    judges: dict[int, Grader]
    uncounted: dict[str, Reason]
    adjudicated: pd.DataFrame
    weights: dict[str, Fraction]
    draws: tuple[DrawnSet, ...] = ()
    restricted: bool = False
    states: dict[int, AnnotatorState] = field(default_factory=dict)
    continuous: dict[tuple[str, int], Marks] = field(default_factory=dict)
    only: str | None = None
    graded_open: tuple[int, ...] = ()
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
    def answer_model(self) -> np.ndarray:
        """(N,) place of each item's answering model in `answer_models`, -1 where it is unknown."""
        return pd.Index(self.answer_models, dtype=object).get_indexer(self.items["answer_model"])

    @cached_property
    def open(self) -> np.ndarray:
        """(N,) whether an item may be scored at all."""
        return (self.items["closed"] == "").to_numpy()

    @property
    def graded_by(self) -> list[Grader]:
        """The annotators who count and graded an answer that may be scored, by whatever status."""
        graded = self.graded_open
        if not self.only:  # what is open may have changed since (`within`)
            graded = {
                i for (_, i), marks in self.marks.items() if (self.open & (marks.status >= 0)).any()
            }
        return [one for i, one in self.annotators.items() if i in graded]

    @property
    def reweighted(self) -> bool:
        """True where answers are weighted by the inverse of their inclusion probability."""
        return bool(self.draws)

    @cached_property
    def weight(self) -> np.ndarray:
        """(N,) what each item weighs in every figure that rests on annotators' grades.

        1 everywhere, unless a grading set was drawn with unequal chances: then one over the chance
        of the item to be drawn and graded, scaled to a mean of 1 over the open items that
        annotators graded; 0 where that chance is unknown, and such an item's grades do not count.
        """
        if not self.draws:
            return np.ones(len(self.items))
        graded = self._dealt_with()
        probability = np.stack([draw.probability for draw in self.draws])
        chances = chance(probability, np.stack([draw.member for draw in self.draws]), graded)
        return over_chances(chances, graded & self.open & ~np.isnan(chances))

    @cached_property
    def labels(self) -> dict[int, str]:
        """Display name of each judge: the name, with the fingerprint where a name occurs twice."""
        names = [judge.name for judge in self.judges.values()]
        return {
            i: judge.label() if names.count(judge.name) > 1 else judge.name
            for i, judge in self.judges.items()
        }

    @property
    def means(self) -> dict[int, Grader]:
        """The means of several annotators that are not left out, by grader id."""
        left_out = {name for name, why in self.uncounted.items() if why != MEAN}
        persons = self.persons.items()
        return {i: one for i, one in persons if one.is_mean and one.name not in left_out}

    @property
    def not_included(self) -> dict[str, Reason]:
        """The annotators who graded here and are excluded or pending, with the reason, by name."""
        return {name: why for name, why in self.uncounted.items() if why.code in WITHOUT}

    def alert_accepted(self, person: int) -> bool:
        """True where an open alert on an annotator was accepted with a reason."""
        return person in self.states and self.states[person].accepts_alert

    @cached_property
    def denominator(self) -> int:
        """Composites are integer multiples of one over this number."""
        return math.lcm(*(weight.denominator for weight in self.weights.values()))

    @property
    def criteria(self) -> list[str]:
        """The names of the criteria, and of the composite where there is more than one."""
        names = [criterion.name for criterion in self.rubric.criteria]
        return [*names, COMPOSITE] if len(names) > 1 else names

    def of(self, criterion: str, grader_id: int) -> Marks:
        """Return a grader's grades of a criterion, or their composite."""
        if criterion != COMPOSITE:
            self._must_be_read(criterion)
            return self.marks.get((criterion, grader_id)) or no_grades(len(self.items))
        if grader_id not in self._composites:
            parts = {name: self.of(name, grader_id) for name in self.weights}
            self._composites[grader_id] = composite(parts, self.weights)
        return self._composites[grader_id]

    def is_continuous(self, criterion: str, grader_id: int) -> bool:
        """Return True where grades of a criterion, or of one of the composite, are continuous."""
        names = self.weights if criterion == COMPOSITE else (criterion,)
        for name in names:
            self._must_be_read(name)
        return any((name, grader_id) in self.continuous for name in names)

    def continuous_note(self, only: int | None = None) -> str | None:
        """Return a sentence on judges left out because their grades are continuous; None for none.

        `only` is the id of the one judge that is looked at.
        """
        asked = self.judges if only is None else (only,)
        ids = {judge for _, judge in self.continuous if judge in asked}
        if not ids:
            return None
        return said(
            "Not compared here, since some of their grades are continuous numbers: {judges}. "
            "Agreement shows their correlations.",
            judges=joined(", ", [self.labels[judge] for judge in sorted(ids)]),
        )

    def numbers(self, criterion: str, grader_id: int) -> Marks:
        """A grader's grades as real numbers, continuous or not; of the composite their mean."""
        if criterion == COMPOSITE:
            return composite({n: self.numbers(n, grader_id) for n in self.weights}, self.weights)
        return self.continuous.get((criterion, grader_id)) or self.of(criterion, grader_id)

    def given(self, criterion: str, grader_id: int) -> Marks:
        """A judge's scores, or its continuous numbers: for means, orders and distances.

        A composite of several criteria takes continuous numbers only where all lie on the scale's
        range; elsewhere they are no more scored than in `of`.
        """
        names = list(self.weights) if criterion == COMPOSITE else [criterion]
        if not self.is_continuous(criterion, grader_id):
            return self.of(criterion, grader_id)
        if len(names) > 1 and not all(self.on_range(name, grader_id) for name in names):
            return self.of(criterion, grader_id)
        return self.numbers(criterion, grader_id)

    def open_numbers(self, criterion: str, grader_id: int) -> np.ndarray:
        """Return (n,) a grader's numbers of all open items that it scored, annotated or not."""
        marks = self.numbers(criterion, grader_id)
        return marks.score[marks.scored & self.open]

    def on_range(self, criterion: str, grader_id: int) -> bool:
        """Return True where a grader's numbers of open answers lie on the range of the scale."""
        given, scale = self.open_numbers(criterion, grader_id), self.rubric.scale
        return bool(np.all((given >= scale[0]) & (given <= scale[-1])))

    def range_note(self, criterion: str, grader_id: int) -> Said | None:
        """Warn of a judge's continuous numbers within 0 to 1 where the scale goes on."""
        given, scale = self.open_numbers(criterion, grader_id), self.rubric.scale
        within = len(given) and given.min() >= max(0, scale[0]) and given.max() <= 1
        if not within or scale[-1] <= 1 or not self.is_continuous(criterion, grader_id):
            return None
        return said(
            "The numbers of {judge} for {criterion} run from {low:.3g} to {high:.3g} on a scale of "
            "{first} to {last}. If they are on a range of 0 to 1, their bias and MAE mean nothing.",
            judge=self.labels[grader_id],
            criterion=criterion,
            low=given.min(),
            high=given.max(),
            first=scale[0],
            last=scale[-1],
        )

    def ends(self, criterion: str, grader_id: int) -> tuple[float, float]:
        """Between which values a grader's mean lies: the scale's ends, or any off its range."""
        if self.is_continuous(criterion, grader_id) and not self.on_range(criterion, grader_id):
            return -math.inf, math.inf
        return self.rubric.scale[0], self.rubric.scale[-1]

    def counted(self, criterion: str, grader_id: int) -> np.ndarray:
        """(N,) on which items an annotator's score counts.

        It is scored, blind as far as known, the item is open and its weight is known.
        """
        marks = self.of(criterion, grader_id)
        return marks.scored & marks.blind & self.open & (self.weight > 0)

    def choosing(self, annotators: Collection[str]) -> "Panel":
        """The same panel with these annotators alone; a Problem where one has no grade here."""
        chosen, uncounted = who_counts(self.persons.values(), self.states, tuple(annotators))
        return replace(self, annotators=chosen, uncounted=uncounted, restricted=True)

    def of_everyone(self) -> "Panel":
        """The panel of all who count, whoever was chosen."""
        chosen, uncounted = who_counts(self.persons.values(), self.states)
        return replace(self, annotators=chosen, uncounted=uncounted, restricted=False)

    def lets_count(self, person: int) -> bool:
        """True where an annotator's actions other than grading count, even without grades here."""
        if person in self.persons or self.restricted:
            return person in self.annotators
        return person not in self.states or self.states[person].state == INCLUDED

    def mask(self, items: np.ndarray) -> np.ndarray:
        """(N,) which items are among these indices."""
        found = np.zeros(len(self.items), bool)
        found[items] = True
        return found

    def within(self, answer_model: str) -> "Panel":
        """The panel of one answering model's answers; item indices stay as they are."""
        place = {name: n for n, name in enumerate(["", *self.answer_models], -1)}
        own = self.answer_model == place.get(answer_model, len(place))
        closed = np.where(own, self.items["closed"].to_numpy(), OTHER)
        return replace(self, items=self.items.assign(closed=closed))

    def without(self, answer_model: str) -> "Panel":
        """The panel of all answers but one answering model's; item indices stay as they are."""
        items = self.items.copy()
        items.loc[items["answer_model"] == answer_model, "closed"] = OTHER
        return replace(self, items=items)

    def weighing(self, weights: dict[str, Fraction]) -> "Panel":
        """The same panel with other weights; a criterion of weight 0 need not be graded."""
        weights = {name: weight for name, weight in weights.items() if weight}
        return replace(self, weights=weights, _composites={})

    def _must_be_read(self, criterion: str) -> None:
        """Raise where a criterion's grades were not read, which are not the same as none."""
        if self.only not in (None, criterion):
            raise KeyError(f"Only the grades of {self.only} were read, not those of {criterion}.")

    def _dealt_with(self) -> np.ndarray:
        """(N,) which items an annotator who counts gave a grade of any kind."""
        graded = np.zeros(len(self.items), bool)
        for (_, grader_id), marks in self.marks.items():
            if grader_id in self.annotators:
                graded |= marks.status >= 0
        return graded


def without_note(left_out: Mapping[str, Reason]) -> Said | None:
    """Return a sentence that names who is left out, and why; None where nobody is."""
    each = [said("{name} ({why})", name=name, why=why) for name, why in left_out.items()]
    return said("Without {annotators}.", annotators=joined(", ", each)) if each else None


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


def no_grades(items: int) -> Marks:
    """Return the grades of a grader who has graded none of the items."""
    return Marks(np.full(items, np.nan), np.full(items, -1, np.int8), np.ones(items, bool))


_AT_ONCE = 1_000  # items of a grader that are looked up


def read(
    store: Store,
    sheet: Sheet,
    rubric: Rubric,
    annotators: Collection[str] | None = None,
    only: str | None = None,
    held_out: Collection[int] | None = None,
) -> Panel:
    """Read a panel; a Problem where an annotator named in `annotators` has no grade here.

    `annotators` restricts by name who counts. Reading the grades of the criterion `only` takes less
    time; who graded, and who counts, is still of all criteria. With `held_out`, only these
    questions of a recorded opening are read, for a certificate.
    """
    items = _items(store, sheet, rubric.units, held_out)
    versions = rubric_versions.criteria(store, rubric)
    draws = of_items(store, sheet.id, versions, items["item_id"].to_numpy())
    if draws or len(rubric.criteria) == 1:
        only = None  # weights rest on what was graded on any criterion
    graded = _graded(store, sheet, [*versions], rubric.units, items)
    everyone = {grader_id: graders.get(store, grader_id) for grader_id in graded}
    versions = {version: name for version, name in versions.items() if only in (None, name)}
    carried = len(versions) > len(set(versions.values()))
    table = grade_table.table(store, sheet.id, versions, carried, bool(rubric.units))
    graded_id = table.pop("unit_id" if rubric.units else "item_id")
    table["item"] = _places(items["id"].to_numpy(), graded_id.to_numpy())
    if carried:  # the newest counts
        slot = ["item", "criterion", "grader_id", "repeat"]
        table = table.drop_duplicates(slot, keep="last", ignore_index=True)
    persons = {i: grader for i, grader in everyone.items() if grader.kind == "person"}
    states = graders.annotator_states(store, sheet.id)
    chosen, uncounted = who_counts(persons.values(), states)
    adjudicated = grade_table.adjudicated(store, sheet.id, versions)
    adjudicated = adjudicated.iloc[:0] if rubric.units else adjudicated
    adjudicated["item"] = np.searchsorted(items["id"], adjudicated.pop("item_id"))
    numbers = _continuous(store, table, rubric.scale)
    marks = _marks(table, len(items), rubric.scale, numbers)
    later = table[table["repeat"] > 1]
    repeats = later[~later["id"].isin(grades.recheck_grades(store, sheet.id))]
    panel = Panel(
        sheet=sheet,
        rubric=rubric,
        items=items,
        marks=marks,
        repeats=repeats,
        persons=persons,
        annotators=chosen,
        judges=_judges(everyone, graded),
        uncounted=uncounted,
        adjudicated=adjudicated,
        weights=rubric.weights(),
        states=states,
        draws=tuple(draws),
        only=only,
        graded_open=tuple(i for i, closed in graded.items() if "" in closed),
        continuous=_marks(table[numbers], len(items)) if numbers.any() else {},
    )
    return panel.choosing(annotators) if annotators else panel


def _items(
    store: Store, sheet: Sheet, units_of: str, held_out: Collection[int] | None
) -> pd.DataFrame:
    """The answers of a sheet, or their units of a kind, in rising order of their ids."""
    columns = store_items.grouping(store, sheet.id)
    kinds = {"id": np.int64, "question": np.int64, "cluster": object, "answer_model": object}
    order = np.argsort(np.array(columns[0], np.int64))
    frame = pd.DataFrame(
        {
            name: np.array(column, kind)[order]
            for (name, kind), column in zip(kinds.items(), columns, strict=True)
        }
    )
    frame["item_id"] = frame["id"]
    if units_of:
        frame = _cut(frame, units.index(store, sheet.id, units_of))
    closed = frame.pop("closed") if units_of else np.full(len(frame), "", dtype=object)
    closed = np.array(closed, dtype=object)
    if held_out is None:
        closed[frame["question"].isin(splits.held_out(store, sheet.id))] = IN_HELD_OUT_TEST
    else:
        closed[~frame["question"].isin(held_out)] = NOT_HELD_OUT
    closed[frame["question"].isin(splits.leaked(store, sheet.id))] = LEAKED
    frame["closed"] = closed
    frame["cluster"] = _clusters(frame["cluster"], frame["question"].to_numpy())
    frame["question"] = pd.factorize(frame["question"])[0]
    frame["answer_model"] = frame["answer_model"].astype(object).fillna("")
    return frame


def _cut(items: pd.DataFrame, rows: Sequence[tuple[int, int, bool]]) -> pd.DataFrame:
    """A row for every unit, in the place of its answer's."""
    columns = list(zip(*rows, strict=True)) or [()] * 3
    unit_id, item_id, current = (np.array(column, np.int64) for column in columns)
    frame = items.iloc[np.searchsorted(items["id"], item_id)].reset_index(drop=True)
    return frame.assign(id=unit_id, closed=np.where(current, "", EDITED))


def _places(ids: np.ndarray, item_ids: np.ndarray) -> np.ndarray:
    """Return the index of each item id among the rising ids of the sheet."""
    if len(ids) and ids[-1] - ids[0] + 1 == len(ids):
        return item_ids - ids[0]
    return np.searchsorted(ids, item_ids)


def _clusters(named: pd.Series, question: np.ndarray) -> np.ndarray:
    """An index per cluster; a question without one is its own."""
    codes = pd.factorize(named)[0]
    alone = codes < 0
    return pd.factorize(np.where(alone, question + codes.max(initial=0) + 1, codes))[0]


def _continuous(store: Store, table: pd.DataFrame, scale: tuple[int, ...]) -> np.ndarray:
    """Which rows are of a grader whose grades of their criterion are continuous numbers.

    They are where a judge gives fractions, or a metric anything off the scale. A mean of annotators
    is always continuous. Of an annotator nothing is: what is off the scale is left out.
    """
    found = np.zeros(len(table), bool)
    score = table["score"].to_numpy()
    off = (table["status"].cat.codes.to_numpy() == 0) & ~np.isin(score, scale)
    means = [one.id for one in graders.of_kind(store, "person") if one.is_mean]
    if not off.any() and not means:
        return found
    grader, criterion = table["grader_id"].to_numpy(), table["criterion"].cat.codes.to_numpy()
    found |= np.isin(grader, means)
    for grader_id, code in np.unique(np.stack([grader[off], criterion[off]]), axis=1).T:
        kind = graders.get(store, int(grader_id)).kind
        mine = (grader == grader_id) & (criterion == code)
        if kind == "metric" or (kind == "judge" and (score[mine & off] % 1 != 0).any()):
            found |= mine
    return found


def _marks(
    table: pd.DataFrame,
    items: int,
    scale: tuple[int, ...] | None = None,
    continuous: np.ndarray | None = None,
) -> dict[tuple[str, int], Marks]:
    """The first grades of every criterion and grader, spread over the items.

    Scores off the scale have a status of their own, and those of `continuous` rows another.
    """
    once = (table["repeat"] == 1).to_numpy()
    first = table if once.all() else table[once]
    score, status = first["score"].to_numpy(), first["status"].cat.codes.to_numpy()
    if scale is not None:
        status = np.where((status == 0) & ~np.isin(score, scale), _OFF, status)
    if continuous is not None and continuous.any():
        status = np.where((first["status"] == "scored") & continuous[once], _CONTINUOUS, status)
    status = status.astype(np.int8)
    names = first["criterion"].cat.categories
    key = first["grader_id"].to_numpy() * len(names) + first["criterion"].cat.codes.to_numpy()
    used = np.flatnonzero(np.bincount(key))
    place = ranked(key)[1] * items + first["item"].to_numpy()
    every = no_grades(len(used) * items)
    every.status[place] = status
    every.score[place] = np.where(status == 0, score, np.nan)
    every.blind[place] = first["blind"].to_numpy()
    columns = [column.reshape(len(used), items) for column in every]
    return {
        (names[slot % len(names)], int(slot // len(names))): Marks(*(c[row] for c in columns))
        for row, slot in enumerate(used)
    }


_OFF, _CONTINUOUS = STATUS_NAMES.index(OFF_SCALE), STATUS_NAMES.index(CONTINUOUS)


def _graded(
    store: Store, sheet: Sheet, versions: list[str], units: str, items: pd.DataFrame
) -> dict[int, set[str]]:
    """Who graded, by id: `closed` of what they graded, read on until there is an open item."""
    ids, closed = items["id"].to_numpy(), items["closed"].to_numpy()
    found: dict[int, set[str]] = {}
    for grader_id, graded in grade_table.graded(store, sheet.id, versions, bool(units)):
        reasons = found.setdefault(grader_id, set())
        while "" not in reasons and (some := [*islice(graded, _AT_ONCE)]):
            reasons.update(closed[np.searchsorted(ids, some)].tolist())
    return {grader_id: found[grader_id] for grader_id in sorted(found) if found[grader_id]}


def _judges(everyone: dict[int, Grader], graded: dict[int, set[str]]) -> dict[int, Grader]:
    """Judges and metrics; of the baseline only the newest.

    A judge with grades of the few-shot pool alone is not compared with annotators, and delays no
    comparison.
    """
    compared = {i: g for i, g in everyone.items() if graded[i] != {LEAKED}}
    judges = {i: g for i, g in compared.items() if g.kind != "person"}
    baselines = [i for i, g in judges.items() if g.name == BASELINE]
    return {i: g for i, g in judges.items() if i not in baselines[:-1]}
