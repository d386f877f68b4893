"""promptfoo: the results of `promptfoo eval -o results.json`, and `promptfoo export eval`.

`results.results[]` is a row per test, prompt and provider:

- answer: `id`, `vars`, `prompt.raw`, `prompt.label`, `provider.label` or `provider.id`,
  `response.output`, `testCase.description`; `failureReason` 2 (or an `error` without an output) is
  an error of the provider, so there is neither an answer nor a grade;
- grades: `gradingResult.componentResults[]` with `assertion.type`, `.metric`, `.value`,
  `.provider`, `.rubricPrompt`, and `pass`, `score`, `reason`. An assertion set nests its members
  under `componentResults`, and newer versions repeat them after it;
- a rating made in the web page is a component of type `human`, with `pass`, `score` and `comment`.
  It overwrites `success`, `score` and `gradingResult.pass`, which are therefore not read.

A repeat (`--repeat`) has a `testIdx` of its own and no number, so each is an answer of its own.
Source: promptfoo 0.123, `src/types/index.ts`, `src/server/routes/eval.ts`.

`promptfoo eval -o results.jsonl`, and `promptfoo export eval -o results.jsonl`.

Each line is one of the results described above, without the evaluation around them.
Source: promptfoo 0.123, which wrote such a file here.

The CSV of its page has one score for all assertions of an answer, and is refused.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from concord.importing.fields import ITEM_FIELDS, folded
from concord.importing.scores import kind_of
from concord.importing.tool_export import (
    Accounted,
    Document,
    Json,
    LeftOut,
    ToolAnswer,
    ToolGrade,
    ToolSource,
    members,
    model_names,
    objects,
    part,
    text,
)

_UNDER = "results.results"
_PROVIDER_ERROR = 2
_LETTERS = 60
_NAMES = {
    folded(name): field
    for field in ("question", "contexts", "reference")
    for name in ITEM_FIELDS[field].split()
}


def _are_results(document: Document) -> bool:
    first = (document.rows(_UNDER) or [{}])[0]
    return {"testIdx", "promptIdx"} <= first.keys() or part(first, _UNDER) == []


def _read(document: Document) -> Accounted:
    """Yield the answers; which names tell criteria and prompts apart depends on all of them."""
    is_empty = part(document.data, _UNDER) == []
    rows = [] if is_empty else document.rows(_UNDER)
    several = _several(rows)
    has_prompts = all(
        len({text(part(row, path)) for row in rows}) > 1 for path in ("promptIdx", "prompt.label")
    )
    for row in rows:
        output = part(row, "response.output")
        if row.get("failureReason") == _PROVIDER_ERROR or output is None:
            yield LeftOut("answers", "the provider returned an error")
            continue
        given, label = members(row.get("vars")), part(row, "prompt.label")
        named = {_NAMES[folded(name)]: v for name, v in given.items() if folded(name) in _NAMES}
        model = text(part(row, "provider.label")) or model_names(row.get("provider"))
        fields = {
            **named,
            "item_id": row.get("id") or f"{row.get('testIdx')}-{row.get('promptIdx')}",
            "question": text(named.get("question") or part(row, "prompt.raw")),
            "answer": text(output),
            "answer_model": f"{model}, prompt {_cut(label)}" if has_prompts and label else model,
        }
        more = {f"vars.{name}": v for name, v in given.items() if folded(name) not in _NAMES}
        more |= {"description": part(row, "testCase.description"), "prompt": label}
        yield ToolAnswer(fields, _grades(row, several), more)


def _cut(value: Json) -> str:
    return " ".join(text(value).split())[:_LETTERS]


def _grades(row: Mapping, several: set[str]) -> Iterator[ToolGrade | LeftOut]:
    ratings = 0
    for one in _components(part(row, "gradingResult.componentResults")):
        assertion = members(one.get("assertion"))
        kind, metric = text(assertion.get("type")), assertion.get("metric")
        score = one.get("pass") if one.get("score") is None else one["score"]
        if kind == "human":
            ratings += 1
            comment = one.get("comment")
            more = {"repeat": ratings, "passed": one.get("pass")}
            yield ToolGrade(kind, "overall", score, comment, "promptfoo user", **more)
        elif not kind:
            yield LeftOut("components", "they have no type of assertion")
        elif one.get("error") or part(one, "metadata.graderError"):
            yield LeftOut("grades", "the grader returned an error")
        else:
            value = _cut(assertion.get("value"))
            criterion = metric or (f"{kind}: {value}" if kind in several else kind)
            more = {"passed": one.get("pass")}
            if kind_of(kind) == "judge":  # without a model it is promptfoo's default
                more |= {
                    name: assertion.get(key) or part(row, f"testCase.options.{key}")
                    for name, key in (("model", "provider"), ("prompt", "rubricPrompt"))
                }
            grader = kind_of(kind) or "metric"
            yield ToolGrade(grader, criterion, score, one.get("reason"), kind, **more)


def _components(components: Json) -> list[dict]:
    """The components without sets; what a set repeats after itself counts once."""
    top = [one for one in objects(components) if "componentResults" not in one]
    for whole in objects(components):
        for one in _components(whole.get("componentResults")):
            if one not in top:
                top.append(one)
    return top


def _several(rows: list[dict]) -> set[str]:
    """The types of assertions of which a test has several without a metric."""
    several = set()
    for row in rows:
        given = _components(part(row, "gradingResult.componentResults"))
        types = Counter(
            text(part(one, "assertion.type")) for one in given if not part(one, "assertion.metric")
        )
        several |= {kind for kind, n in types.items() if n > 1}
    return several


SOURCES = (
    ToolSource(
        "promptfoo results", ("results", "evalId"), _read, fits=_are_results, forms=("json",)
    ),
    ToolSource("promptfoo results", ("testIdx", "promptIdx"), _read, fits=_are_results, whole=True),
    ToolSource(
        "promptfoo page",
        ("Grader Reason", "Comment"),
        forms=("csv",),
        refused=(
            "no_assertions",
            "{file} is the CSV of promptfoo's page, which has one score for all assertions of an "
            "answer. Import what `promptfoo export eval ID -o results.json` writes.",
        ),
    ),
)
