"""Own metrics: a TOML file with a prompt, the form of the reply and the aggregation.

The item's texts are never inside the prompt; they follow it between delimiters, so that a text
cannot pass for an instruction.
"""

import importlib.util
import json
from collections import Counter
from collections.abc import Hashable, Mapping
from pathlib import Path
from statistics import fmean, median
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import Field, model_validator

from concord.definitions import Frozen, digest
from concord.judges.prompting.delimiters import tag
from concord.messages import Problem
from concord.metrics.framework.metric import Canary, Example, Metric, Outcome
from concord.metrics.prompts import ask as texts
from concord.metrics.prompts.ask import Ask, Unreadable
from concord.metrics.prompts.inputs import Inputs, Undefined
from concord.model import Item
from concord.rubrics.model import read_text, validated
from concord.text.display import visible

# Prefix of the numbers of votes stored with the value; a verdict without votes is not stored.
VOTES = "votes for "

Shown = Literal["question", "answer", "contexts", "reference", "reference_contexts", "turns"]
# Errors of a mistyped file; any other is a fault of its code, and is shown whole.
_FAULTS = (OSError, SyntaxError, ImportError, NameError, AttributeError, TypeError, ValueError)


class Text(Frozen):
    """A key of the reply that is a text, such as the reason."""

    type: Literal["text"] = "text"
    about: str = ""


class YesNo(Frozen):
    """A key that is true or false; it counts as 1 or 0."""

    type: Literal["yes_no"]
    about: str = ""
    values: ClassVar = {True: 1.0, False: 0.0}


class Score(Frozen):
    """A key that is a whole number from `low` to `high`."""

    type: Literal["score"]
    low: int
    high: int
    about: str = ""

    @property
    def values(self) -> dict[int, float]:
        """The number that each value counts as."""
        return {score: float(score) for score in range(self.low, self.high + 1)}


class Label(Frozen):
    """A key that is one of some words, each counting as a number."""

    type: Literal["label"]
    values: dict[str, float] = Field(min_length=2)
    about: str = ""


Output = Annotated[Text | YesNo | Score | Label, Field(discriminator="type")]


class Form(NamedTuple):
    """How a key of the reply is asked for.

    `schema` is its JSON schema, `sample` a value it can have, `word` its placeholder in the prompt,
    which is no valid reply.
    """

    schema: dict[str, Any]
    sample: Any
    word: str


def _form(key: Output) -> Form:
    if key.type == "text":
        return Form({"type": "string"}, "…", "...")
    if key.type == "yes_no":
        return Form({"type": "boolean"}, True, "true or false")
    values, kind = list(key.values), "integer" if key.type == "score" else "string"
    word = f"one of {', '.join(map(str, values))}"
    return Form({"type": kind, "enum": values}, values[0], word)


def _number(key: Output, value: Any) -> float | None:
    """Return the number that a value of a key counts as; None where it is none of its values."""
    if key.type == "text":
        return 0.0 if isinstance(value, str) else None
    # To Python, true is 1.
    is_one = isinstance(value, Hashable) and isinstance(value, bool) == (key.type == "yes_no")
    return key.values.get(value) if is_one else None


class Own(Frozen):
    """A metric declared in a TOML file; the keys are those of `Metric` and these.

    Attributes:
        shown: The texts of an item that follow the prompt.
        optional: Those of them that an item may lack.
        prompt: Instructions for the model, in the user's words.
        output: The keys of the reply in order; reasons first.
        number: The key of `output` that the metric's value comes from.
        votes: Number of separate replies.
        over_votes: Aggregation of votes; a majority must be more than half.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    title: str
    sentence: str
    formula: str = ""
    source: str = "own definition"
    better: Literal["higher", "lower"] = "higher"
    when_low: str = ""
    others: str = ""
    example: Example | None = None
    canary: tuple[Canary, ...] = ()
    shown: tuple[Shown, ...] = ("question", "answer")
    optional: tuple[Shown, ...] = ("answer", "turns")
    prompt: str = Field(pattern=r"\S")
    output: dict[str, Output] = Field(min_length=1)
    number: str
    votes: int = Field(default=1, ge=1, le=15)
    over_votes: Literal["mean", "median", "majority"] = "mean"

    @model_validator(mode="after")
    def _is_coherent(self):
        asked = self.output.get(self.number)
        if asked is None or asked.type == "text" or len(asked.values) < 2:
            raise ValueError("number: name a key of output with two values or more")
        if self.over_votes == "majority" and self.votes % 2 == 0:
            raise ValueError("votes: a majority needs an odd number")
        low, *_, high = sorted(asked.values.values())
        for one in self.canary:
            least, most = one.right or (low, high)
            is_one = sum(map(bool, (one.right, one.none, one.worse))) == 1
            if not (is_one and low <= least <= most <= high):
                raise ValueError(
                    f"{one.name}: give one of right (in {low:g} to {high:g}), none and worse"
                )
        return self

    def metric(self) -> Metric:
        """The metric that this file declares."""
        formula = self.formula or f"{self.number}, as the model says"
        if self.votes > 1:
            formula += f"; {self.over_votes} of {self.votes} votes"
        numbers = self.output[self.number].values.values()
        return Metric(
            **{key: value for key, value in self if key in Metric._fields and key != "formula"},
            formula=formula,
            needs=tuple(part for part in self.shown if part not in self.optional),
            metric=self._of,
            low=min(numbers),
            high=max(numbers),
            canaries=self.canary,
        )

    async def _of(self, item: Item, by: Inputs) -> Outcome:
        """Ask for every vote, and make the value of them."""
        asks = [self.ask(item, vote) for vote in range(1, self.votes + 1)]
        replies = [await by.ask(ask) for ask in asks]
        numbers = [_number(self.output[self.number], reply[self.number]) for reply in replies]
        split = Counter(numbers)
        value = median(numbers) if self.over_votes == "median" else fmean(numbers)
        if self.over_votes == "majority":
            value, most = split.most_common(1)[0]
            if 2 * most <= self.votes:
                raise Undefined("unparsable", "No majority among {n} votes.", n=self.votes)
        said = [key for key, one in self.output.items() if one.type == "text"]
        nearest = min(range(self.votes), key=lambda vote: abs(numbers[vote] - value))
        return Outcome(
            value,
            reason=visible(str(replies[nearest][said[0]])).strip() if said else "",
            parts={f"{VOTES}{number:g}": float(n) for number, n in sorted(split.items())}
            if self.votes > 1
            else {},
            units=self.votes,
        )

    def ask(self, item: Item, vote: int = 1) -> Ask:
        """The request for one vote; it is read as the reply object, checked key by key."""
        shown = texts.all_of(self.shown, item)
        code = tag(*(text for _, text in shown))
        forms = {key: _form(one) for key, one in self.output.items()}
        skeleton = {key: form.word for key, form in forms.items()}
        return Ask(
            name=self.name,
            system=texts.system_message(f"{self.prompt.strip()}\n\n$material", skeleton),
            user=texts.user_message(code, *texts.fenced(shown, code)),
            form={
                key: forms[key].schema | {"description": one.about}
                for key, one in self.output.items()
            },
            sample={key: form.sample for key, form in forms.items()},
            read=self._read,
            vote=vote,
        )

    def _read(self, reply: Mapping[str, Any]) -> Mapping[str, Any]:
        for key, one in self.output.items():
            if _number(one, reply.get(key)) is None:
                given = visible(json.dumps(reply.get(key), default=str))[:40]
                raise Unreadable(f"{key} is {given}, not of type {one.type}.")
        return reply


def load(path: Path) -> Metric:
    """The metric of a TOML file; a Problem that names file, key and fault."""
    return validated(Own, read_text(path), str(path)).metric()


def load_code(path: Path) -> Metric:
    """Return the metric that a Python file declares as METRIC; a Problem without one."""
    spec = importlib.util.spec_from_file_location(f"own_metric_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    try:
        code = digest(path.read_text(encoding="utf-8"))
        spec.loader.exec_module(module)
    except _FAULTS as error:
        raise Problem("{path}: {error}", path=path, error=repr(error)) from None
    metric = getattr(module, "METRIC", None)
    if not isinstance(metric, Metric):
        raise Problem("{path} declares no METRIC = Metric(...).", path=path)
    return metric._replace(code=code)


LOADERS = {".toml": load, ".py": load_code}
