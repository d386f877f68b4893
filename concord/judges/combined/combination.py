"""Combination: the scores of a combined judge on one criterion, from features and grades.

Pure. A rule that is fitted needs graded answers of several questions; a question's own grades never
enter its score.
"""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from concord.definitions import digest
from concord.judges.combined.features import Features
from concord.judges.definition.combined import FITTED, CriterionFit, Rule
from concord.judges.training_grades import deal
from concord.messages import joined, said
from concord.stats.probabilities.combining import (
    Grades,
    LinearRule,
    cross_fitted,
    majority,
    mean_rule,
)

MIN_ITEMS, MIN_GROUPS = 30, 10


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
        return said(
            "{rule} combines grades of the same criterion, and {features} is another. Set "
            "its rule to “ordinal”.",
            rule=rule,
            features=features.names[int(np.argmin(features.same))],
        )
    if rule == "cut_points" and not features.likely.all():
        return said(
            "cut_points reads probabilities, and {member} gave none.", member=features.names[0]
        )
    given = features.scores[~np.isnan(features.scores)]
    if rule == "majority" and not np.isin(given, scale).all():
        return said(
            "A majority takes scores of the scale, and some are not. Set its rule to “mean”."
        )
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
    why = _too_few(known, groups)
    if why:
        return why
    folds = deal(groups, [item for item, _ in known])
    found, whole = _fitted(rule, features.values, complete, known, folds, groups, scale)
    score[complete] = found
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


def _fitted(
    rule: Rule,
    values: np.ndarray,
    complete: np.ndarray,
    known: Sequence[tuple[int, int]],
    folds: dict[str, int],
    groups: Sequence[str],
    scale: Sequence[int],
) -> tuple[np.ndarray, LinearRule]:
    """The scores of the complete answers, and the fit to all grades."""
    place = np.cumsum(complete) - 1
    item, score = np.array(known).T
    fold = np.array([folds.get(one, -1) for one in groups])[complete]
    return cross_fitted(rule, values[complete], Grades.of(place[item], score), fold, scale)


def _too_few(known: Sequence[tuple[int, int]], groups: Sequence[str]) -> str | None:
    items, scores = {item for item, _ in known}, {score for _, score in known}
    found = len({groups[item] for item in items})
    if len(items) < MIN_ITEMS or found < MIN_GROUPS:
        return said(
            "The fit needs at least {least} answers that annotators and all members scored, on "
            "{groups} questions; there are {n} on {found}.",
            least=MIN_ITEMS,
            groups=MIN_GROUPS,
            n=len(items),
            found=found,
        )
    if len(scores) < 2:
        return said(
            "The fit needs at least two different scores; all {n:,} graded answers have {score}.",
            n=len(items),
            score=next(iter(scores)),
        )
    return None
