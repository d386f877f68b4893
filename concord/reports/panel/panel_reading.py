"""Panel reading: a sheet's items and current grades under a rubric, from the store to arrays."""

from collections.abc import Collection, Sequence
from itertools import islice

import numpy as np
import pandas as pd

from concord.grading.annotators import counting as who_counts
from concord.grading.inclusion_probabilities import of_items
from concord.model import BASELINE, Grader, Sheet
from concord.reports.panel.panel import (
    CONTINUOUS,
    EDITED,
    IN_HELD_OUT_TEST,
    LEAKED,
    NOT_HELD_OUT,
    OFF_SCALE,
    STATUS_NAMES,
    Marks,
    Panel,
    no_grades,
)
from concord.rubrics.model import Rubric
from concord.sampling import splits
from concord.stats.core.tables import ranked
from concord.store import grade_table, graders, grades
from concord.store import items as store_items
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.store.units import units

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
