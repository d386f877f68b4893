"""Judge: an LLM (or the embedded baseline) with its prompt and settings, read from a TOML file.

A setting that is left out is not sent. What makes two judges the same is their fingerprint, see
`request.fingerprint`; the file's `name` is only what annotators call it.
"""

import datetime
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import chain
from pathlib import Path
from string import Template
from typing import Any, Literal, NamedTuple, get_args
from urllib.parse import urlsplit

from pydantic import Field, PrivateAttr, ValidationError, model_validator

from concord.definitions import Frozen, canonical_json, digest
from concord.judges.definition.endpoint import Embedding, Endpoint, StatedPrice
from concord.messages import Problem, fault_message, joined, on_command_line, said
from concord.model import Item
from concord.resources import JUDGES
from concord.rubrics.model import read_text, validated
from concord.rubrics.rubric_toml import quoted

Rule = Literal["majority", "mean", "weighted", "ordinal", "cut_points"]
RULES: tuple[Rule, ...] = get_args(Rule)
# Learnt from annotators' grades; the others are fixed beforehand.
FITTED: tuple[Rule, ...] = ("weighted", "ordinal", "cut_points")
RULE_WORDS: dict[Rule, str] = {
    "majority": said("majority"),
    "mean": said("mean"),
    "weighted": said("weighted vote"),
    "ordinal": said("ordinal regression"),
    "cut_points": said("cut points"),
}
COMBINED_KEYS = ("members", "rule", "fit")


class CriterionFit(Frozen):
    """The fit of a rule on one criterion: one step up the scale for each point passed.

    Attributes:
        version: The criterion version that it was fitted under.
        features: What the weighted sum is of: a member, or a criterion or metric of a member.
        weights: Of the features.
        points: Cut points on the weighted sum, not falling, one fewer than the scores.
        scores: Rising.
        answers: Number of graded answers that it was fitted to.
        clusters: Number of clusters of questions that these belong to.
    """

    version: str
    features: tuple[str, ...] = Field(min_length=1)
    weights: tuple[float, ...]
    points: tuple[float, ...]
    scores: tuple[int, ...] = Field(min_length=1)
    answers: int = Field(gt=0)
    clusters: int = Field(gt=0)

    @model_validator(mode="after")
    def _fits_together(self):
        if len(self.weights) != len(self.features) or len(self.points) != len(self.scores) - 1:
            raise ValueError("a feature has one weight, and n scores have n - 1 points")
        return self


class Fit(Frozen):
    """One fit to all graded questions, frozen in a judge file.

    Attributes:
        digest: Of the rest, so that no number of it can be changed unseen.
        questions: The questions it was fitted to, as `question_digest` gives them; no answer to one
            of these is scored.
        criteria: By name.
    """

    digest: str
    questions: tuple[str, ...]
    criteria: dict[str, CriterionFit] = Field(min_length=1)

    @model_validator(mode="after")
    def _is_unchanged(self):
        if self.digest != fit_digest(self.criteria, self.questions):
            raise ValueError("the numbers do not match the digest; freeze the judge again")
        return self


def frozen_fit(criteria: dict[str, CriterionFit], questions: tuple[str, ...]) -> Fit:
    """Return a fit with its digest."""
    return Fit(digest=fit_digest(criteria, questions), questions=questions, criteria=criteria)


def fit_digest(criteria: dict[str, CriterionFit], questions: tuple[str, ...]) -> str:
    """Return the digest of the numbers of a fit and of its questions."""
    numbers = {name: one.model_dump(mode="json") for name, one in criteria.items()}
    return digest({"criteria": numbers, "questions": sorted(questions)})


def question_digest(text_hash: str, cluster: str | None) -> str:
    """Return what tells a question in a frozen fit: hashes of its text and of its cluster."""
    return text_hash if cluster is None else f"{text_hash}:{digest(cluster)}"


FOLDER = JUDGES
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


class Judge(Frozen):
    """A judge: model, endpoint, prompt and settings; the keys are those of a judge file.

    `price` is 0 where everything at the endpoint is free, or what `model` costs there. `logprobs`
    asks for the log-probabilities of the reply's tokens, `confidence` for a number after each
    score; either gives a distribution. `reading` is as the file gives it; `reading_rule` has the
    default. `members`, `rule` and `fit` are those of a combined judge. `edited_from` are the names
    of the judges that an edited copy comes from, the first version first.
    """

    name: str = Field(pattern=r"^[^\s@]+$", title="Name")
    about: str = Field("", title="About")
    edited_from: tuple[str, ...] = ()
    kind: Literal["rubric", "holistic", "baseline", "metric", "decision", "combined"] = "rubric"
    dialect: Dialect | None = Field(None, title="Wire format")
    model: str | None = Field(None, title="Model", min_length=1)
    retired: datetime.date | None = None
    rubric: str | None = Field(None, title="Rubric")
    price: StatedPrice = Field(None, title="Price")
    members: tuple[str, ...] | None = Field(None, title="Members")
    rule: Rule | None = Field(None, title="Rule")
    fit: Fit | None = None
    prompt: str = Field("zero_shot", title="Prompt")
    examples: Examples | None = Field(None, title="Examples")
    metrics: tuple[str, ...] | None = Field(None, title="Metrics", min_length=1)
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
    switches: dict[str, dict[str, str]] = Field(default_factory=dict)
    embedding: Embedding | None = Field(None, title="Embedding model")
    endpoint: Endpoint = Field(Endpoint(), title="Endpoint")

    _source: str = PrivateAttr(default="")
    _text: str = PrivateAttr(default="")
    _ships: bool = PrivateAttr(default=False)
    _given: frozenset[str] = PrivateAttr(default=frozenset())

    @model_validator(mode="after")
    def _is_coherent(self):
        for fault in chain(_kind_faults(self), _prompt_faults(self), _extra_faults(self)):
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

    def address(self) -> str:
        """Return the address that its requests are posted to.

        That of a decision model is whole; that of a chat model is below the endpoint's URL. A URL
        of System One may end in its version or not.
        """
        if self.kind != "decision":
            return CHAT
        url = self.url()
        last = urlsplit(url).path.rpartition("/")[2]
        if last in ("decisions", "systemone"):  # the URL is the address itself
            return url
        if self.dialect == "openai":
            return f"{url}/decisions"
        return f"{url}/systemone" if _VERSION.fullmatch(last) else f"{url}/v1/systemone"

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
                return f"line {number} of {source} (`{line.strip()}`)"
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


_VERSION = re.compile(r"v[0-9]+[a-z0-9]*", re.IGNORECASE)
_OF_THE_MODEL = {"model", "retired", "larger", "context_tokens"}
# Fields of the screen that override the file.
_FIELDS = {"model": "Model", "base_url": "Base URL"}
_AZURE = {"azure_endpoint", "api_version"}
_GRADED = ("model", "rubric")
_REQUIRED = {
    "rubric": _GRADED,
    "holistic": _GRADED,
    "decision": (*_GRADED, "dialect"),
    "baseline": ("rubric",),
    "combined": ("rubric", "rule", "members"),
    "metric": (),
}
_ONLY = {
    "combined": {*COMBINED_KEYS},
    "metric": {"metrics", "switches", "embedding"},
    "decision": {"dialect"},
}
_WRITTEN = {*SETTINGS, "max_tokens", "examples", "logprobs", "confidence"}
# A decision model is sent the rubric as questions and writes no text.
_NOT_USED = {
    "baseline": _WRITTEN | {"model", "larger", "reading"},
    "decision": _WRITTEN
    | {"output", "prompt", "azure_endpoint", "api_version", "max_tokens_field", "system_role"},
    "metric": {"rubric", "prompt", "examples", "calls", "logprobs", "confidence", "reading"},
}


def not_used(kind: str) -> set[str]:
    """Return the keys of a judge file, and of its endpoint, that a kind of judge does not have."""
    if kind == "combined":  # it sends no request
        used = {"name", "about", "edited_from", "kind", "rubric", *COMBINED_KEYS}
        return {*Judge.model_fields} - used
    others = [keys for owner, keys in _ONLY.items() if owner != kind]
    return _NOT_USED.get(kind, set()).union(*others)


def _kind_faults(judge: Judge) -> Iterator[str]:
    """Yield violations of what the kind of a judge requires or forbids."""
    kind = judge.kind
    if judge.name.endswith(".toml"):
        yield "name: a name that ends in .toml would be read as a path"
    for key in _REQUIRED[kind]:
        if not getattr(judge, key):
            yield said("{key}: required for kind = {kind}", key=key, kind=kind)
    given = judge.model_dump(exclude_defaults=True)
    for key in sorted((given.keys() | given.get("endpoint", {}).keys()) & not_used(kind)):
        yield said("{key}: not used by kind = {kind}; remove it", key=key, kind=kind)
    if judge.logprobs and judge.confidence:
        yield "logprobs, confidence: a grade has one distribution; remove one"
    if kind == "holistic" and judge.recipe() not in ("holistic", "own"):
        yield 'prompt: a holistic judge takes "holistic" or a text of your own'
    # A stated confidence is the probability of one score, which every rule reads as that score.
    if kind != "decision" and judge.reading and not judge.logprobs:
        yield "reading: a rule reads probabilities; set logprobs = true, or remove it"
    members = judge.members or ()
    if len({*members}) < len(members) or judge.name in members:
        yield "members: name the judges whose grades are combined, each once"
    least = 1 if judge.rule in ("ordinal", "cut_points") else 2
    if kind == "combined" and len(members) < least:
        yield said("members: {rule} takes at least two judges", rule=judge.rule)
    if judge.rule == "cut_points" and len(members) > 1:
        yield "members: cut_points reads the probabilities of one judge; name one"
    if judge.fit and judge.rule not in FITTED:
        yield said("fit: {rule} is not fitted; remove it", rule=judge.rule)


def _prompt_faults(judge: Judge) -> Iterator[str]:
    """Yield what is wrong with the prompt's placeholders or the examples."""
    template = Template(judge.prompt)
    own = judge.recipe() == "own"
    if own and ("$" not in judge.prompt or not template.is_valid()):
        yield said(
            "prompt: give one of {recipes}, or a text with {names}; a dollar sign itself is "
            "written $$",
            recipes=joined(", ", RECIPES),
            names=joined(", ", ("$" + name for name in PLACEHOLDERS)),
        )
        return
    used = {*template.get_identifiers()}
    if judge.examples is not None and judge.prompt != "few_shot" and "examples" not in used:
        yield "examples: the prompt shows none; use few_shot, or $examples in a text of your own"
    for name in sorted(used - {*PLACEHOLDERS}):
        yield said("prompt: there is no placeholder ${name}", name=name)
    for name in ("answer", "rubric"):
        if own and name not in used:
            yield said("prompt: ${name} is missing", name=name)


def _extra_faults(judge: Judge) -> Iterator[str]:
    """Extra keys must neither hide a setting that has a key of its own nor hold a credential."""
    for key in sorted(RESERVED & judge.extra_body.keys()):
        yield said("extra_body.{key}: this is set by the judge's own keys; remove it", key=key)
    secret = re.compile(r"authorization|api-?key|token|secret|cookie", re.IGNORECASE)
    for key in filter(secret.search, judge.extra_headers):
        yield said(
            "extra_headers.{key}: a judge file holds no credentials; name an environment variable "
            "in api_key_env and choose `auth` under [endpoint]",
            key=key,
        )


SHOWN_KEYS = {"baseline": (), "combined": (), "metric": ("output",), "decision": ("calls",)}
ALWAYS_SHOWN = ("prompt", "calls", "output")
_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")


def as_toml(judge: Judge) -> str:
    """Return the judge as a TOML file; reading it gives an equal one.

    Defaults are left out, except the keys in `ALWAYS` (`SHOWN`, by kind), none of which says
    anything where no chat model is asked. A date is quoted, as in the judge's JSON; the reader
    takes both forms.
    """
    whole = judge.model_dump(mode="json", exclude_none=True)
    changed = judge.model_dump(mode="json", exclude_defaults=True, exclude_none=True)
    shown = () if judge.is_computed() else SHOWN_KEYS.get(judge.kind, ALWAYS_SHOWN)
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
