"""Judge: an LLM (or the embedded baseline) with its prompt and settings, read from a TOML file.

A setting that is left out is not sent. What makes two judges the same is their fingerprint, see
`request.fingerprint`; the file's `name` is only what annotators call it.
"""

import datetime
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from string import Template
from typing import Any, Literal, NamedTuple, get_args

from pydantic import Field, PrivateAttr, ValidationError, model_validator

from concord.definitions import Frozen, canonical_json
from concord.judges.definition import combined
from concord.judges.definition.endpoint import Embedding, Endpoint, StatedPrice
from concord.messages import Problem, fault_message, joined, on_command_line, said
from concord.model import Item
from concord.resources import JUDGES
from concord.rubrics.model import read_text, validated

FOLDER = JUDGES
RECIPES = ("zero_shot", "few_shot", "holistic")
PLACEHOLDERS = ("turns", "question", "contexts", "answer", "reference", "rubric", "examples")
SETTINGS = (
    "temperature",
    "top_p",
    "frequency_penalty",
    "presence_penalty",
    "seed",
    "reasoning_effort",
    "verbosity",
)
RESERVED = {"model", "messages", "stream", "n", "tools", "tool_choice", "response_format"}
RESERVED |= {"max_tokens", "max_completion_tokens", "input", "state", "questions", *SETTINGS}
Output = Literal["json_schema", "tool", "json_object", "text"]
OUTPUTS: tuple[Output, ...] = get_args(Output)
# The function that a judge with `output = "tool"` calls.
FUNCTION = "grading_function"


# Wire format of a decision model's server, and the rule from a distribution to a score.
Dialect = Literal["openai", "systemone"]
Reading = Literal["rounded_mean", "argmax", "median"]
READINGS: tuple[Reading, ...] = get_args(Reading)


class Larger(Frozen):
    """The sibling model that is asked when a prompt does not fit the model itself."""

    model: str = Field(min_length=1)
    context_tokens: int | None = Field(default=None, gt=0)


class Examples(Frozen):
    """Source of the examples of a few-shot prompt.

    `rubric`: the rubric's own, at most `per_score` for each criterion and score. `graded`: items of
    the sheet whose question is in the few-shot pool (split `examples`), with the grades of
    `grader`, at most `per_score` for each score of the heaviest criterion.
    """

    source: Literal["rubric", "graded"] = "rubric"
    grader: str | None = None
    per_score: int = Field(default=1, gt=0)


class Shot(NamedTuple):
    """A graded item as an example: `scores` and `reasons` by criterion name.

    `id` is the stored item, which the run records.
    """

    id: int | str
    item: Item
    scores: Mapping[str, int]
    reasons: Mapping[str, str]


class Judge(Frozen):
    """A judge: model, endpoint, prompt and settings; the keys are those of a judge file.

    `price` is 0 where everything at the endpoint is free, or what `model` costs there. `logprobs`
    asks for the log-probabilities of the reply's tokens, `confidence` for a number after each
    score; either gives a distribution. `reading` is as the file gives it; `reading_rule` has the
    default. `members`, `rule` and `fit`
    are those of a combined judge.
    """

    name: str = Field(pattern=r"^[^\s@]+$")
    about: str = ""
    kind: Literal["rubric", "holistic", "baseline", "metric", "decision", "combined"] = "rubric"
    dialect: Dialect | None = None
    model: str | None = Field(default=None, min_length=1)
    retired: datetime.date | None = None
    rubric: str | None = None
    reading: Reading | None = None
    members: tuple[str, ...] | None = None
    rule: combined.Rule | None = None
    fit: combined.Fit | None = None
    prompt: str = "zero_shot"
    examples: Examples | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, ge=0, le=1)
    frequency_penalty: float | None = Field(default=None, ge=-2, le=2)
    presence_penalty: float | None = Field(default=None, ge=-2, le=2)
    seed: int | None = None
    max_tokens: int | None = Field(default=None, gt=0)
    reasoning_effort: str | None = Field(default=None, min_length=1)
    verbosity: str | None = Field(default=None, min_length=1)
    calls: Literal["joint", "separate"] = "joint"
    output: Output = "json_schema"
    logprobs: bool = False
    confidence: Literal["stated"] | None = None
    context_tokens: int | None = Field(default=None, gt=0)
    larger: Larger | None = None
    price: StatedPrice = None
    extra_headers: dict[str, str] = Field(default_factory=dict)
    extra_body: dict[str, Any] = Field(default_factory=dict)
    metrics: tuple[str, ...] | None = Field(default=None, min_length=1)
    switches: dict[str, dict[str, str]] = Field(default_factory=dict)
    embedding: Embedding | None = None
    endpoint: Endpoint = Endpoint()

    _source: str = PrivateAttr(default="")
    _text: str = PrivateAttr(default="")
    _ships: bool = PrivateAttr(default=False)
    _given: frozenset[str] = PrivateAttr(default=frozenset())

    @model_validator(mode="after")
    def _is_coherent(self):
        faults = *_kind_faults(self), *_prompt_faults(self), *_extra_faults(self)
        for fault in faults:
            raise ValueError(fault)
        return self

    def recipe(self) -> str:
        """`zero_shot`, `few_shot`, `holistic`, or `own` for a prompt text of the user's own.

        `decision` for a decision model, which is asked questions.
        """
        if self.kind == "decision":
            return self.kind
        return self.prompt if self.prompt in RECIPES else "own"

    def example_plan(self) -> Examples | None:
        """Return the source of the prompt's examples; None for a prompt without examples."""
        if self.examples is not None:
            return self.examples
        own = self.recipe() == "own" and "examples" in Template(self.prompt).get_identifiers()
        return Examples() if own or self.recipe() == "few_shot" else None

    def reading_rule(self) -> Reading | None:
        """Return the rule from a distribution to a score; None where the model writes the score."""
        return self.reading or (READINGS[0] if self.kind == "decision" else None)

    def is_read(self) -> bool:
        """True where each reply has a probability for every score, so that a rule can read it."""
        return self.kind == "decision" or self.logprobs

    def is_computed(self) -> bool:
        """True for metrics that ask no chat model: there is no reply, nor an output of one."""
        return self.kind == "metric" and self.model is None

    def settings(self) -> dict[str, Any]:
        """The request settings that the file gives, under the names they are sent by."""
        given = {key: getattr(self, key) for key in SETTINGS}
        given[self.endpoint.max_tokens_field] = self.max_tokens
        return {key: value for key, value in given.items() if value is not None}

    def url(self) -> str:
        """The endpoint's URL, without credentials and without a closing slash."""
        return self.endpoint.url()

    def is_local(self) -> bool:
        """True where the judge's address is on this machine, where a key is rarely needed.

        It may still cost money, as a gateway to a paid model.
        """
        return self.model is None or self.endpoint.is_local()

    def with_overrides(self, model: str | None = None, base_url: str | None = None) -> "Judge":
        """The same judge with another model or endpoint: a new judge, under the same name.

        Another model drops what was said of the old one: `retired`, `larger`, `context_tokens` and
        its price, another endpoint also that it is free.
        """
        changed = self.model_dump(exclude_defaults=True)
        if model is not None:
            gone = _OF_THE_MODEL if self.price == 0 else _OF_THE_MODEL | {"price"}
            changed = {k: v for k, v in changed.items() if k not in gone}
            changed["model"] = model
        if base_url is not None:
            if base_url.rstrip("/") != self.url():
                changed.pop("price", None)
            endpoint = {k: v for k, v in changed.get("endpoint", {}).items() if k not in _AZURE}
            changed["endpoint"] = {**endpoint, "base_url": base_url}
        judge = self._rebuilt(changed)
        given = {"model": model != self.model and model, "base_url": base_url}
        judge._given = self._given | {key for key, value in given.items() if value}
        return judge

    def changed(self, values: Mapping[str, Any]) -> "Judge":
        """Return the judge with other values of its keys; None takes a key out.

        Raises:
            Problem: It would be no valid judge.
        """
        changed = self.model_dump(exclude_defaults=True) | values
        return self._rebuilt({key: value for key, value in changed.items() if value is not None})

    def retirement(self, today: datetime.date) -> str | None:
        """A sentence of warning where the model is or will be retired; None otherwise."""
        if self.retired is None:
            return None
        if self.retired <= today:
            return said(
                "The model {model} was retired by its maker on {day}. Azure and compatible servers "
                "may still serve it; grades already stored remain valid.",
                model=self.model,
                day=self.retired,
            )
        return said(
            "The model {model} will be retired by its maker on {day}. Azure and compatible servers "
            "may still serve it; grades already stored remain valid.",
            model=self.model,
            day=self.retired,
        )

    def is_preset(self) -> bool:
        """True where the judge was read from a shipped file, to be copied before changes."""
        return self._ships

    def place(self, key: str) -> str:
        """Return where to change `key`: line and file if the judge came from one.

        A value set by `with_overrides` is located at its field and its command-line option. A
        shipped file has to be copied first.
        """
        if key in self._given:
            option = on_command_line(f"`--{key.replace('_', '-')}`")
            return said("“{name}”{on_command_line}", name=_FIELDS[key], on_command_line=option)
        source = self._source or said("the definition of judge {name}", name=self.name)
        if self._ships:
            source = said("a copy of {file}", file=source)
        for number, line in enumerate(self._text.splitlines(), 1):
            if re.match(rf"\s*{re.escape(key)}\s*=", line):
                return said(
                    "line {n} of {source} (`{line}`)", n=number, source=source, line=line.strip()
                )
        return said("the key `{key}` in {source}", key=key, source=source)

    def body(self) -> str:
        """The judge as canonical JSON, as it is stored; `from_body` reads it back."""
        return canonical_json(self.model_dump(mode="json", exclude_defaults=True))

    def _rebuilt(self, definition: dict[str, Any]) -> "Judge":
        """A judge from a changed definition that remembers the file it came from."""
        try:
            judge = Judge.model_validate(definition)
        except ValidationError as error:
            faults = joined("; ", map(fault_message, error.errors()))
            raise Problem(
                "Judge {name} cannot be changed like this: {faults}.", name=self.name, faults=faults
            ) from None
        judge._source, judge._text, judge._ships = self._source, self._text, self._ships
        return judge


def from_body(body: str) -> Judge:
    """Read a judge back from what `Judge.body` gave."""
    return Judge.model_validate_json(body)


def load(path: str | Path) -> Judge:
    """Read a judge file; a Problem that names the file, the key and what is wrong with it."""
    return parse(read_text(path), str(path))


def parse(text: str, source: str) -> Judge:
    """Read a judge from TOML text; `source` names it in a Problem."""
    judge = validated(Judge, text, source)
    judge._source, judge._text = source, text
    return judge


def presets() -> dict[str, Judge]:
    """Return every shipped judge by name, in file name order."""
    paths = sorted(FOLDER.glob("*.toml"))
    judges = [_shipped(read_text(path), f"{FOLDER.name}/{path.name}") for path in paths]
    return {judge.name: judge for judge in judges}


@lru_cache(maxsize=256)
def _shipped(text: str, source: str) -> Judge:
    # Judges are immutable, and a screen asks for the presets many times.
    judge = parse(text, source)
    judge._ships = True
    return judge


_OF_THE_MODEL = {"model", "retired", "larger", "context_tokens"}
# Fields of the screen that override the file.
_FIELDS = {"model": said("Model"), "base_url": said("Base URL")}
_AZURE = {"azure_endpoint", "api_version"}
_OF_METRICS = ("metrics", "switches", "embedding")
# A decision model is sent the rubric as questions and writes no text.
_NO_DECISION = (*SETTINGS, "max_tokens", "output", "prompt", "examples", "logprobs", "confidence")
_NO_DECISION_ENDPOINT = ("azure_endpoint", "api_version", "max_tokens_field", "system_role")


def _kind_faults(judge: Judge) -> list[str]:
    """Return violations of what the kind of a judge requires or forbids."""
    if judge.name.endswith(".toml"):
        return [said("name: a name that ends in .toml would be read as a path")]
    given = [key for key in combined.KEYS if getattr(judge, key) is not None]
    if given and judge.kind != "combined":
        return [
            said("{key}: only a combined judge has it (kind = combined)", key=key) for key in given
        ]
    if judge.kind == "baseline":
        unused = ("model", *SETTINGS, "max_tokens", "larger", "examples", "logprobs", "confidence")
        unused += ("reading",)
        given = [key for key in unused if getattr(judge, key) not in (None, False)]
        faults = [said("{key}: the baseline sends no request; remove it", key=key) for key in given]
        return faults + ([] if judge.rubric else [said("rubric: name the rubric it grades by")])
    if judge.kind == "combined":
        return combined.faults(judge)
    faults = (
        [] if judge.model or judge.kind == "metric" else [said("model: name the model to call")]
    )
    if judge.kind != "metric":
        given = [key for key in _OF_METRICS if getattr(judge, key)]
        faults += [
            said("{key}: only a metric judge has it (kind = metric)", key=key) for key in given
        ]
    if judge.kind in ("rubric", "holistic", "decision") and not judge.rubric:
        faults.append(said("rubric: name the rubric the judge grades by"))
    if judge.kind == "metric":
        own = {"rubric": None, "prompt": RECIPES[0], "examples": None, "calls": "joint"}
        own |= {"logprobs": False, "confidence": None, "reading": None}
        given = [key for key, none in own.items() if getattr(judge, key) != none]
        faults += [said("{key}: a metric judge has none; remove it", key=key) for key in given]
    if judge.logprobs and judge.confidence:
        faults.append(said("logprobs, confidence: a grade has one distribution; remove one"))
    if judge.kind == "holistic" and judge.recipe() not in ("holistic", "own"):
        faults.append(said('prompt: a holistic judge takes "holistic" or a text of your own'))
    if judge.kind in ("rubric", "holistic"):
        faults += _reading_faults(judge)
    return faults + _decision_faults(judge)


def _reading_faults(judge: Judge) -> list[str]:
    """Return why there is nothing to read in a chat judge's replies; empty where there is."""
    if judge.reading is None or judge.is_read():
        return []
    if judge.confidence:
        return [
            said(
                "reading: a stated confidence is the probability of one score, which every rule "
                "reads as that score; use logprobs = true instead"
            )
        ]
    return [
        said(
            "reading: only a judge that returns probabilities has it; set logprobs = true, or "
            "remove it"
        )
    ]


def _decision_faults(judge: Judge) -> list[str]:
    """Return what a decision model lacks or does not take, and what only a decision model takes."""
    if judge.kind != "decision":
        only = said("{key}: only a decision model has it (kind = decision)", key="dialect")
        return [] if judge.dialect is None else [only]
    faults = []
    if judge.dialect is None:
        faults.append(said('dialect: name the wire format of the server, "openai" or "systemone"'))
    given = [key for key in _NO_DECISION if key in judge.model_fields_set]
    given += [key for key in _NO_DECISION_ENDPOINT if key in judge.endpoint.model_fields_set]
    faults += [said("{key}: a decision model takes none; remove it", key=key) for key in given]
    return faults


def _prompt_faults(judge: Judge) -> list[str]:
    """Return what is wrong with the prompt's placeholders or the examples."""
    if judge.recipe() != "own":
        if judge.examples is not None and judge.prompt != "few_shot":
            return [
                said("examples: the prompt {prompt} shows none; use few_shot", prompt=judge.prompt)
            ]
        return []
    template = Template(judge.prompt)
    if "$" not in judge.prompt or not template.is_valid():
        return [
            said(
                "prompt: give one of {recipes}, or a text with {names}; a dollar sign itself is "
                "written $$",
                recipes=joined(", ", RECIPES),
                names=joined(", ", ("$" + name for name in PLACEHOLDERS)),
            )
        ]
    used = set(template.get_identifiers())
    unknown = sorted(used - {*PLACEHOLDERS})
    missing = [name for name in ("answer", "rubric") if name not in used]
    faults = [said("prompt: there is no placeholder ${name}", name=name) for name in unknown]
    faults += [said("prompt: ${name} is missing", name=name) for name in missing]
    if judge.examples is not None and "examples" not in used:
        faults.append(said("prompt: $examples is missing, but [examples] is set"))
    return faults


def _extra_faults(judge: Judge) -> list[str]:
    """Extra keys must neither hide a setting that has a key of its own nor hold a credential."""
    faults = [
        said("extra_body.{key}: this is set by the judge's own keys; remove it", key=key)
        for key in sorted(RESERVED & judge.extra_body.keys())
    ]
    secret = re.compile(r"authorization|api-?key|token|secret|cookie", re.IGNORECASE)
    faults += [
        said(
            "extra_headers.{key}: a judge file holds no credentials; name an environment variable "
            "in api_key_env and choose `auth` under [endpoint]",
            key=key,
        )
        for key in judge.extra_headers
        if secret.search(key)
    ]
    return faults
