"""Distribution of a score from the log-probabilities of a chat completion's tokens.

Pure. The score is found in the stream of tokens (JSON, a tool call or a text), and the tokens that
the model might have written in its place are added up by the score they begin. A score of several
tokens, such as 10 or -1, is followed token by token.

The probability of a score is the mass that certainly means it. What means no score, what the server
did not list (it lists the likeliest 20 tokens at most) and what would be decided by a token that
was never written is `outside`.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from concord.model import LOGPROBS, Distribution

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|[^\s]', re.DOTALL)
_NUMBER = re.compile(r"-?[0-9]+")
# What a token may hold before the number that it begins.
_LEAD = " \t\r\n\":'"
# Probabilities are rounded, so that a sum may exceed 1 by as much.
_TOLERANCE = 1e-3


class _Step(NamedTuple):
    """A token: its text, where it begins in the stream, and the probability of each candidate."""

    text: str
    start: int
    candidates: Mapping[str, float]


def distribution(
    completion: Any, criterion: str, score: int, scale: Sequence[int]
) -> Distribution | None:
    """Return the probability of each score of a criterion, from the tokens where one was written.

    Args:
        completion: The chat completion as received, with `logprobs` of its tokens.
        criterion: The criterion's name, the key of its grade in the reply.
        score: The score that was read in the reply.
        scale: All scores of the rubric.

    Returns:
        None where the server sent no usable log-probabilities, or the score is in none of its
        tokens. Never raises.
    """
    steps = _steps(completion)
    stream = "".join(step.text for step in steps)
    begin = _score_at(stream, criterion, score)
    if begin is None:
        return None
    masses = _masses(steps, begin, str(score), scale)
    total = sum(masses.values())
    if not 0 < total <= 1 + _TOLERANCE:
        return None
    return Distribution(
        LOGPROBS, tuple((one, masses[one]) for one in sorted(scale)), max(0.0, 1 - total)
    )


def _steps(completion: Any) -> list[_Step]:
    """The tokens of a completion; empty where any of them cannot be read."""
    try:
        entries = completion["choices"][0]["logprobs"]["content"]
        texts = [_text(entry) for entry in entries]
        starts = [0, *accumulate(map(len, texts))]
        return [
            _Step(text, start, _candidates(entry, text))
            for entry, text, start in zip(entries, texts, starts, strict=False)
        ]
    except (KeyError, IndexError, TypeError, ValueError):
        return []


def _text(entry: Mapping[str, Any]) -> str:
    """Return the text of a token; one that is part of a letter has its bytes in marks of loss."""
    if not isinstance(entry["token"], str):
        raise TypeError("a token is no text")
    return entry["token"]


def _candidates(entry: Mapping[str, Any], text: str) -> dict[str, float]:
    """Return the probability of each token that was listed for a place, the written one too."""
    listed = [(_text(one), one["logprob"]) for one in entry.get("top_logprobs") or ()]
    found = {}
    for token, logprob in [*listed, (text, entry["logprob"])]:
        if type(logprob) not in (int, float) or math.isnan(logprob) or logprob > _TOLERANCE:
            raise ValueError("a log-probability is no number, or above 0")
        found[token] = min(1.0, math.exp(logprob))
    return found


def _score_at(stream: str, criterion: str, score: int) -> int | None:
    """Return where the score of a criterion begins in the stream; None where it does not occur.

    Of several places the first counts: what follows it is a copy.
    """
    name = re.escape(json.dumps(criterion, ensure_ascii=False))
    for found in re.finditer(rf"(?<!\\){name}\s*:\s*\{{", stream):
        begin = _value_at(stream, found.end(), "score")
        number = _NUMBER.match(stream, begin) if begin is not None else None
        if number and int(number.group()) == score:
            return begin
    return None


def _value_at(stream: str, start: int, key: str) -> int | None:
    """Return where the value of a key begins in the object that opened just before `start`."""
    depth, before = 1, ("", "")
    for found in _TOKEN.finditer(stream, start):
        token = found.group()
        if depth == 1 and before == (f'"{key}"', ":"):
            inside = token.lstrip('" ')
            return found.end() - len(inside)
        depth += (token in ("{", "[")) - (token in ("}", "]"))
        if depth == 0:
            return None
        before = before[1], token
    return None


def _masses(
    steps: Sequence[_Step], begin: int, written: str, scale: Sequence[int]
) -> dict[int, float]:
    """Add up the probability that certainly means each score."""
    masses, path, typed = dict.fromkeys(scale, 0.0), 1.0, ""
    first = max(n for n, step in enumerate(steps) if step.start <= begin)
    for step in steps[first:]:
        lead = step.text[: begin - step.start] if step.start < begin else ""
        whole = {_begun(typed, token, lead) for token in step.candidates}
        for token, probability in step.candidates.items():
            if token == step.text:
                continue
            meant = _meant(_begun(typed, token, lead), whole, scale)
            if meant is not None:
                masses[meant] += path * probability
        path *= step.candidates[step.text]
        typed = _begun(typed, step.text, lead)
        if _is_ended(typed, scale):
            break
    masses[int(written)] += path
    return masses


def _begun(typed: str, token: str, lead: str) -> str:
    """Return the number as it would read with a token, with what ends it."""
    if typed:
        return typed + token
    # A candidate for the first token may begin with another blank or quote than the written one.
    return token.removeprefix(lead).lstrip(_LEAD)


def _meant(text: str, candidates: set[str], scale: Sequence[int]) -> int | None:
    """Return the score that a text certainly means; None for no score."""
    number = _NUMBER.match(text)
    if number is None or int(number.group()) not in scale:
        return None
    if _is_ended(text, scale):
        return int(number.group())
    # “1” may go on to be 10, unless the model could have written 10 at once.
    longer = {str(one) for one in scale if str(one).startswith(text) and str(one) != text}
    return int(text) if any(one.startswith(tuple(longer)) for one in candidates) else None


def _is_ended(text: str, scale: Sequence[int]) -> bool:
    """True where no score of the scale goes on from a text."""
    return not any(str(one).startswith(text) and str(one) != text for one in scale)
