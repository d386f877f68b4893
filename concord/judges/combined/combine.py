"""What a combined judge gives a sheet, from its members' stored grades.

The items of a sheet by question, as a combined judge deals them out and closes them.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from concord.definitions import digest
from concord.judges.combined import features as member_features
from concord.judges.combined.features import Features
from concord.judges.definition.model import Judge
from concord.judges.kinds.combined import (
    FITTED,
    CriterionFit,
    Fit,
    Rule,
    frozen_fit,
    question_digest,
)
from concord.judges.training_grades import deal, too_few, training_grades
from concord.messages import joined, said
from concord.model import Grader, Sheet
from concord.rubrics.model import Rubric
from concord.sampling import splits
from concord.sampling.leak_guard import Origin, ShownExamples, families
from concord.stats.probabilities.combining import (
    Grades,
    LinearRule,
    cross_fitted,
    majority,
    mean_rule,
)
from concord.store import graders, items
from concord.store.database import Store
from concord.store.grades import Press


class Scored(NamedTuple):
    """Scores on a criterion.

    Attributes:
        score: (n,) NaN where none is given.
        fit: The one fit to all graded questions; None for a rule that is not fitted.
        folds: The fold of each group of questions that it was fitted to.
        training: The digest of everything that it was fitted to; '' for nothing.
    """

    score: np.ndarray
    fit: CriterionFit | None = None
    folds: Mapping[str, int] = MappingProxyType({})
    training: str = ""


def unfit(rule: Rule, features: Features, scale: Sequence[int]) -> str | None:
    """Return why a rule cannot combine these features, as a sentence; None where it can."""
    if rule != "ordinal" and not features.same.all():
        return (
            f"{rule} combines grades of the same criterion, and "
            f"{features.names[int(np.argmin(features.same))]} is another. Set its rule to "
            "“ordinal”."
        )
    if rule == "cut_points" and not features.likely.all():
        return said(
            "cut_points reads probabilities, and {member} gave none.", member=features.names[0]
        )
    given = features.scores[~np.isnan(features.scores)]
    if rule == "majority" and not np.isin(given, scale).all():
        return "A majority takes scores of the scale, and some are not. Set its rule to “mean”."
    return None


def combined(
    rule: Rule,
    version: str,
    features: Features,
    groups: Sequence[str],
    training: Collection[tuple[int, int]],
    scale: Sequence[int],
) -> Scored | str:
    """Combine the features of each answer, or say in a sentence what is missing for that.

    Args:
        rule: Of the judge.
        version: The criterion version, noted in the fit.
        features: Of n answers.
        groups: (n,) the group of questions that each answer belongs to.
        training: (answer, score) of each annotator's grade that the rule may be fitted to.
        scale: Of the rubric.
    """
    why = unfit(rule, features, scale)
    if why:
        return why
    complete = features.complete
    score = np.full(len(complete), np.nan)
    if rule not in FITTED:
        plain = mean_rule(len(features.names), scale)
        given = features.scores if rule == "majority" else features.values
        score[complete] = (majority if rule == "majority" else plain)(given[complete])
        return Scored(score)
    known = sorted((item, one) for item, one in training if complete[item] and one in scale)
    why = too_few(groups, known)
    if why:
        return why
    folds = deal(groups, [item for item, _ in known])
    item, given = np.array(known).T
    fold = np.array([folds.get(one, -1) for one in groups])[complete]
    learnt = Grades.of((np.cumsum(complete) - 1)[item], given)
    # The scores of the complete answers, and the fit to all grades.
    score[complete], whole = cross_fitted(rule, features.values[complete], learnt, fold, scale)
    counts = {"answers": len({item for item, _ in known}), "clusters": len(folds)}
    fit = CriterionFit(
        version=version,
        features=features.names,
        weights=tuple(map(float, whole.weights)),
        points=tuple(map(float, whole.points)),
        scores=tuple(map(int, whole.scores)),
        **counts,
    )
    rows = sorted(
        [groups[item], folds[groups[item]], *features.values[item].tolist(), one]
        for item, one in known
    )
    return Scored(score, fit, folds, digest([list(scale), list(features.names), rows]))


def applied(fit: CriterionFit, features: Features) -> np.ndarray | str:
    """Return (n,) scores by a frozen fit, NaN where a feature is missing; else what is missing."""
    missing = [one for one in fit.features if one not in features.names]
    if missing:
        return said(
            "The frozen fit also uses {features}, which no member gave here. Run the same members.",
            features=joined(", ", missing),
        )
    own = features.named(fit.features)
    rule = LinearRule(np.array(fit.weights), np.array(fit.points), np.array(fit.scores))
    score = np.full(len(own.values), np.nan)
    score[own.complete] = rule(own.values[own.complete])
    return score


class SheetQuestions(NamedTuple):
    """The items of a sheet and the questions they answer; all are lists, one entry per item."""

    item_ids: list[int]
    origins: list[Origin]
    groups: list[str]
    held_out: list[bool]


def of_sheet(store: Store, sheet: Sheet) -> SheetQuestions:
    """Return the items of a sheet by question; each group is what the leak guard ties together."""
    rows = items.item_index(store, sheet.id)
    known = {row["id"]: row for row in items.question_index(store, sheet.id)}
    origins = [
        Origin(known[row["question_id"]]["text_hash"], known[row["question_id"]]["cluster"])
        for row in rows
    ]
    distinct = sorted({*origins}, key=lambda one: (one.text_hash, one.cluster or ""))
    # A family is named by the first of its questions, in an order that no import changes.
    names = [question_digest(*distinct[first]) for first in families(distinct)]
    group = dict(zip(distinct, names, strict=True))
    closed = splits.held_out(store, sheet.id)
    return SheetQuestions(
        [row["id"] for row in rows],
        origins,
        [group[one] for one in origins],
        [row["question_id"] in closed for row in rows],
    )


METHOD = "combined-1"  # raise it whenever a rule, its fit or the folds change
FITTED_TO_IT = "The rule was fitted to this question, so its score would not be independent."


class Combination(NamedTuple):
    """What a combined judge gives a sheet.

    Attributes:
        judge: The definition.
        rubric: It grades by.
        members: As graders.
        fingerprint: Of members, rule and fit.
        presses: A grade for each answer that all members graded; without the grader.
        lacking: Why a criterion has none, by name.
        fit: The one fit to all graded questions; None for a rule that is not fitted.
        out_of_fold: How many of `presses` are by a fit to other questions.
        waiting: Number of grades that wait for a member.
        stored: Number of grades that a run stored.
    """

    judge: Judge
    rubric: Rubric
    members: Sequence[Grader]
    fingerprint: str
    presses: Sequence[Press]
    lacking: Mapping[str, str]
    fit: Fit | None
    out_of_fold: int
    waiting: int
    stored: int = 0

    @property
    def label(self) -> str:
        """Its name as a grader."""
        return f"{self.judge.name}@{self.fingerprint}"

    def definition(self) -> dict[str, Any]:
        """What is stored of it as a grader; the fit is what `judges --freeze` writes."""
        return {
            "judge": json.loads(self.judge.body()),
            "rubric": self.rubric.name,
            "members": [one.label() for one in self.members],
            "fit": self.fit.model_dump(mode="json") if self.fit else None,
        }

    def as_json(self) -> dict[str, Any]:
        """What it was made of, for `--json`."""
        return {
            "fingerprint": self.fingerprint,
            "rule": self.judge.rule,
            "members": [one.label() for one in self.members],
            "fit": self.fit.digest if self.fit else None,
            "frozen": self.judge.fit is not None,
        }

    def register(self, store: Store) -> int:
        """Return its id as a grader, made now where it is new."""
        simulated = any(one.simulated for one in self.members)
        of = "judge", self.judge.name, self.fingerprint
        return graders.ensure(store, *of, self.definition(), simulated=simulated)


def combine(store: Store, sheet: Sheet, rubric: Rubric, judge: Judge) -> Combination:
    """Return what the judge gives the sheet, without storing it.

    Grades of held-out questions are never fitted to: there, too, the one fit to the others is what
    is tested.
    """
    members = member_features.members_of(store, sheet, judge)
    asked = of_sheet(store, sheet)
    every = member_features.of_criteria(store, sheet, rubric, members, asked.item_ids)
    training = training_grades(store, sheet, rubric, asked.item_ids)
    found: dict[str, Scored] = {}
    lacking = {}
    for name, version in rubric.versions().items():
        scored = _scored(judge, rubric, name, version, every.get(name), asked, training[name])
        if isinstance(scored, str):
            lacking[name] = scored
        else:
            found[name] = scored
    fit, fitted = judge.fit, {name: one.fit for name, one in found.items() if one.fit}
    if fitted:
        # With every question that one of them was fitted to.
        groups = {group for one in found.values() for group in one.folds}
        asked_of = zip(asked.origins, asked.groups, strict=True)
        seen = {question_digest(*origin) for origin, group in asked_of if group in groups}
        fit = frozen_fit(fitted, tuple(sorted(seen)))
    identity = {
        "method": METHOD,
        "rule": judge.rule,
        "members": [one.label() for one in members],
        "criteria": rubric.versions(),
        "fit": judge.fit.digest if judge.fit else {n: one.training for n, one in found.items()},
    }
    presses = [
        press
        for name, scored in found.items()
        for press in _presses(rubric.versions()[name], every[name], scored, asked, judge)
    ]
    return Combination(
        judge=judge,
        rubric=rubric,
        members=members,
        fingerprint=digest(identity),
        presses=presses,
        lacking=lacking,
        fit=fit,
        out_of_fold=sum(_out_of_fold(one, asked) for one in found.values()),
        waiting=sum(int((~every[name].graded).sum()) for name in found),
    )


def _scored(
    judge: Judge,
    rubric: Rubric,
    name: str,
    version: str,
    features: Features | None,
    asked: SheetQuestions,
    training: Sequence[tuple[int, int]],
) -> Scored | str:
    """The scores on one criterion, or why there are none."""
    if features is None:
        return "A member has no grades on this criterion."
    if judge.fit is None:
        known = [(item, score) for item, score in training if not asked.held_out[item]]
        return combined(judge.rule, version, features, asked.groups, known, rubric.scale)
    fit = judge.fit.criteria.get(name)
    if fit is None or fit.version != version:
        return "The frozen fit is for another wording of this criterion. Fit the rule again."
    score = applied(fit, features)
    return score if isinstance(score, str) else Scored(score)


def _presses(
    version: str, features: Features, scored: Scored, asked: SheetQuestions, judge: Judge
) -> Iterator[Press]:
    """A grade of each answer that all members graded."""
    seen = ShownExamples(_origin(one) for one in judge.fit.questions) if judge.fit else None
    for index, item_id in enumerate(asked.item_ids):
        if not features.graded[index]:
            continue
        press = Press(item_id, version, 0)
        if seen and seen.leaks(_origin(question_digest(*asked.origins[index]))):
            yield press._replace(status="not_applicable", reason=FITTED_TO_IT)
        elif np.isnan(scored.score[index]):
            lacks = f"No score from {features.without(index)}."
            yield press._replace(status="missing_input", reason=lacks)
        else:
            given = features.listed(index, judge.rule == "majority")
            yield press._replace(score=int(scored.score[index]), reason=given)


def _out_of_fold(scored: Scored, asked: SheetQuestions) -> int:
    known = ~np.isnan(scored.score)
    return sum(group in scored.folds for group, one in zip(asked.groups, known, strict=True) if one)


def _origin(question: str) -> Origin:
    text_hash, _, cluster = question.partition(":")
    return Origin(text_hash, cluster or None)
