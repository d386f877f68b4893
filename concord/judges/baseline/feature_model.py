"""The embedded baseline: grades from text features alone, learnt from the annotators' grades.

It understands nothing and is the floor that every judge should beat. No question is ever graded by
a model that has seen annotators' grades for it: questions with the same text or cluster form a
group, groups are dealt into folds, and a group's answers are graded by the model of the other
folds.
"""

import math
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from concord.definitions import digest
from concord.judges.training_grades import FOLDS, SEED, deal, too_few
from concord.stats.correction.proportional_odds import STRENGTH, fit, predict
from concord.text.normal_form import normalised
from concord.text.overlap import covered, rouge_l
from concord.text.tokens import ends_mid_sentence, ngrams, terms, tokens

# Text features by name, in the order of the table.
FEATURES = (
    "is_empty",
    "log_tokens",
    "length_off",
    "length_to_contexts",
    "question_covered",
    "echo",
    "has_contexts",
    "terms_in_contexts",
    "pairs_in_contexts",
    "contexts_covered",
    "rouge_l_contexts",
    "foreign_numbers",
    "has_reference",
    "reference_covered",
    "terms_in_reference",
    "rouge_l_reference",
    "repeated_trigrams",
    "distinct_share",
    "longest_stutter",
    "stray_symbols",
    "ends_open",
    "declines",
)


class Text(NamedTuple):
    """The texts of one item as the baseline sees them.

    `cluster` is the document a question belongs to, None where unknown: it keeps questions
    together when folds are drawn and is no feature.
    """

    question: str
    contexts: tuple[str, ...]
    answer: str
    references: tuple[str, ...] = ()
    cluster: str | None = None


_USUAL_LOG_TOKENS = 4.0  # some fifty words: answers may be too short and too long
_RULE = re.compile(r"^[ \t|:\-=_*~]+$", re.MULTILINE)  # table borders and separators
_BURST = re.compile(r"(?:[^\w\s]\s?){5,}")
_ODD = re.compile(
    r"[^\w\s!-/:-@\[-`{-~\u00a1-\u00bf\u00d7\u00f7\u0300-\u1fff\u2010-\u205e\u20a0-\u20cf"
    r"\u2190-\u22ff\u2500-\u257f\u3001-\u303f\u30fb\ua000-\uabff\ufe30-\uffef\U00020000-\U000323af]"
)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_DECLINES = re.compile(
    r"\b(?:i (?:do not|don['’]t) know|(?:cannot|can ?not|can['’]t|unable to|could not) "
    r"(?:answer|find|determine|say|help|tell)|not (?:sure|mentioned|specified|provided|stated)"
    r"|no information|(?:do|does) not (?:say|mention|contain|specify|state|provide))\b"
    r"|不知道|不清楚|无法(?:回答|确定)|無法(?:回答|確定)|没有(?:提到|提及|说明)|沒有(?:提到|提及|說明)"
    r"|未提及|分かりません|わかりません|回答できません|記載(?:は|が)?(?:ありません|ない)"
    r"|알 수 없|모르겠|답변할 수 없|나와 있지 않|언급(?:되어 있지|이 없)",
    re.IGNORECASE,
)


class _Source(NamedTuple):
    """Contexts or references, tokenised once for all answers that share them."""

    sequences: tuple[list[str], ...]
    terms: frozenset[str]
    pairs: frozenset[tuple[str, ...]]
    numbers: frozenset[str]
    length: int


def feature_table(texts: Sequence[Text]) -> np.ndarray:
    """The feature table: float (len(texts), len(FEATURES)), finite, columns as in `FEATURES`.

    Answers that share their contexts are measured one after the other, so that a document is
    tokenised once and only one is held in memory.
    """
    table = np.zeros((len(texts), len(FEATURES)))
    shared: tuple[tuple[str, ...], _Source] | None = None
    for index in sorted(range(len(texts)), key=lambda i: texts[i].contexts):
        text = texts[index]
        if shared is None or shared[0] != text.contexts:
            shared = text.contexts, _source(text.contexts)
        row = _row(text, shared[1])
        table[index] = [row[name] for name in FEATURES]
    return table


def _row(text: Text, contexts: _Source) -> dict[str, float]:
    """The features of one item by name."""
    words, answer_terms = tokens(text.answer), set(terms(text.answer))
    log_tokens, question = math.log1p(len(words)), set(terms(text.question))
    return {
        "is_empty": float(not words),
        "log_tokens": log_tokens,
        "length_off": (log_tokens - _USUAL_LOG_TOKENS) ** 2,
        "question_covered": covered(question, answer_terms) or 0.0,
        "echo": covered(answer_terms, question) or 0.0,
        **_against_contexts(text, words, answer_terms, contexts),
        **_against_references(text, words, answer_terms),
        **_surface(text.answer, words),
    }


def _against_contexts(
    text: Text, words: list[str], answer_terms: set[str], contexts: _Source
) -> dict[str, float]:
    """Return the overlap of the answer with its contexts; zeros without contexts."""
    numbers = set(_NUMBER.findall(text.answer))
    known = contexts.numbers | set(_NUMBER.findall(text.question))
    return {
        "has_contexts": float(contexts.length > 0),
        "length_to_contexts": math.log1p(len(words)) - math.log1p(contexts.length)
        if contexts.length
        else 0.0,
        "terms_in_contexts": covered(answer_terms, contexts.terms) or 0.0,
        "pairs_in_contexts": covered(set(ngrams(words, 2)), contexts.pairs) or 0.0,
        "contexts_covered": covered(contexts.terms, answer_terms) or 0.0,
        "rouge_l_contexts": max((rouge_l(words, s)[0] for s in contexts.sequences), default=0.0),
        "foreign_numbers": math.log1p(len(numbers - known)) if contexts.length else 0.0,
    }


def _against_references(text: Text, words: list[str], answer_terms: set[str]) -> dict[str, float]:
    """Return the similarity to the nearest reference answer; zeros without one."""
    bags = [set(terms(reference)) for reference in text.references]
    return {
        "has_reference": float(bool(bags)),
        "reference_covered": max((covered(bag, answer_terms) or 0.0 for bag in bags), default=0.0),
        "terms_in_reference": max((covered(answer_terms, bag) or 0.0 for bag in bags), default=0.0),
        "rouge_l_reference": max(
            (rouge_l(words, tokens(reference))[2] for reference in text.references), default=0.0
        ),
    }


def _surface(answer: str, words: list[str]) -> dict[str, float]:
    """Return repetition, symbols and ending: features without a comparison."""
    triples = ngrams(words, 3)
    return {
        "repeated_trigrams": 1 - len(set(triples)) / len(triples) if triples else 0.0,
        "distinct_share": len(set(words)) / len(words) if words else 0.0,
        "longest_stutter": math.log(_longest_stutter(words)),
        "stray_symbols": _stray_share(answer),
        "ends_open": float(ends_mid_sentence(answer)),
        "declines": float(bool(_DECLINES.search(answer))),
    }


def _longest_stutter(words: list[str]) -> int:
    """The longest run of one and the same token; 1 where nothing is doubled or all is empty."""
    longest = run = 1
    for before, word in pairwise(words):
        run = run + 1 if word == before else 1
        longest = max(longest, run)
    return longest


def _stray_share(answer: str) -> float:
    """Share of the visible characters that are stray: odd symbols, and bursts of five or more."""

    def visible(text: str) -> int:
        return sum(map(len, text.split()))

    if not visible(answer):
        return 0.0
    ruled = _RULE.sub("", answer)
    rest = _BURST.sub(" ", ruled)
    return (visible(ruled) - visible(rest) + len(_ODD.findall(rest))) / visible(answer)


def _source(texts: tuple[str, ...]) -> _Source:
    """Tokenise a set of texts for comparison."""
    sequences = tuple(tokens(text) for text in texts)
    return _Source(
        sequences=sequences,
        terms=frozenset(term for text in texts for term in terms(text)),
        pairs=frozenset(pair for sequence in sequences for pair in ngrams(sequence, 2)),
        numbers=frozenset(n for text in texts for n in _NUMBER.findall(text)),
        length=sum(map(len, sequences)),
    )


METHOD = "text-features-1"  # raise it whenever a feature, the model or the folds change

AnnotatorsGrades = Sequence[
    tuple[int, int]
]  # (index of the item, score), one per annotator and item


def grade(
    texts: Sequence[Text], annotators: Mapping[str, AnnotatorsGrades], scale: Sequence[int]
) -> dict[str, list[int] | str]:
    """Grade every item under every criterion, never from grades of the same question.

    `annotators` holds by criterion name the scored grades of annotators; an item several annotators
    graded counts once, shared equally among its grades. A grade off the `scale` is a ValueError. By
    criterion the result is one score per item, in order, or what is missing for that.
    """
    groups = question_groups(texts)
    lacking = {name: too_few(groups, grades) for name, grades in annotators.items()}
    features = feature_table(texts) if None in lacking.values() else np.zeros((0, len(FEATURES)))
    return {
        name: lacking[name] or _predictions(features, groups, grades, scale)
        for name, grades in annotators.items()
    }


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
    texts: Sequence[Text], annotators: Mapping[str, AnnotatorsGrades], scale: Sequence[int]
) -> str:
    """The hash of everything the predictions are learnt from, for the judge's fingerprint.

    Method, settings, scale, and for every grade its item's texts, its score and its fold. The
    order of items and grades does not matter; ungraded items have no part in it.
    """
    groups = question_groups(texts)

    def text_digest(text: Text) -> str:
        return digest([text.question, list(text.contexts), text.answer, list(text.references)])

    rows = {}
    for name, grades in annotators.items():
        folds = deal(groups, [item for item, _ in grades])
        rows[name] = sorted(
            [text_digest(texts[item]), score, folds[groups[item]]] for item, score in grades
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
    features: np.ndarray, groups: Sequence[str], grades: AnnotatorsGrades, scale: Sequence[int]
) -> list[int]:
    """Predict each fold from the others, and groups without grades from all grades."""
    folds = deal(groups, [item for item, _ in grades])
    items, scores = (np.array(column) for column in zip(*grades, strict=True))
    if off := set(scores.tolist()) - set(scale):
        raise ValueError(f"grades off the scale {list(scale)}: {sorted(off)}")
    weights = 1 / np.bincount(items, minlength=len(features))[items]
    fold_of = np.array([folds.get(group, -1) for group in groups])
    found = np.zeros(len(features), int)
    for fold in np.unique(fold_of):
        seen = fold_of[items] != fold  # all of them for fold -1, the groups without grades
        model = fit(features[items[seen]], scores[seen], weights[seen])
        found[fold_of == fold] = predict(model, features[fold_of == fold])
    return found.tolist()
