"""Decision models, which are asked questions and give a probability for each level of a scale.

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
"""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import Field

from concord.definitions import Constant
from concord.judges.definition.model import READINGS, WRITING, Judge, Reading, Shot
from concord.judges.prompting.prompt import material
from concord.judges.prompting.reply import (
    LONGER,
    Unusable,
    Verdict,
    no_constant,
    score_by,
    unique_keys,
    unparsable,
)
from concord.messages import Problem
from concord.model import NATIVE, Distribution, Item, is_rounding
from concord.rubrics.model import Rubric
from concord.text.display import visible

# 400 questions with 10 levels take about 250,000 characters.
MAX_DECISION_CHARACTERS = 2_000_000
NO_LEVEL = "{} is not a level of the scale, each given once."
ROUNDING = 1e-6  # how far a probability may be above 1
_VERSION = re.compile(r"v[0-9]+[a-z0-9]*", re.IGNORECASE)


class Decision(Judge, kind="decision"):
    """A decision model: it writes no text, and its score is read from the probabilities."""

    dialect: Literal["openai", "systemone"] | None = Field(None, title="Wire format")

    unused = frozenset(
        {*WRITING, "output", "prompt", "azure_endpoint", "api_version", "max_tokens_field"}
        | {"system_role"}
    )
    required = ("model", "rubric", "dialect")
    written = ("calls",)
    chats = batches = False

    def reading_rule(self) -> Reading:
        """Return the rule from a distribution to a score."""
        return self.reading or READINGS[0]

    def is_read(self) -> bool:
        """True: each reply has a probability for every score."""
        return True

    def room(self, criteria: int) -> int:
        """Return that no room is needed for a reply."""
        return 0

    def reply_tokens(self, criteria: int) -> tuple[int, int]:
        """Return about how many tokens the reply on so many criteria takes."""
        return 0, criteria

    def requester(
        self, rubric: Rubric, part: str, shots: Sequence[Shot]
    ) -> Callable[[Item], dict[str, Any]]:
        """Return the body of a request as a function of the item; the constant is built once.

        Raises:
            Problem: The rubric has more criteria or levels than the server takes.
        """
        criteria = self.parts(rubric)[part]
        most, most_levels = DECISION_LIMITS[self.dialect]
        for what, n, limit in (
            ("scores", len(rubric.scale), most_levels),
            ("criteria in one request", len(criteria), most),
        ):
            if limit is not None and n > limit:
                raise Problem(
                    "Rubric {rubric} has {n} {what}, but judge {judge} takes at most {most}. Name "
                    'a smaller rubric, or set calls to "separate" for too many criteria.',
                    rubric=rubric.name,
                    n=n,
                    what=what,
                    judge=self.name,
                    most=limit,
                )
        questions = {}
        for criterion in criteria:
            name = {"name": criterion.name} if self.dialect == "openai" else {}
            asked = {"type": "score", **name, "instructions": criterion.question.strip()}
            meanings = {str(level.score): level.meaning.strip() for level in criterion.levels}
            if self.dialect == "openai":
                levels = [{"label": label, "description": text} for label, text in meanings.items()]
                asked["levels"] = levels
            else:
                asked["criteria"] = [*meanings.values()]
            questions[criterion.name] = asked
        fixed = {
            "questions": [*map(Constant, questions.values())]
            if self.dialect == "openai"
            else Constant(questions),
            **self.extra_body,
        }
        key = _KEY_OF_TEXTS[self.dialect]
        return lambda item: {"model": self.model, key: material(rubric, item), **fixed}

    def read(
        self, completion: Any, criteria: Sequence[str], scale: Sequence[int]
    ) -> dict[str, Verdict]:
        """One verdict per criterion from a reply as it was received."""
        return verdicts(self, completion, criteria, scale)

    def address(self, path: str = "", model: str | None = None) -> str:
        """Return the address that its requests are posted to.

        It is whole. A URL of System One may end in its version or not.
        """
        url = self.url()
        last = urlsplit(url).path.rpartition("/")[2]
        if last in ("decisions", "systemone"):  # the URL is the address itself
            return url
        if self.dialect == "openai":
            return f"{url}/decisions"
        return f"{url}/systemone" if _VERSION.fullmatch(last) else f"{url}/v1/systemone"


# The most questions and levels that a server takes; None where no limit is documented.
DECISION_LIMITS = {"openai": (400, None), "systemone": (64, 10)}
_KEY_OF_TEXTS = {"openai": "input", "systemone": "state"}


def verdicts(
    judge: Judge, reply: Any, names: Sequence[str], scale: Sequence[int]
) -> dict[str, Verdict]:
    """One verdict per criterion from a decision model's reply; never raises.

    `reply` is the text as it was received, or decoded from it, which hides a key given twice;
    `names` are the criteria that the request asked about, in its order.
    """
    try:
        reply = _decoded_decision(reply) if isinstance(reply, str) else reply
        answers = _by_name(reply, judge, names)
    except Unusable as unusable:
        return dict.fromkeys(names, unusable.verdict)
    told = reply.get("diagnostics")
    return {name: _decision_verdict(answers, told, name, judge, scale) for name in names}


def _by_name(reply: Any, judge: Judge, names: Sequence[str]) -> dict[str, Any]:
    """The answers of a reply by the name of their question."""
    if not isinstance(reply, dict):
        raise Unusable("The reply is not a JSON object.")
    if reply.get("error") is not None:
        raise Unusable("The reply reports an error: {}.", _short(reply["error"]))
    answers, wanted = reply.get("answers"), list if judge.dialect == "openai" else dict
    if not isinstance(answers, wanted) or not answers:
        raise Unusable("The reply contains no answers.")
    return answers if wanted is dict else _in_order(answers, names)


def _in_order(answers: list[Any], names: Sequence[str]) -> dict[str, Any]:
    """Answers of a list by name, where they follow the order of the questions."""
    given = [one.get("name") if isinstance(one, dict) else None for one in answers]
    left = iter(names)
    for name in given:
        # Each is looked for behind the one before it, so that a second or earlier one is not found.
        if not isinstance(name, str) or name not in left:
            told, asked = (_short(", ".join(map(str, one))) for one in (given, names))
            raise Unusable("The answers are not in the order asked: {} instead of {}.", told, asked)
    return dict(zip(given, answers, strict=True))


def _decision_verdict(
    answers: Mapping[str, Any], diagnostics: Any, name: str, judge: Judge, scale: Sequence[int]
) -> Verdict:
    """The verdict on one criterion."""
    answer = answers.get(name)
    if answer is None:
        return unparsable("The reply has no answer for {}.", name)
    kind = answer.get("type") if isinstance(answer, dict) else None
    if kind == "refusal":
        return Verdict("refused", why="The model refused the question.")
    if kind != "score":
        return unparsable("The answer for {} is not a score.", name)
    try:
        found = _levels(answer.get("probabilities"), scale, judge.dialect)
        outside = _outside(diagnostics, name)
    except Unusable as error:
        return unparsable(f"{name}: {error}")
    pairs = tuple(zip(map(float, scale), found, strict=True))
    distribution = Distribution(NATIVE, pairs, outside)
    return Verdict(
        "scored", score_by(judge.reading_rule(), found, scale), distribution=distribution
    )


def _levels(given: Any, scale: Sequence[int], dialect: str) -> list[float]:
    """The probability of each score of the scale, as returned."""
    is_listed = dialect == "openai"
    if not isinstance(given, list if is_listed else dict):
        raise Unusable("There are no probabilities.")
    # Compared as text: "01" and " 1" are no keys of the format.
    keys = {str(level): level for level in range(len(scale))}
    known: dict[int, Any] = {}
    for one in given:
        if not is_listed:
            level, probability = keys.get(one), given[one]
        elif isinstance(one, dict):
            level, probability = one.get("value"), one.get("probability")
            # The label was sent with the level: another one belongs to another scale.
            is_level = type(level) is int and 0 <= level < len(scale)
            level = level if is_level and one.get("label") == str(scale[level]) else None
        else:
            level = None
        if level is None or level in known:
            raise Unusable(NO_LEVEL, _short(one))
        known[level] = probability
    missing = [level for level in range(len(scale)) if level not in known]
    if missing:
        raise Unusable("The level {} has no probability.", missing[0])
    found = [_probability(known[level]) for level in range(len(scale))]
    total = math.fsum(found)
    if not is_rounding(total - 1, len(scale)):
        raise Unusable("The probabilities add up to {:.3f}.", total)
    return found


def _probability(value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value <= 1 + ROUNDING:  # NaN is not either
        raise Unusable("{} is not a probability.", _short(value))
    return float(value)


def _outside(diagnostics: Any, name: str) -> float | None:
    """The probability of everything that is no label; None where the server does not say."""
    told = diagnostics.get(name) if isinstance(diagnostics, dict) else None
    mass = told.get("label_mass") if isinstance(told, dict) else None
    return None if mass is None else max(0.0, 1 - _probability(mass))


def _decoded_decision(raw: str) -> Any:
    if len(raw) > MAX_DECISION_CHARACTERS:
        raise Unusable(LONGER, MAX_DECISION_CHARACTERS)
    try:
        return _DECISION_DECODER.decode(raw)
    except Unusable:
        raise
    except (ValueError, RecursionError):  # also a number of thousands of digits
        raise Unusable("The reply is not JSON.") from None


def _short(value: Any) -> str:
    """A value as it is quoted, on one line and of at most 100 characters."""
    text = " ".join(visible(value if isinstance(value, str) else json.dumps(value)).split())
    return text if len(text) <= 100 else f"{text[:99]}…"


_DECISION_DECODER = json.JSONDecoder(object_pairs_hook=unique_keys, parse_constant=no_constant)
