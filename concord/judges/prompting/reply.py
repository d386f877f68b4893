"""Strict parser of a judge's reply into one verdict per criterion.

Rules:

- A score is a number equal to a score of the scale (3, 3.0), or a string that is such an integer in
  ASCII digits ("3"). A fraction, a word, full-width digits, true or null are not scores; nothing is
  rounded or clipped.
- A grade is an object with a `score` and a text `reason`; any other key in it makes it unreadable.
  Keys other than the requested criteria are ignored.
- JSON may be inside prose or code fences. Every object that grades a requested criterion, in the
  text or in a tool call, must give it the same score; two different scores are no score. The last
  one's reason counts, that of a tool call before that of the text.
  Thinking at the beginning (`<think>` and its like) is not part of the reply; thinking that never
  ends leaves none. An echo of the form in the prompt grades nothing.
- A key given twice, NaN, raw control characters (but tab and line ends) and an object that begins
  and breaks off make the whole reply unreadable.
- When the server says it stopped for length the reply is `truncated`, however whole it looks: what
  would have followed is unknown. After a server-side error it is `failed`.
- A criterion is judged by itself: the others keep their scores when one is missing or off scale.

Log-probabilities: the score is found in the stream of tokens, and the tokens that the model might
have written in its place are added up by the score they begin; one of several tokens, such as 10 or
-1, is followed token by token. The probability of a score is the mass that certainly means it. What
means no score, what the server did not list (it lists the likeliest 20 tokens at most) and what
would be decided by a token that was never written is `outside`.
"""

import json
import math
import operator
import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from concord.judges.definition.model import FUNCTION, Judge, Reading
from concord.messages import said, syntax_fault
from concord.model import LOGPROBS, STATED, Distribution
from concord.text.display import visible


class Verdict(NamedTuple):
    """A reply's verdict on one criterion.

    `status` is `scored`, `refused`, `unparsable`, `truncated` or `failed`; `score`: None unless
    scored. `reason` is the judge's own; `why` says why the score is missing. `distribution` is its
    probability of each score, where it gave one. `lacks_probabilities` is True where the reply is
    good but for the probability that was asked for; a reading rule then has no score.
    """

    status: str
    score: int | None = None
    reason: str = ""
    why: str = ""
    distribution: Distribution | None = None
    lacks_probabilities: bool = False

    @property
    def reply_status(self) -> str:
        """The status of the reply, which is of use to judges with another reading rule."""
        return "scored" if self.lacks_probabilities else self.status


def finished(verdicts: dict[str, Verdict]) -> bool:
    """True where another request is pointless: every criterion is scored or was refused.

    So it is where the server puts replies into its reasoning: it will do so again.
    """
    return all(
        verdict.reply_status in ("scored", "refused")
        or getattr(verdict.why, "code", None) == "in_reasoning"
        for verdict in verdicts.values()
    )


def number_scored(verdicts: dict[str, Verdict]) -> int:
    """Return how many criteria the reply scores."""
    return sum(verdict.reply_status == "scored" for verdict in verdicts.values())


# A reply is a few sentences; longer text is not searched, so that no reply can stall the reader.
MAX_CHARACTERS = 200_000
MAX_OBJECTS = 200
LONGER = "The reply is longer than {:,} characters."

# How servers say why a reply ended (`finish_reason`), in small letters; any other is a good end.
FILTERED = {"content_filter", "safety", "recitation", "refusal", "prohibited_content"}
CUT_OFF = {"length", "max_tokens", "model_length"}
BROKEN_OFF = {"error", "abort", "cancelled", "insufficient_system_resource"}

REFUSALS = (
    "i'm sorry, but",
    "i am sorry, but",
    "sorry, but i can",
    "i can't assist",
    "i cannot assist",
    "i can't help",
    "i cannot help",
    "i'm unable to",
    "i am unable to",
    "i won't",
    "抱歉",
    "对不起",
    "對不起",
    "申し訳",
    "죄송",
)


def of_chat(
    judge: Judge, completion: Any, criteria: Sequence[str], scale: Sequence[int]
) -> dict[str, Verdict]:
    """One verdict per criterion from a chat model's completion, whatever it is; never raises.

    `completion` is the reply as received, or decoded from JSON; `criteria` are those that the
    request asked about. A rule reads the score in the log-probabilities of its tokens.
    """
    if isinstance(completion, str):
        try:
            completion = json.loads(completion)
        except (ValueError, RecursionError):
            completion = None
    found = parse(completion, criteria, scale, judge.confidence is not None)
    if not judge.logprobs:
        return found
    for name, verdict in found.items():
        if verdict.score is None:
            continue
        likely = distribution(completion, name, verdict.score, scale)
        if judge.reading is None:
            verdict = verdict._replace(distribution=likely, lacks_probabilities=likely is None)
        elif likely is None:
            # The written score would be read by another rule than all others.
            verdict = unparsable("The reply has no log-probabilities for {}.", name)
            verdict = verdict._replace(lacks_probabilities=True)
        else:
            scores, shares = zip(*likely.probabilities, strict=True)
            score = score_by(judge.reading, shares, scores)
            verdict = verdict._replace(score=score, distribution=likely)
        found[name] = verdict
    return found


def parse(
    completion: Any, criteria: Sequence[str], scale: Sequence[int], confidence: bool = False
) -> dict[str, Verdict]:
    """One verdict per criterion from a raw chat completion, whatever it holds; never raises.

    With `confidence`, a grade may hold how sure the judge is of the score, in percent. One that is
    no percentage costs the grade its distribution and not its score.
    """
    found = objects(completion)
    if isinstance(found, Verdict):
        return dict.fromkeys(criteria, found)
    return {name: _verdict(found, name, scale, confidence) for name in criteria}


def objects(completion: Any) -> list[dict[str, Any]] | Verdict:
    """Return every JSON object of a raw chat completion, or a verdict with the reason."""
    try:
        return _objects(_message(completion))
    except Unusable as unusable:
        return unusable.verdict


def prose(completion: Any) -> str | Verdict:
    """Return the text of a raw chat completion without its thinking, or why it is missing."""
    try:
        return _spoken(_content(_message(completion))).strip()
    except Unusable as unusable:
        return unusable.verdict


class Unusable(ValueError):
    """A reply that holds nothing to read; `verdict` is that on every criterion."""

    def __init__(self, why: str, *values: Any, status: str = "unparsable", reason: str = ""):
        why = why.format(*values) if values else why
        super().__init__(why)
        self.verdict = Verdict(status, reason=reason, why=why)


def _message(completion: Any) -> dict[str, Any]:
    """The message of a completion that the server marked neither as refused nor as cut off."""
    choices = completion.get("choices") if isinstance(completion, dict) else None
    # Choosing one of several would be a choice that was not requested and is not recorded.
    choice = choices[0] if isinstance(choices, list) and len(choices) == 1 else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        raise Unusable("The reply does not contain exactly one choice with a message.")
    refusal = message.get("refusal")
    # Before the text is read: a refusal may repeat the rubric, and its numbers are not scores.
    if isinstance(refusal, str) and refusal.strip():
        raise Unusable("The model refused.", status="refused", reason=visible(refusal))
    reason = choice.get("finish_reason")
    reason = reason.lower() if isinstance(reason, str) else ""
    if reason in FILTERED:
        raise Unusable("The server's content filter stopped the reply.", status="refused")
    if reason in CUT_OFF:
        raise Unusable("The reply was cut off at its maximum length.", status="truncated")
    if reason in BROKEN_OFF:
        raise Unusable("The server stopped the reply ({}).", reason, status="failed")
    return message


def _objects(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Return every JSON object of the reply that may hold grades, in order."""
    arguments, text = _arguments(message), _content(message)
    for key in ("reasoning", "reasoning_content"):
        if arguments is None and not text.strip() and "{" in str(message.get(key)):
            raise Unusable(
                said(
                    "The JSON is in `{key}`, and the reply itself is empty. Turn off the model's "
                    "reasoning, or the server's reasoning parser.",
                    key=key,
                    fault_code="in_reasoning",
                )
            )
    try:
        if arguments is None:
            return _in_text(text)
        called = [_whole(one) for one in arguments]
    except Unusable:
        opening = visible(text).strip().casefold().replace("’", "'")
        if "{" not in opening and opening.startswith(REFUSALS):
            refusal = visible(text).strip()
            why = "The model refused in words."
            raise Unusable(why, status="refused", reason=refusal) from None
        raise
    try:
        beside = _in_text(text)  # the text beside a tool call need not hold any
    except Unusable:
        beside = []
    return [value for value in beside if value not in called] + called


def _arguments(message: dict[str, Any]) -> list[str] | None:
    """The arguments of the function calls; None where there is no call."""
    calls = message.get("tool_calls") or []
    legacy = message.get("function_call")
    if not calls and not legacy:
        return None
    if not isinstance(calls, list):
        raise Unusable("The tool calls are not a list.")
    functions = [call.get("function") if isinstance(call, dict) else None for call in calls]
    arguments = []
    for function in functions + ([legacy] if legacy else []):
        name = function.get("name") if isinstance(function, dict) else None
        if name != FUNCTION:
            raise Unusable("The model called {} instead of {}.", visible(str(name)), FUNCTION)
        given = function.get("arguments")
        arguments.append(given if isinstance(given, str) else json.dumps(given))
    return arguments


def _content(message: dict[str, Any]) -> str:
    """The text of a message, also where it comes as a list of parts."""
    content = message.get("content")
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""


def _in_text(text: str) -> list[dict[str, Any]]:
    """The outermost JSON objects of a text."""
    text = _spoken(text)
    found, position, tries = [], text.find("{"), 0
    while position >= 0:
        tries += 1
        if tries > MAX_OBJECTS:
            raise Unusable("The reply has more than {} opening braces.", MAX_OBJECTS)
        value, end = _decoded(text, position)
        found += [value] if value is not None else []
        position = text.find("{", end)
    if not found:
        raise Unusable("The reply contains no complete JSON object.")
    return found


def _spoken(text: str) -> str:
    """A text without the thinking at its beginning."""
    text = text.lstrip("\ufeff")
    if thought := THOUGHT.match(text):
        text = text[thought.end() :]
    if THINKING.match(text):
        raise Unusable("The reply ends inside its reasoning.")
    if not text.strip():
        raise Unusable("The reply is empty.")
    if len(text) > MAX_CHARACTERS:
        raise Unusable(LONGER, MAX_CHARACTERS)
    return text


def _decoded(text: str, position: int) -> tuple[dict[str, Any] | None, int]:
    """Return the object that begins here and its end; else None and the next position to try.

    The inside of a broken object is not read: it may be a quotation from the answer.
    """
    try:
        value, end = _DECODER.raw_decode(text, position)
    except json.JSONDecodeError:
        if _BEGUN.match(text, position):
            raise Unusable("The reply contains an incomplete or invalid JSON object.") from None
        return None, position + 1
    except RecursionError:
        raise Unusable("The JSON is nested too deeply.") from None
    _refuse_controls(text[position:end])
    return value, end


def _whole(text: str) -> dict[str, Any]:
    """The one object that a function's arguments are."""
    if len(text) > MAX_CHARACTERS:
        raise Unusable(LONGER, MAX_CHARACTERS)
    try:
        value = _DECODER.decode(text.strip())
    except json.JSONDecodeError as error:
        raise Unusable("The arguments are not JSON: {}.", syntax_fault(error)) from None
    except RecursionError:
        raise Unusable("The JSON is nested too deeply.") from None
    _refuse_controls(text)
    if not isinstance(value, dict):
        raise Unusable("The arguments are not a JSON object.")
    return value


def _verdict(
    objects: list[dict[str, Any]], name: str, scale: Sequence[int], confidence: bool
) -> Verdict:
    """The verdict on one criterion from every object that grades it."""
    grades = [value[name] for value in objects if name in value and not _is_echo(value[name])]
    if not grades:
        return unparsable("The reply has no grade for {}.", name)
    given = [_grade(grade, name, scale, confidence) for grade in grades]
    if len({(verdict.status, verdict.score) for verdict in given}) > 1:
        return unparsable("The reply gives {} more than one grade.", name)
    return given[-1]


def _grade(grade: Any, name: str, scale: Sequence[int], confidence: bool) -> Verdict:
    """Return the verdict of one grade object, or why it is invalid."""
    if not isinstance(grade, dict) or "score" not in grade:
        return unparsable("{} has no score.", name)
    extra = grade.keys() - {"reason", "score", "confidence" if confidence else "score"}
    if extra:
        return unparsable("{} has the unknown key {}.", name, visible(min(extra)))
    if not isinstance(grade.get("reason"), str):
        return unparsable("{} has no reason.", name)
    score = _score(grade["score"], scale)
    if score is None:
        shown, listed = visible(str(grade["score"]))[:40], ", ".join(map(str, scale))
        return unparsable("{} is scored {}, which is not one of {}.", name, shown, listed)
    stated = _stated(score, grade.get("confidence")) if confidence else None
    lacks = confidence and stated is None
    return Verdict("scored", score, visible(grade["reason"]).strip(), "", stated, lacks)


def _stated(score: int, confidence: Any) -> Distribution | None:
    """The distribution of a score with a confidence in percent; None for what is no percentage.

    Nor is what lies above 0 and not above 1: a share and a percentage look the same there.
    """
    percent = r"\s*[0-9]{1,3}(\.[0-9]{1,9})?\s*%?\s*"
    if isinstance(confidence, str) and re.fullmatch(percent, confidence):
        confidence = Decimal(confidence.strip().removesuffix("%").strip())
    if not isinstance(confidence, Decimal) or not 0 <= confidence <= 100 or 0 < confidence <= 1:
        return None
    return Distribution(STATED, ((score, float(confidence) / 100),))


def _score(value: Any, scale: Sequence[int]) -> int | None:
    """The score of the scale that a value equals; None where it equals none."""
    if isinstance(value, str) and re.fullmatch(r"\s*-?[0-9]{1,9}\s*", value):
        value = Decimal(value.strip())
    return int(value) if isinstance(value, Decimal) and value in scale else None


def _is_echo(grade: Any) -> bool:
    """True where a grade echoes the form in the prompt, whose score says “one of ...”."""
    score = grade.get("score") if isinstance(grade, dict) else None
    return isinstance(score, str) and score.startswith("one of ")


def unparsable(why: str, *values: Any) -> Verdict:
    """A verdict without a score, and why."""
    return Unusable(why, *values).verdict


def _refuse_controls(text: str) -> None:
    if _CONTROL.search(text):
        raise Unusable("The JSON contains raw control characters.")


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON whose keys differ."""
    value = dict(pairs)
    if len(value) < len(pairs):
        raise Unusable("The JSON gives a key twice.")
    return value


def _number(text: str) -> Decimal | None:
    """An exact number, so that 2.9999999999999999999 is no 3; None where it cannot be held."""
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def no_constant(text: str) -> None:
    """Refuse NaN and infinities, which are no JSON."""
    raise Unusable("{} is not JSON.", text)


THOUGHT = re.compile(
    r"\A(?:\s*<(think|thinking|thought|reasoning)>.*?</\1>|\s*\[THINK\].*?\[/THINK\])+",
    re.DOTALL | re.IGNORECASE,
)
THINKING = re.compile(r"\s*(<(think|thinking|thought|reasoning)>|\[THINK\])", re.IGNORECASE)
_BEGUN = re.compile(r"\{\s*[\"']")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")

_DECODER = json.JSONDecoder(
    object_pairs_hook=unique_keys,
    parse_float=_number,
    parse_int=_number,
    parse_constant=no_constant,
    strict=False,
)


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
    steps, start = [], 0
    try:
        for entry in completion["choices"][0]["logprobs"]["content"]:
            found: dict[str, float] = {}  # of each that was listed for a place, and the written one
            for one in (*(entry.get("top_logprobs") or ()), entry):
                # One that is part of a letter has its bytes in marks of loss.
                token, logprob = one["token"], one["logprob"]
                is_number = type(logprob) in (int, float) and logprob <= _TOLERANCE  # NaN is not
                if not (isinstance(token, str) and is_number):
                    return []
                found[token] = min(1.0, math.exp(logprob))
            steps.append(_Step(token, start, found))
            start += len(token)
    except (KeyError, IndexError, TypeError, AttributeError):
        return []
    return steps


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
        if not _longer(typed, scale):
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
    # “1” may go on to be 10, unless the model could have written 10 at once.
    longer = _longer(text, scale)
    is_certain = not longer or any(one.startswith(longer) for one in candidates)
    return int(number.group()) if is_certain else None


def _longer(text: str, scale: Sequence[int]) -> tuple[str, ...]:
    """Return the scores of the scale that go on from a text."""
    return tuple(str(one) for one in scale if str(one).startswith(text) and str(one) != text)


_DECIMALS = 9  # to which ties are compared, as .1 + .4 is half


def score_by(rule: Reading, probabilities: Sequence[float], scale: Sequence[int]) -> int:
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
