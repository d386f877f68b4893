"""Judge: an LLM (or the embedded baseline) with its prompt and settings, read from a TOML file.

A setting that is left out is not sent. What makes two judges the same is their fingerprint, see
`request.fingerprint`; the file's `name` is only what annotators call it.
"""

import datetime
import importlib
import json
import pkgutil
import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from string import Template
from typing import Any, ClassVar, Literal, NamedTuple, get_args

from pydantic import Field, PrivateAttr, ValidationError, model_validator

from concord.definitions import Frozen, canonical_json
from concord.judges.definition.endpoint import Endpoint, StatedPrice
from concord.messages import Problem, fault_message, joined, on_command_line, said
from concord.model import Item
from concord.resources import JUDGES
from concord.rubrics.model import Criterion, Rubric, read_text, validated
from concord.rubrics.rubric_toml import quoted

FOLDER = JUDGES
# Room kept free for the reply where the judge file sets no max_tokens.
REPLY_TOKENS_PER_CRITERION = 150
CHAT = "/chat/completions"
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
# Keys of a judge that writes a text.
WRITING = {*SETTINGS, "max_tokens", "examples", "logprobs", "confidence"}
Output = Literal["json_schema", "tool", "json_object", "text"]
OUTPUTS: tuple[Output, ...] = get_args(Output)
# The function that a judge with `output = "tool"` calls.
FUNCTION = "grading_function"


# The rule from a distribution to a score.
Reading = Literal["rounded_mean", "argmax", "median"]
READINGS: tuple[Reading, ...] = get_args(Reading)


class Larger(Frozen):
    """The sibling model that is asked when a prompt does not fit the model itself."""

    model: str = Field(min_length=1)
    context_tokens: int | None = Field(default=None, gt=0)


# How a form groups the fields of a model; one without a title is for the file alone.
SETTINGS_GROUP = {"group": "Settings"}


def setting(default: Any, title: str, **limits: Any) -> Any:
    """Return the field of a setting of requests."""
    return Field(default, title=title, json_schema_extra=SETTINGS_GROUP, **limits)


class Examples(Frozen):
    """Source of the examples of a few-shot prompt.

    `rubric`: the rubric's own, at most `per_score` for each criterion and score. `graded`: items of
    the sheet whose question is in the few-shot pool (split `examples`), with the grades of
    `grader`, at most `per_score` for each score of the heaviest criterion; or those of the content
    hashes in `chosen`.
    """

    source: Literal["rubric", "graded"] = Field("rubric", title="Examples from")
    grader: str | None = Field(None, title="Annotator")
    per_score: int = Field(1, title="Examples per score", gt=0)
    chosen: tuple[str, ...] = ()


class Shot(NamedTuple):
    """A graded item as an example: `scores` and `reasons` by criterion name.

    `id` is the stored item, which the run records.
    """

    id: int | str
    item: Item
    scores: Mapping[str, int]
    reasons: Mapping[str, str]


KINDS: dict[str, type["Judge"]] = {}


@cache
def kinds() -> dict[str, type["Judge"]]:
    """Every kind of judge, a class in a module of `concord.judges.kinds`, by its name in files."""
    folder = Path(__file__).parent.parent / "kinds"
    for module in pkgutil.iter_modules([str(folder)]):
        importlib.import_module(f"concord.judges.kinds.{module.name}")
    return KINDS


class Judge(Frozen):
    """A judge: model, endpoint, prompt and settings; the keys are those of a judge file.

    Its class is that of its kind (`concord.judges.kinds`), which declares the keys that only it
    has, those of these that it has not, its request and the reading of a reply. Nothing else asks
    for the name of a kind.

    `price` is 0 where everything at the endpoint is free, or what `model` costs there. `logprobs`
    asks for the log-probabilities of the reply's tokens, `confidence` for a number after each
    score; either gives a distribution. `reading` is as the file gives it; `reading_rule` has the
    default. `edited_from` are the names of the judges that an edited copy comes from, the first
    version first.

    Attributes:
        unused: Keys of a judge, or of its endpoint, that the kind has not.
        required: Keys that its file must have.
        written: Keys that its file always says.
        asks_rubric: Whether it is sent requests about the answers of a sheet, by a rubric.
        chats: Whether its model is a chat model, which writes a text.
        batches: Whether its requests can be handed over as a batch.
        of_metrics: Whether it finds values of metrics instead of grades by a rubric.
        computed: The module that computes its grades without requests; '' for none.
        trained: Whether it is the embedded model, of which there is one and which has no copy.
    """

    unused: ClassVar[frozenset[str]] = frozenset()
    required: ClassVar[tuple[str, ...]] = ("model", "rubric")
    written: ClassVar[tuple[str, ...]] = ("prompt", "calls", "output")
    asks_rubric: ClassVar[bool] = True
    chats: ClassVar[bool] = True
    batches: ClassVar[bool] = True
    of_metrics: ClassVar[bool] = False
    computed: ClassVar[str] = ""
    trained: ClassVar[bool] = False

    name: str = Field(pattern=r"^[^\s@]+$", title="Name")
    about: str = Field("", title="About")
    edited_from: tuple[str, ...] = ()
    kind: str = "rubric"
    model: str | None = Field(None, title="Model", min_length=1)
    retired: datetime.date | None = None
    rubric: str | None = Field(None, title="Rubric")
    price: StatedPrice = Field(None, title="Price")
    prompt: str = Field("zero_shot", title="Prompt")
    examples: Examples | None = Field(None, title="Examples")
    reading: Reading | None = setting(None, "Reading rule")
    temperature: float | None = setting(None, "Temperature", ge=0, le=2)
    top_p: float | None = setting(None, "Top p", ge=0, le=1)
    frequency_penalty: float | None = setting(None, "Frequency penalty", ge=-2, le=2)
    presence_penalty: float | None = setting(None, "Presence penalty", ge=-2, le=2)
    seed: int | None = setting(None, "Seed")
    max_tokens: int | None = setting(None, "Longest reply, tokens", gt=0)
    reasoning_effort: str | None = setting(None, "Reasoning effort", min_length=1)
    verbosity: str | None = setting(None, "Verbosity", min_length=1)
    calls: Literal["joint", "separate"] = setting("joint", "Requests")
    output: Output = setting("json_schema", "Output")
    logprobs: bool = setting(False, "Log-probabilities")
    confidence: Literal["stated"] | None = setting(None, "Confidence")
    context_tokens: int | None = setting(None, "Context, tokens", gt=0)
    larger: Larger | None = None
    extra_headers: dict[str, str] = Field(default_factory=dict)
    extra_body: dict[str, Any] = Field(
        default_factory=dict, title="Extra keys", json_schema_extra=SETTINGS_GROUP
    )
    endpoint: Endpoint = Field(Endpoint(), title="Endpoint")

    _source: str = PrivateAttr(default="")
    _text: str = PrivateAttr(default="")
    _ships: bool = PrivateAttr(default=False)
    _given: frozenset[str] = PrivateAttr(default=frozenset())

    def __init_subclass__(cls, kind: str = "", **more: Any) -> None:
        super().__init_subclass__(**more)
        if kind:
            KINDS[kind] = cls

    @classmethod
    def model_validate(cls, obj: Any, **how: Any) -> "Judge":
        """Validate a definition as one of its kind."""
        kind = obj.get("kind", "rubric") if cls is Judge and isinstance(obj, Mapping) else None
        of_kind = kinds().get(kind) if isinstance(kind, str) else None
        return of_kind.model_validate(obj, **how) if of_kind else super().model_validate(obj, **how)

    @model_validator(mode="after")
    def _is_coherent(self):
        if kinds().get(self.kind) is not type(self):
            raise ValueError(f"kind: use one of {', '.join(kinds())}")
        for fault in self.faults():
            raise ValueError(fault)
        return self

    def faults(self) -> Iterator[str]:
        """Yield what the kind of the judge requires or forbids; the first is told."""
        if self.name.endswith(".toml"):
            yield "name: a name that ends in .toml would be read as a path"
        for key in self.required:
            if not getattr(self, key):
                yield said("{key}: required for kind = {kind}", key=key, kind=self.kind)
        given = self.model_dump(exclude_defaults=True)
        for key in sorted((given.keys() | given.get("endpoint", {}).keys()) & self.unused):
            yield said("{key}: not used by kind = {kind}; remove it", key=key, kind=self.kind)
        # Extra keys must neither hide a setting that has a key of its own nor hold a credential.
        for key in sorted(RESERVED & self.extra_body.keys()):
            yield said("extra_body.{key}: this is set by the judge's own keys; remove it", key=key)
        for key in filter(_SECRET.search, self.extra_headers):
            yield said(
                "extra_headers.{key}: a judge file holds no credentials; name an environment "
                "variable in api_key_env and choose `auth` under [endpoint]",
                key=key,
            )

    def title(self) -> str:
        """Return what the judge is asked with, in a word or two."""
        return self.kind

    def recipe(self) -> str:
        """`zero_shot`, `few_shot`, `holistic`, or `own` for a prompt text of the user's own.

        The name of the kind for one without a prompt.
        """
        return self.kind

    def parts(self, rubric: Rubric) -> dict[str, tuple[Criterion, ...]]:
        """The calls an item takes and the criteria of each: one named '', or one per criterion."""
        if self.calls == "joint":
            return {"": rubric.criteria}
        return {criterion.name: (criterion,) for criterion in rubric.criteria}

    def room(self, criteria: int) -> int:
        """Return how many tokens are kept free for the reply on so many criteria."""
        return self.max_tokens or REPLY_TOKENS_PER_CRITERION * criteria

    def reply_tokens(self, criteria: int) -> tuple[int, int]:
        """Return about how few and how many tokens the reply on so many criteria takes."""
        return 30 * criteria, REPLY_TOKENS_PER_CRITERION * criteria

    def example_plan(self) -> Examples | None:
        """Return the source of the prompt's examples; None for a prompt without examples."""
        if self.examples is not None:
            return self.examples
        own = self.recipe() == "own" and "examples" in Template(self.prompt).get_identifiers()
        return Examples() if own or self.recipe() == "few_shot" else None

    def reading_rule(self) -> Reading | None:
        """Return the rule from a distribution to a score; None where the model writes the score."""
        return self.reading

    def is_read(self) -> bool:
        """True where each reply has a probability for every score, so that a rule can read it."""
        return self.logprobs

    def is_computed(self) -> bool:
        """True for metrics that ask no chat model: there is no reply, nor an output of one."""
        return self.of_metrics and self.model is None

    def settings(self) -> dict[str, Any]:
        """The request settings that the file gives, under the names they are sent by."""
        given = {key: getattr(self, key) for key in SETTINGS}
        given[self.endpoint.max_tokens_field] = self.max_tokens
        return {key: value for key, value in given.items() if value is not None}

    def url(self) -> str:
        """The endpoint's URL, without credentials and without a closing slash."""
        return self.endpoint.url()

    def address(self, path: str = CHAT, model: str | None = None) -> str:
        """Return the address that requests to a model are posted to."""
        return self.endpoint.address(path, model)

    def is_local(self) -> bool:
        """True where the judge's address is on this machine, where a key is rarely needed.

        It may still cost money, as a gateway to a paid model.
        """
        return self.model is None or self.endpoint.is_local()

    def with_overrides(self, model: str | None = None, base_url: str | None = None) -> "Judge":
        """The same judge with another model or endpoint: a new judge, under the same name.

        `changed` says what else changes with it.
        """
        values = {} if model is None else {"model": model}
        if base_url is not None:
            own = self.endpoint.model_dump(exclude_defaults=True, exclude={*_AZURE})
            values["endpoint"] = own | {"base_url": base_url}
        judge = self.changed(values)
        given = {"model": model != self.model and model, "base_url": base_url}
        judge._given = self._given | {key for key, value in given.items() if value}
        return judge

    def changed(self, values: Mapping[str, Any]) -> "Judge":
        """Return the judge with other values of its keys; None takes a key out.

        Another model drops what was said of the old one: `retired`, `larger`, `context_tokens` and
        its price, but not that everything is free, which another address drops.

        Raises:
            Problem: It would be no valid judge.
        """
        kept = self.model_dump(exclude_defaults=True) | values
        try:
            judge = Judge.model_validate({k: v for k, v in kept.items() if v is not None})
        except ValidationError as error:
            faults = joined("; ", map(fault_message, error.errors()))
            raise Problem(
                "Judge {name} cannot be changed like this: {faults}.", name=self.name, faults=faults
            ) from None
        judge._source, judge._text, judge._ships = self._source, self._text, self._ships
        gone = _OF_THE_MODEL if judge.model != self.model else set()
        if judge.url() != self.url() or (gone and self.price != 0):
            gone = gone | {"price"}
        if not gone - values.keys():
            return judge
        return self.changed(dict.fromkeys(gone) | values)

    def first_version(self) -> str:
        """Return the name that all edited copies of a judge share."""
        return next(iter(self.edited_from), self.name)

    def retirement(self) -> str | None:
        """A warning where the model is or will be retired; None otherwise."""
        if self.retired is None:
            return None
        return said(
            "Retirement of {model} by its maker: {day}. Azure and compatible servers may still "
            "serve it; grades already stored remain valid.",
            model=self.model,
            day=self.retired,
        )

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
                return f"line {number} of {source} (`{line.strip()}`)"
        return said("the key `{key}` in {source}", key=key, source=source)

    def body(self) -> str:
        """The judge as canonical JSON, as it is stored; `from_body` reads it back."""
        return canonical_json(self.model_dump(mode="json", exclude_defaults=True))


def from_body(body: str) -> Judge:
    """Read a judge back from what `Judge.body` gave."""
    return Judge.model_validate(json.loads(body))


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


_OF_THE_MODEL = {"retired", "larger", "context_tokens"}
# Fields of the screen that override the file.
_FIELDS = {"model": "Model", "base_url": "Base URL"}
_AZURE = {"azure_endpoint", "api_version"}


_SECRET = re.compile(r"authorization|api-?key|token|secret|cookie", re.IGNORECASE)
_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")


def as_toml(judge: Judge) -> str:
    """Return the judge as a TOML file; reading it gives an equal one.

    Defaults are left out, but for the keys that its kind always writes. A date is quoted, as in the
    judge's JSON; the reader takes both forms.
    """
    whole = judge.model_dump(mode="json", exclude_none=True)
    changed = judge.model_dump(mode="json", exclude_defaults=True, exclude_none=True)
    shown = () if judge.is_computed() else judge.written
    given = {k: changed.get(k, v) for k, v in whole.items() if k in changed or k in shown}
    endpoint, fit = given.pop("endpoint", {}), given.pop("fit", {})
    criteria = {f"fit.criteria.{_key(name)}": one for name, one in fit.pop("criteria", {}).items()}
    lines = [_line(key, value) for key, value in given.items()]
    for name, table in ({"endpoint": endpoint, "fit": fit} | criteria).items():
        if table:
            lines += ["", f"[{name}]", *(_line(key, value) for key, value in table.items())]
    return "\n".join(lines) + "\n"


def _line(key: str, value: Any) -> str:
    return f"{_key(key)} = {_value(value)}"


def _key(key: str) -> str:
    return key if _BARE.match(key) else quoted(key)


def _value(value: Any) -> str:
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{ " + ", ".join(_line(key, inner) for key, inner in value.items()) + " }"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return repr(value)
