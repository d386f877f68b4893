"""Surface features of an answer's text for the embedded baseline."""

import math
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from concord.judges.baseline.reasons import FEATURES
from concord.text.overlap import covered, rouge_l
from concord.text.tokens import ends_mid_sentence, ngrams, terms, tokens


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


NAMES = tuple(feature.name for feature in FEATURES)

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


def metric(texts: Sequence[Text]) -> np.ndarray:
    """The feature table: float (len(texts), len(FEATURES)), finite, columns as in `NAMES`.

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
        table[index] = [row[name] for name in NAMES]
    return table


def _row(text: Text, contexts: _Source) -> dict[str, float]:
    """The features of one item by name."""
    words, answer_terms = tokens(text.answer), set(terms(text.answer))
    log_tokens = math.log1p(len(words))
    return {
        "is_empty": float(not words),
        "log_tokens": log_tokens,
        "length_off": (log_tokens - _USUAL_LOG_TOKENS) ** 2,
        **_against_question(text, answer_terms),
        **_against_contexts(text, words, answer_terms, contexts),
        **_against_references(text, words, answer_terms),
        **_surface(text.answer, words),
    }


def _against_question(text: Text, answer_terms: set[str]) -> dict[str, float]:
    """Return the overlap of question and answer, in both directions."""
    question = set(terms(text.question))
    return {
        "question_covered": covered(question, answer_terms) or 0.0,
        "echo": covered(answer_terms, question) or 0.0,
    }


def _against_contexts(
    text: Text, words: list[str], answer_terms: set[str], contexts: _Source
) -> dict[str, float]:
    """Return the overlap of the answer with its contexts; zeros without contexts."""
    numbers = set(_NUMBER.findall(text.answer))
    known = contexts.numbers | set(_NUMBER.findall(text.question))
    return {
        "has_contexts": float(contexts.length > 0),
        "length_to_contexts": _log_ratio(len(words), contexts.length),
        "terms_in_contexts": covered(answer_terms, contexts.terms) or 0.0,
        "pairs_in_contexts": covered(set(ngrams(words, 2)), contexts.pairs) or 0.0,
        "contexts_covered": covered(contexts.terms, answer_terms) or 0.0,
        "rouge_l_contexts": max((rouge_l(words, s)[0] for s in contexts.sequences), default=0.0),
        "foreign_numbers": math.log1p(len(numbers - known)) if contexts.length else 0.0,
    }


def _log_ratio(length: int, other: int) -> float:
    """The logarithm of length / other with one added to each; 0 where `other` is 0."""
    return math.log1p(length) - math.log1p(other) if other else 0.0


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
    visible = _visible(answer)
    if not visible:
        return 0.0
    ruled = _RULE.sub("", answer)
    rest = _BURST.sub(" ", ruled)
    return (_visible(ruled) - _visible(rest) + len(_ODD.findall(rest))) / visible


def _visible(text: str) -> int:
    """The number of characters that are not white space."""
    return sum(map(len, text.split()))


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
