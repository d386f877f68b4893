"""Strict parser of a decision model's reply into one verdict per criterion.

Rules:

- A criterion is scored where its answer has the type `score` and one probability for each level of
  the scale: a number from 0 to 1, and together 1, but for what rounding to two decimals can change
  (0.02 for four levels, 0.05 for ten). They are kept as returned. A level that is missing, twice
  there or not of the scale, another label than was sent, and anything that is no such number make
  the answer unreadable. Nothing is repaired.
- The score is read from the probabilities, normalised over the scale, by the judge's rule. The
  `score` and the `confidence` of the server are not used: each server means something else by them.
- OpenAI's format has the answers in the order of the questions, and each with its name. One in
  another order, under another name or twice makes the whole reply unreadable: its answers may
  belong to other questions. System One has them by name; names that were not asked are ignored.
- A question can be refused while others are answered. `diagnostics.label_mass` (vLLM) is the
  probability of all labels together; the rest fell outside the scale.
- A key given twice, NaN and Infinity make the whole reply unreadable, as does a reported error.
- A criterion is judged by itself: the others keep their scores when one is missing or unreadable.
"""

import json
import math
import operator
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

from concord.judges.definition.model import Judge, Reading
from concord.judges.prompting.verdict import Verdict
from concord.messages import said
from concord.model import NATIVE, Distribution, is_rounding
from concord.text.display import visible

# 400 questions with 10 levels take about 250,000 characters.
MAX_CHARACTERS = 2_000_000
ROUNDING = 1e-6  # how far a probability may be above 1
_DECIMALS = 9  # to which ties are compared, as .1 + .4 is half


def verdicts_of(
    judge: Judge, reply: Any, names: Sequence[str], scale: Sequence[int]
) -> dict[str, Verdict]:
    """One verdict per criterion from a decision model's reply; never raises.

    `reply` is the text as it was received, or decoded from it, which hides a key given twice;
    `names` are the criteria that the request asked about, in its order.
    """
    try:
        reply = _decoded(reply) if isinstance(reply, str) else reply
        answers = _by_name(reply, judge, names)
    except _Unreadable as error:
        return dict.fromkeys(names, _unparsable(str(error)))
    told = reply.get("diagnostics")
    return {name: _verdict(answers, told, name, judge, scale) for name in names}


def score(rule: Reading, probabilities: Sequence[float], scale: Sequence[int]) -> int:
    """The score that a rule reads from one probability for each score of the scale.

    The rules are those of `stats.probabilities.reading`, one row at a time: for a row numpy takes
    longer than the rest of the reply, and no other judge loads it.
    """
    total = math.fsum(probabilities)
    shares = [p / total for p in probabilities]
    if rule == "rounded_mean":
        expected = round(math.fsum(map(operator.mul, shares, scale)), _DECIMALS)
        steps = [(low + high) / 2 for low, high in pairwise(scale)]
        return scale[bisect_left(steps, expected)]  # halfway is the lower one
    if rule == "argmax":
        rounded = [round(p, _DECIMALS) for p in shares]
        return scale[rounded.index(max(rounded))]
    below = [round(p, _DECIMALS) for p in accumulate(shares)]
    return scale[next(place for place, p in enumerate(below) if p >= 0.5)]


class _Unreadable(ValueError):
    """A reply or an answer that does not follow the format."""


def _by_name(reply: Any, judge: Judge, names: Sequence[str]) -> dict[str, Any]:
    """The answers of a reply by the name of their question."""
    if not isinstance(reply, dict):
        raise _Unreadable(said("The reply is not a JSON object."))
    if reply.get("error") is not None:
        raise _Unreadable(
            said("The reply reports an error: {error}.", error=_short(reply["error"]))
        )
    answers, wanted = reply.get("answers"), list if judge.dialect == "openai" else dict
    if not isinstance(answers, wanted) or not answers:
        raise _Unreadable(said("The reply contains no answers."))
    return answers if wanted is dict else _in_order(answers, names)


def _in_order(answers: list[Any], names: Sequence[str]) -> dict[str, Any]:
    """Answers of a list by name, where they follow the order of the questions."""
    given = [one.get("name") if isinstance(one, dict) else None for one in answers]
    left = iter(names)
    for name in given:
        # Each is looked for behind the one before it, so that a second or earlier one is not found.
        if not isinstance(name, str) or name not in left:
            raise _Unreadable(
                said(
                    "The answers are not in the order of the questions: {given} instead of "
                    "{asked}.",
                    given=_short(", ".join(map(str, given))),
                    asked=_short(", ".join(names)),
                )
            )
    return dict(zip(given, answers, strict=True))


def _verdict(
    answers: Mapping[str, Any], diagnostics: Any, name: str, judge: Judge, scale: Sequence[int]
) -> Verdict:
    """The verdict on one criterion."""
    answer = answers.get(name)
    if answer is None:
        return _unparsable(said("The reply has no answer for {criterion}.", criterion=name))
    kind = answer.get("type") if isinstance(answer, dict) else None
    if kind == "refusal":
        return Verdict("refused", why=said("The model refused the question."))
    if kind != "score":
        return _unparsable(said("The answer for {criterion} is not a score.", criterion=name))
    try:
        found = _levels(answer.get("probabilities"), scale, judge.dialect)
        outside = _outside(diagnostics, name)
    except _Unreadable as error:
        return _unparsable(f"{name}: {error}")
    pairs = tuple(zip(map(float, scale), found, strict=True))
    distribution = Distribution(NATIVE, pairs, outside)
    return Verdict("scored", score(judge.reading_rule(), found, scale), distribution=distribution)


def _levels(given: Any, scale: Sequence[int], dialect: str) -> list[float]:
    """The probability of each score of the scale, as returned."""
    wanted, by_level = (list, _listed) if dialect == "openai" else (dict, _keyed)
    if not isinstance(given, wanted):
        raise _Unreadable(said("There are no probabilities."))
    known = by_level(given, scale)
    missing = [level for level in range(len(scale)) if level not in known]
    if missing:
        raise _Unreadable(said("The level {level} has no probability.", level=missing[0]))
    found = [_probability(known[level]) for level in range(len(scale))]
    total = math.fsum(found)
    if not is_rounding(total - 1, len(scale)):
        raise _Unreadable(said("The probabilities add up to {total:.3f}.", total=total))
    return found


def _listed(given: list[Any], scale: Sequence[int]) -> dict[int, Any]:
    """Probabilities by level index from a list of levels, as OpenAI has them."""
    found: dict[int, Any] = {}
    for one in given:
        level = one.get("value") if isinstance(one, dict) else None
        if type(level) is not int or not 0 <= level < len(scale):
            raise _Unreadable(said("{level} is not a level of the scale.", level=_short(level)))
        if level in found:
            raise _Unreadable(said("The level {level} occurs twice.", level=level))
        # The label was sent with the level: another one belongs to another scale.
        if one.get("label") != str(scale[level]):
            raise _Unreadable(
                said(
                    "The level {level} has the label {label}.",
                    level=level,
                    label=_short(one.get("label")),
                )
            )
        found[level] = one.get("probability")
    return found


def _keyed(given: dict[str, Any], scale: Sequence[int]) -> dict[int, Any]:
    """Probabilities by level index from an object, as System One has them."""
    # Compared as text: "01" and " 1" are no keys of the format.
    keys = {str(level): level for level in range(len(scale))}
    strange = next((key for key in given if key not in keys), None)
    if strange is not None:
        raise _Unreadable(said("{level} is not a level of the scale.", level=_short(strange)))
    return {keys[key]: value for key, value in given.items()}


def _probability(value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value <= 1 + ROUNDING:  # NaN is not either
        raise _Unreadable(said("{value} is not a probability.", value=_short(value)))
    return float(value)


def _outside(diagnostics: Any, name: str) -> float | None:
    """The probability of everything that is no label; None where the server does not say."""
    told = diagnostics.get(name) if isinstance(diagnostics, dict) else None
    mass = told.get("label_mass") if isinstance(told, dict) else None
    return None if mass is None else max(0.0, 1 - _probability(mass))


def _decoded(raw: str) -> Any:
    if len(raw) > MAX_CHARACTERS:
        raise _Unreadable(said("The reply is longer than {n:,} characters.", n=MAX_CHARACTERS))
    try:
        return _DECODER.decode(raw)
    except _Unreadable:
        raise
    except (ValueError, RecursionError):  # also a number of thousands of digits
        raise _Unreadable(said("The reply is not JSON.")) from None


def _unparsable(why: str) -> Verdict:
    return Verdict("unparsable", why=why)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise _Unreadable(said("The JSON gives a key twice."))
    return value


def _no_constant(text: str) -> None:
    raise _Unreadable(said("{text} is not JSON.", text=text))


def _short(value: Any) -> str:
    """A value as it is quoted, on one line and of at most 100 characters."""
    text = " ".join(visible(value if isinstance(value, str) else json.dumps(value)).split())
    return text if len(text) <= 100 else f"{text[:99]}…"


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)
