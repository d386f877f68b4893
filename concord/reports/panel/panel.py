"""Panel: everything the reports know of one sheet under one rubric, as arrays.

Read once from the store (`read`); all reports over it are functions of it. Only
first grades (repeat 1) of whole answers count. What does not count is kept as a reason per answer
and never dropped without one.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from concord.grading import inclusion_probabilities
from concord.grading.annotators import MEAN, WITHOUT
from concord.grading.annotators import counting as who_counts
from concord.grading.inclusion_probabilities import of_items
from concord.messages import joined, said
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
        marks = self.marks.items()
        graded = {i for (_, i), one in marks if (self.open & (one.status >= 0)).any()}
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
        graded = np.zeros(len(self.items), bool)  # dealt with by any status
        for (_, grader_id), marks in self.marks.items():
            graded |= (marks.status >= 0) & (grader_id in self.annotators)
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
            return self.marks.get((criterion, grader_id)) or no_grades(len(self.items))
        if grader_id not in self._composites:
            parts = {name: self.of(name, grader_id) for name in self.weights}
            self._composites[grader_id] = composite(parts, self.weights)
        return self._composites[grader_id]

    def is_continuous(self, criterion: str, grader_id: int) -> bool:
        """Return True where grades of a criterion, or of one of the composite, are continuous."""
        names = self.weights if criterion == COMPOSITE else (criterion,)
        return any((name, grader_id) in self.continuous for name in names)

    def continuous_note(self, only: int | None = None) -> str | None:
        """Return a sentence on judges left out because their grades are continuous; None for none.

        `only` is the id of the one judge that is looked at.
        """
        asked = self.judges if only is None else (only,)
        ids = sorted({judge for _, judge in self.continuous if judge in asked})
        if not ids:
            return None
        return said(
            "Not compared here, since some of their grades are continuous numbers: {judges}. "
            "Agreement shows their correlations.",
            judges=joined(", ", [self.labels[judge] for judge in ids]),
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
        is_ranged = len(names) == 1 or all(self.on_range(name, grader_id) for name in names)
        numbers = self.is_continuous(criterion, grader_id) and is_ranged
        return self.numbers(criterion, grader_id) if numbers else self.of(criterion, grader_id)

    def open_numbers(self, criterion: str, grader_id: int) -> np.ndarray:
        """Return (n,) a grader's numbers of all open items that it scored, annotated or not."""
        marks = self.numbers(criterion, grader_id)
        return marks.score[marks.scored & self.open]

    def on_range(self, criterion: str, grader_id: int) -> bool:
        """Return True where a grader's numbers of open answers lie on the range of the scale."""
        given, scale = self.open_numbers(criterion, grader_id), self.rubric.scale
        return bool(np.all((given >= scale[0]) & (given <= scale[-1])))

    def range_note(self, criterion: str, grader_id: int) -> str | None:
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

    def choosing(self, names: Collection[str] = ()) -> "Panel":
        """The same panel with these annotators alone, of all who count without names.

        A Problem where one of them has no grade here.
        """
        chosen, uncounted = who_counts(self.persons.values(), self.states, tuple(names))
        return replace(self, annotators=chosen, uncounted=uncounted, restricted=bool(names))

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
        return self._closing(self.items["answer_model"] != answer_model)

    def without(self, answer_model: str) -> "Panel":
        """The panel of all answers but one answering model's; item indices stay as they are."""
        return self._closing(self.items["answer_model"] == answer_model)

    def _closing(self, others: pd.Series) -> "Panel":
        closed = self.items["closed"].mask(others, OTHER)
        return replace(self, items=self.items.assign(closed=closed))

    def weighing(self, weights: dict[str, Fraction]) -> "Panel":
        """The same panel with other weights; a criterion of weight 0 need not be graded."""
        weights = {name: weight for name, weight in weights.items() if weight}
        return replace(self, weights=weights, _composites={})


def without_note(left_out: Mapping[str, Reason]) -> str | None:
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


_OFF, _CONTINUOUS = STATUS_NAMES.index(OFF_SCALE), STATUS_NAMES.index(CONTINUOUS)


def read(
    store: Store,
    sheet: Sheet,
    rubric: Rubric,
    annotators: Collection[str] | None = None,
    held_out: Collection[int] | None = None,
) -> Panel:
    """Read a panel; a Problem where an annotator named in `annotators` has no grade here.

    `annotators` restricts by name who counts. With `held_out`, only these questions of a recorded
    opening are read, for a certificate.
    """
    items = _items(store, sheet, rubric.units, held_out)
    versions = rubric_versions.criteria(store, rubric)
    draws = of_items(store, sheet.id, versions, items["item_id"].to_numpy())
    carried = len(versions) > len(set(versions.values()))
    table = grade_table.table(store, sheet.id, versions, carried, bool(rubric.units))
    graded_id = table.pop("unit_id" if rubric.units else "item_id").to_numpy()
    ids = items["id"].to_numpy()
    in_a_row = len(ids) and ids[-1] - ids[0] + 1 == len(ids)  # then no search is needed
    table["item"] = graded_id - ids[0] if in_a_row else np.searchsorted(ids, graded_id)
    if carried:  # the newest counts
        slot = ["item", "criterion", "grader_id", "repeat"]
        table = table.drop_duplicates(slot, keep="last", ignore_index=True)
    by, of = (table.loc[table["repeat"] == 1, key].to_numpy() for key in ("grader_id", "item"))
    everyone = {i: graders.get(store, i) for i in np.unique(by).tolist()}
    persons = {i: grader for i, grader in everyone.items() if grader.kind == "person"}
    # A judge with grades of the few-shot pool alone is not compared, and delays no comparison.
    compared = np.unique(by[(items["closed"] != LEAKED).to_numpy()[of]]).tolist()
    judges = {i: everyone[i] for i in compared if i not in persons}
    baselines = [i for i, one in judges.items() if one.name == BASELINE]
    states = graders.annotator_states(store, sheet.id)
    chosen, uncounted = who_counts(persons.values(), states)
    adjudicated = grade_table.adjudicated(store, sheet.id, {} if rubric.units else versions)
    adjudicated["item"] = np.searchsorted(ids, adjudicated.pop("item_id"))
    later = table[table["repeat"] > 1]
    marks, continuous = _marks(store, table, len(items), rubric.scale)
    panel = Panel(
        sheet=sheet,
        rubric=rubric,
        items=items,
        marks=marks,
        repeats=later[~later["id"].isin(grades.recheck_grades(store, sheet.id))],
        persons=persons,
        annotators=chosen,
        judges={i: one for i, one in judges.items() if i not in baselines[:-1]},
        uncounted=uncounted,
        adjudicated=adjudicated,
        weights=rubric.weights(),
        states=states,
        draws=tuple(draws),
        continuous=continuous,
    )
    return panel.choosing(annotators) if annotators else panel


def _items(
    store: Store, sheet: Sheet, units_of: str, held_out: Collection[int] | None
) -> pd.DataFrame:
    """The answers of a sheet, or their units of a kind, in rising order of their ids."""
    kinds = {"id": np.int64, "question": np.int64, "cluster": object, "answer_model": object}
    columns = zip(kinds.items(), store_items.grouping(store, sheet.id), strict=True)
    frame = pd.DataFrame({name: np.array(column, kind) for (name, kind), column in columns})
    frame = frame.sort_values("id", ignore_index=True)
    frame["item_id"], closed = frame["id"], np.full(len(frame), "", dtype=object)
    if units_of:  # a row for every unit, in the place of its answer's
        rows = list(zip(*units.index(store, sheet.id, units_of), strict=True)) or [()] * 3
        unit_id, item_id, current = (np.array(column, np.int64) for column in rows)
        frame = frame.iloc[np.searchsorted(frame["id"], item_id)].reset_index(drop=True)
        frame["id"], closed = unit_id, np.where(current, "", EDITED).astype(object)
    question = frame["question"]
    if held_out is None:
        closed[question.isin(splits.held_out(store, sheet.id))] = IN_HELD_OUT_TEST
    else:
        closed[~question.isin(held_out)] = NOT_HELD_OUT
    closed[question.isin(splits.leaked(store, sheet.id))] = LEAKED
    cluster = pd.factorize(frame["cluster"])[0]  # a question without one is its own
    alone = question.to_numpy() + cluster.max(initial=0) + 1
    return frame.assign(
        closed=closed,
        cluster=pd.factorize(np.where(cluster < 0, alone, cluster))[0],
        question=pd.factorize(question)[0],
        answer_model=frame["answer_model"].astype(object).fillna(""),
    )


def _marks(
    store: Store, table: pd.DataFrame, items: int, scale: tuple[int, ...]
) -> tuple[dict[tuple[str, int], Marks], dict[tuple[str, int], Marks]]:
    """The first grades of every criterion and grader over the items, and the continuous of them.

    Scores off the scale have a status of their own, and continuous numbers another. Numbers are
    continuous where a judge gives fractions, or a metric anything off the scale. A mean of
    annotators is always continuous. Of an annotator nothing is: what is off the scale is left out.
    """
    score, status = table["score"].to_numpy(), table["status"].cat.codes.to_numpy()
    grader, criterion = table["grader_id"].to_numpy(), table["criterion"].cat.codes.to_numpy()
    off = (status == 0) & ~np.isin(score, scale)
    means = [one.id for one in graders.of_kind(store, "person") if one.is_mean]
    numbers = np.isin(grader, means) if means else np.zeros(len(table), bool)
    for grader_id, code in np.unique(np.stack([grader[off], criterion[off]]), axis=1).T:
        kind = graders.get(store, int(grader_id)).kind
        mine = (grader == grader_id) & (criterion == code)
        if kind == "metric" or (kind == "judge" and (score[mine & off] % 1 != 0).any()):
            numbers |= mine
    once = (table["repeat"] == 1).to_numpy()
    as_scores = np.where(off, _OFF, status)
    as_scores[numbers & (status == 0)] = _CONTINUOUS
    return _spread(table, once, as_scores, items), _spread(table, once & numbers, status, items)


def _spread(
    table: pd.DataFrame, these: np.ndarray, status: np.ndarray, items: int
) -> dict[tuple[str, int], Marks]:
    """Spread the grades of some rows over the items, by criterion and grader."""
    table, status = (table, status) if these.all() else (table[these], status[these])
    names = table["criterion"].cat.categories
    key = table["grader_id"].to_numpy() * len(names) + table["criterion"].cat.codes.to_numpy()
    used = np.flatnonzero(np.bincount(key))
    place = ranked(key)[1] * items + table["item"].to_numpy()
    every = no_grades(len(used) * items)
    every.status[place] = status
    every.score[place] = np.where(status == 0, table["score"], np.nan)
    every.blind[place] = table["blind"]
    columns = [column.reshape(len(used), items) for column in every]
    return {
        (names[slot % len(names)], int(slot // len(names))): Marks(*(c[row] for c in columns))
        for row, slot in enumerate(used)
    }


NO_SET = (
    "no grading set was sampled for this rubric, so it is unknown how the graded answers were "
    "chosen"
)
NOT_BEGUN = (
    "no annotator has graded an answer since a grading set assigned it, nor, in a file imported "
    "since sampling, a whole first block of a set"
)
SOME_UNKNOWN = "the inclusion probabilities of the answers are unknown"


class AssignedGrades(NamedTuple):
    """Annotators' grades assigned by grading sets.

    Attributes:
        sets: The names of the sets.
        means: (N,) the mean composite of the annotators that a set gave the item, or whose first
            blocks of a set it filled; NaN without one, or where its probability of being sampled
            and graded is unknown.
        weight: (N,) inverse of that probability; NaN where unknown.
        passed: (N,) which items annotators had graded before, so that a draw may have passed them
            over; the draw says nothing of these.
        excluded_grades: Grades of the sets' answers that do not count, each as a sentence; of
            annotators who count.
        why_none: Why there is nothing to use; None where there is.
    """

    sets: tuple[str, ...]
    means: np.ndarray
    weight: np.ndarray
    passed: np.ndarray
    excluded_grades: tuple[str, ...]
    why_none: str | None


def drawn(store: Store, panel: Panel) -> AssignedGrades:
    """Return the stored samples of a panel's sheet, under its rubric."""
    about = store, panel.sheet.id, list(rubric_versions.criteria(store, panel.rubric))
    sets = inclusion_probabilities.counted_sets(*about)
    accounted = inclusion_probabilities.drawn_grades(*about)
    before = inclusion_probabilities.graded_before_sampling(*about, accounted)
    ids = panel.items["id"].to_numpy()
    passed = np.isin(ids, [*before])
    asked = {person: np.zeros(len(ids), bool) for person in panel.annotators}
    for person, item in accounted.pairs:
        if person in asked:
            asked[person][np.searchsorted(ids, item)] = True
    graded, total, times = np.zeros(len(ids), bool), np.zeros(len(ids)), np.zeros(len(ids))
    for person, mine in asked.items():
        marks, counted = panel.of(COMPOSITE, person), mine & ~passed
        graded |= mine & (marks.status >= 0)
        counted &= panel.counted(COMPOSITE, person)
        total[counted] += marks.score[counted]
        times += counted
    weight, why = np.full(len(ids), np.nan), NOT_BEGUN if sets else NO_SET
    if sets and graded.any():
        member = np.stack([one.member for one in sets])
        weight = 1 / chance(np.stack([one.probability for one in sets]), member, graded)
        why = SOME_UNKNOWN if np.isnan(weight[graded]).all() else None
    means = np.divide(total, times, out=np.full(len(ids), np.nan), where=times > 0)
    means[np.isnan(weight)] = np.nan
    here = {one.name for one in panel.annotators.values()}
    excluded = tuple(one.sentence() for one in accounted.excluded if sets and one.person in here)
    return AssignedGrades(tuple(one.name for one in sets), means, weight, passed, excluded, why)
