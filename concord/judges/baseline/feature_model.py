"""The embedded baseline: grades from text features alone, learnt from the annotators' grades.

It understands nothing and is the floor that every judge should beat. No question is ever graded by
a model that has seen annotators' grades for it: questions with the same text or cluster form a
group, groups are dealt into folds, and a group's answers are graded by the model of the other
folds.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from concord.definitions import digest
from concord.judges.baseline import reasons
from concord.judges.baseline.features import Text, metric
from concord.judges.baseline.reasons import FEATURES
from concord.judges.training_grades import FOLDS, SEED, deal
from concord.messages import said
from concord.stats.correction.proportional_odds import STRENGTH, Fitted, contributions, fit, predict
from concord.text.normal_form import normalised

MIN_ITEMS = 30
MIN_GROUPS = 10
METHOD = "text-features-1"  # raise it whenever a feature, the model or the folds change
_WORTH_NAMING = 0.1  # contributions to the log-odds below this are left out of a reason

AnnotatorsGrades = Sequence[
    tuple[int, int]
]  # (index of the item, score), one per annotator and item


class Prediction(NamedTuple):
    """A score on the rubric's scale and, in one sentence, the features that moved it most."""

    score: int
    reason: str


class TooFew(NamedTuple):
    """Reason why a criterion gets no baseline: the annotators' grades available and needed."""

    items: int
    groups: int
    scores: int
    sentence: str


def grade(
    texts: Sequence[Text],
    annotators: Mapping[str, AnnotatorsGrades],
    scale: Sequence[int],
) -> dict[str, list[Prediction] | TooFew]:
    """Grade every item under every criterion, never from grades of the same question.

    `annotators` holds by criterion name the scored grades of annotators; an item several annotators
    graded counts once, shared equally among its grades. A grade off the `scale` is a ValueError. By
    criterion the result is one prediction per item, in order, or what is missing for that.
    """
    groups = question_groups(texts)
    lacking = {name: too_few(groups, grades) for name, grades in annotators.items()}
    features = metric(texts) if None in lacking.values() else np.zeros((0, len(FEATURES)))
    return {
        name: lacking[name] or _predictions(features, groups, grades, scale)
        for name, grades in annotators.items()
    }


def too_few(groups: Sequence[str], grades: AnnotatorsGrades) -> TooFew | None:
    """Return what a criterion lacks for training; None when there is enough.

    Needed are 30 graded items on 10 questions (on 10 groups, where questions share a document) and
    two different scores among them.
    """
    items, scores = {item for item, _ in grades}, {score for _, score in grades}
    found = len({groups[item] for item in items})
    if len(items) < MIN_ITEMS or found < MIN_GROUPS:
        clustered = any(group.startswith("cluster:") for group in groups)
        noun = said("documents" if clustered else "questions")
        sentence = said(
            "The baseline needs at least {least} graded answers on {groups} {noun}; there are {n} "
            "on {found}.",
            least=MIN_ITEMS,
            groups=MIN_GROUPS,
            noun=noun,
            n=len(items),
            found=found,
        )
    elif len(scores) < 2:
        sentence = said(
            "The baseline needs at least two different scores to learn from; all {n:,} graded "
            "answers have {score}.",
            n=len(items),
            score=next(iter(scores)),
        )
    else:
        return None
    return TooFew(len(items), found, len(scores), sentence)


def question_groups(texts: Sequence[Text]) -> list[str]:
    """The group of each item: items with the same question text or the same cluster share one.

    Sharing is passed on: A and B by text, B and C by cluster makes one group of all three. The
    name of a group is the least of its members' keys, whatever the order of the items.
    """
    parent: dict[str, str] = {}
    keys = [_keys(text) for text in texts]
    for own in keys:
        roots = {_root(parent, key) for key in own}
        least = min(roots)
        parent.update(dict.fromkeys(roots, least))
    return [_root(parent, own[0]) for own in keys]


def training_digest(
    texts: Sequence[Text],
    annotators: Mapping[str, AnnotatorsGrades],
    scale: Sequence[int],
) -> str:
    """The hash of everything the predictions are learnt from, for the judge's fingerprint.

    Method, settings, scale, and for every grade its item's texts, its score and its fold. The
    order of items and grades does not matter; ungraded items have no part in it.
    """
    groups = question_groups(texts)
    rows = {}
    for name, grades in annotators.items():
        folds = deal(groups, [item for item, _ in grades])
        rows[name] = sorted(
            [_text_digest(texts[item]), score, folds[groups[item]]] for item, score in grades
        )
    settings = [METHOD, FOLDS, STRENGTH, SEED]
    return digest({"settings": settings, "scale": list(scale), "grades": rows})


def _keys(text: Text) -> tuple[str, ...]:
    """Return what links an item to others: its cluster, where known, and its question's text."""
    question = f"question:{normalised(text.question)}"
    return (question,) if text.cluster is None else (f"cluster:{text.cluster}", question)


def _root(parent: dict[str, str], key: str) -> str:
    """The name of the group a key belongs to so far, with the path to it shortened."""
    path = [key]
    while (above := parent.setdefault(path[-1], path[-1])) != path[-1]:
        path.append(above)
    parent.update(dict.fromkeys(path, path[-1]))
    return path[-1]


def _predictions(
    features: np.ndarray,
    groups: Sequence[str],
    grades: AnnotatorsGrades,
    scale: Sequence[int],
) -> list[Prediction]:
    """Predict each fold from the others, and groups without grades from all grades."""
    folds = deal(groups, [item for item, _ in grades])
    items, scores = (np.array(column) for column in zip(*grades, strict=True))
    if off := set(scores.tolist()) - set(scale):
        raise ValueError(f"grades off the scale {list(scale)}: {sorted(off)}")
    weights = 1 / np.bincount(items, minlength=len(features))[items]
    fold_of = np.array([folds.get(group, -1) for group in groups])
    predictions: list[Prediction | None] = [None] * len(features)
    for fold in np.unique(fold_of):
        seen = fold_of[items] != fold  # all of them for fold -1, the groups without grades
        model = fit(features[items[seen]], scores[seen], weights[seen])
        asked = np.flatnonzero(fold_of == fold)
        for index, prediction in zip(asked, _explained(model, features[asked]), strict=True):
            predictions[index] = prediction
    return predictions


def _explained(model: Fitted, features: np.ndarray) -> list[Prediction]:
    scores = predict(model, features).tolist()
    pull = contributions(model, features)
    strongest = np.argsort(-np.abs(pull), axis=1, kind="stable")[:, :3]
    above = features >= model.mean
    return [
        Prediction(score, _reason(model, pull[row], above[row], strongest[row]))
        for row, score in enumerate(scores)
    ]


def _reason(model: Fitted, pull: np.ndarray, above: np.ndarray, strongest: np.ndarray) -> str:
    """One sentence naming up to three features and which way they moved the score."""
    if len(model.scores) == 1:
        return reasons.one_score(model.scores[0])
    moved: dict[bool, list[str]] = {True: [], False: []}
    for column in strongest:
        if abs(pull[column]) >= _WORTH_NAMING:
            phrase = FEATURES[column].high if above[column] else FEATURES[column].low
            moved[bool(pull[column] > 0)].append(phrase)
    return reasons.moved_by(moved[True], moved[False])


def _text_digest(text: Text) -> str:
    """The hash of an item's texts."""
    return digest([text.question, list(text.contexts), text.answer, list(text.references)])
