"""Features of a combined judge: what its members gave the answers of a sheet."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from concord.judges.definition import registry
from concord.judges.definition.model import Judge
from concord.messages import Problem, on_command_line
from concord.model import BASELINE, Distribution, Grader, Sheet
from concord.rubrics.model import Rubric
from concord.store import graders, grades
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

_SCORED = "scored"
_LISTED = 6


class Features(NamedTuple):
    """What the members gave on one criterion.

    Attributes:
        names: (F,) of the features: a member's label where it grades the criterion itself, else
            the label with each criterion or metric of its own.
        values: (n, F) expected scores where a member gave probabilities, else scores; NaN where it
            gave no score.
        scores: (n, F) the scores alone, likewise.
        graded: (n,) True where every member has stored a grade, scored or not.
        same: (F,) True for a member that grades the criterion itself.
        likely: (F,) True where probabilities were read.
    """

    names: tuple[str, ...]
    values: np.ndarray
    scores: np.ndarray
    graded: np.ndarray
    same: np.ndarray
    likely: np.ndarray

    @property
    def complete(self) -> np.ndarray:
        """(n,) True where every feature is known."""
        return self.graded & ~np.isnan(self.values).any(axis=1)

    def without(self, place: int) -> str:
        """The features that an answer lacks, by name."""
        return ", ".join(
            name
            for name, value in zip(self.names, self.values[place], strict=True)
            if np.isnan(value)
        )

    def listed(self, place: int, scores: bool) -> str:
        """What an answer was given, as the reason of its score; of many features the first."""
        given = (self.scores if scores else self.values)[place]
        parts = [f"{name} {value:.3g}" for name, value in zip(self.names, given, strict=True)]
        more = [f"{len(parts) - _LISTED} more"] if len(parts) > _LISTED else []
        return f"From {'; '.join([*parts[:_LISTED], *more])}."

    def named(self, wanted: Sequence[str]) -> "Features":
        """Those of a frozen fit, in its order."""
        own = [self.names.index(one) for one in wanted]
        columns = self.values[:, own], self.scores[:, own]
        return Features(tuple(wanted), *columns, self.graded, self.same[own], self.likely[own])


def members_of(store: Store, sheet: Sheet, judge: Judge) -> list[Grader]:
    """Return the members as graders: of each name the newest that graded the sheet.

    Raises:
        Problem: A member has no grades on the sheet, or is itself made from annotators' grades.
    """
    every = graders.of_kind(store, *registry.KINDS)[::-1]
    return [_member(store, sheet, judge, name, every) for name in judge.members]


def possible_members(store: Store, sheet: Sheet) -> list[str]:
    """Return the names of the judges that a combined judge of a sheet can name, oldest first."""
    every = graders.of_kind(store, *registry.KINDS)
    graded = (one for one in every if grades.statuses(store, sheet.id, one.id))
    return [*dict.fromkeys(one.name for one in graded if not _is_made_of_grades(one))]


def of_criteria(
    store: Store, sheet: Sheet, rubric: Rubric, members: Sequence[Grader], item_ids: Sequence[int]
) -> dict[str, Features]:
    """Return the features of each criterion of the rubric, of the items in their order.

    A criterion that a member skips, though it grades others of the rubric, is left out.
    """
    versions = rubric_versions.criteria(store, rubric)
    place = {item_id: index for index, item_id in enumerate(item_ids)}
    columns = [_columns(store, sheet, rubric, versions, one, place) for one in members]
    return {
        name: _joined([column for of_member in columns for column in of_member[name]])
        for name in rubric.versions()
        if all(of_member[name] for of_member in columns)
    }


def _member(store: Store, sheet: Sheet, judge: Judge, name: str, every: Sequence[Grader]) -> Grader:
    for one in every:
        if name not in (one.name, one.label()):
            continue
        if _is_made_of_grades(one):
            raise Problem(
                "{member} cannot be a member of {judge}: its grades are made from others' grades. "
                "Name the judges themselves.",
                member=name,
                judge=judge.name,
            )
        if grades.statuses(store, sheet.id, one.id):
            return one
    raise Problem(
        "{judge} combines stored grades, and {member} has none on sheet “{sheet}”. Run that one "
        "first{on_command_line}.",
        judge=judge.name,
        member=name,
        sheet=sheet.name,
        on_command_line=on_command_line(f"`judge {name} --sheet {sheet.name}`"),
    )


def _is_made_of_grades(grader: Grader) -> bool:
    kept = registry.stored(grader)
    return grader.name == BASELINE or (kept is not None and bool(kept.computed))


def _columns(
    store: Store,
    sheet: Sheet,
    rubric: Rubric,
    versions: Mapping[str, str],
    member: Grader,
    place: Mapping[int, int],
) -> dict[str, list[tuple]]:
    """The columns of a member by criterion of the rubric."""
    rows = grades.first_grades(store, sheet.id, member.id)
    under = {row["version"]: row["criterion"] for row in rows}
    found = grades.distributions_of_grader(store, sheet.id, member.id, {one: one for one in under})
    label = member.label()
    by_rubric = {name: [] for name in rubric.versions()}
    for name in by_rubric:
        own = [row for row in rows if versions.get(row["version"]) == name]
        if own:
            by_rubric[name] = [_column(label, own, found, place, rubric.scale)]
    if any(by_rubric.values()):
        return by_rubric
    # It graded under another rubric, or computed metrics: each of these is a feature.
    others = [
        _column(f"{label}: {name}@{version[:8]}", of_version, found, place, None)
        for version, name in sorted(under.items(), key=lambda one: one[::-1])
        if (of_version := [row for row in rows if row["version"] == version])
    ]
    scored = [one for one in others if not np.isnan(one[1]).all()]
    return {name: scored for name in by_rubric}


def _column(
    name: str,
    rows: Sequence[Mapping],
    found: Mapping[tuple[int, str, int], Distribution],
    place: Mapping[int, int],
    scale: Sequence[int] | None,
) -> tuple[str, np.ndarray, np.ndarray, np.ndarray, bool, bool]:
    """One feature of `Features` from a member's grades; `scale` None for one of its own."""
    values, scores = (np.full(len(place), np.nan) for _ in range(2))
    graded, likely = np.zeros(len(place), bool), False
    for row in rows:
        index = place[row["item_id"]]
        graded[index] = True
        known = row["status"] == _SCORED
        scores[index] = values[index] = row["score"] if known else np.nan
        given = found.get((row["item_id"], row["version"], 1))
        mean = _expected(given, scale) if known and given else None
        if mean is not None:
            values[index], likely = mean, True
    return name, values, scores, graded, scale is not None, likely


def _expected(given: Distribution, scale: Sequence[int] | None) -> float | None:
    """The expected score over the scale; None where no probability is on it."""
    on = [(score, p) for score, p in given.probabilities if scale is None or score in scale]
    total = sum(p for _, p in on)
    return sum(score * p for score, p in on) / total if total > 0 else None


def _joined(columns: Sequence[tuple]) -> Features:
    names, values, scores, graded, same, likely = zip(*columns, strict=True)
    stacked = np.stack(values, axis=1), np.stack(scores, axis=1), np.logical_and.reduce(graded)
    return Features(names, *stacked, np.array(same), np.array(likely))
