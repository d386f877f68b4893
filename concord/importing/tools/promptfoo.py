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
from collections.abc import Iterator, Mapping, Sequence

from concord.importing.fields import ITEM_FIELDS, folded
from concord.importing.recognition.export import (
    Document,
    Findings,
    Json,
    ToolAnswer,
    ToolGrade,
    ToolSource,
    members,
    model_names,
    objects,
    part,
    text,
)
from concord.importing.scores import kind_of
from concord.messages import Problem, said

HUMAN = "human"
_PROVIDER_ERROR = 2
_ANNOTATOR = "promptfoo user"
_OVERALL = "overall"
_LETTERS = 60
_NAMES = {
    folded(name): field for field in ("question", "contexts", "reference")
    for name in ITEM_FIELDS[field].split()
}  # fmt: skip


def _is_evaluation(document: Document) -> bool:
    results = part(document.data, "results", "results")
    if results == []:
        return "evalId" in document.data
    first = objects(results)[:1]
    return bool(first) and {"testIdx", "promptIdx"} <= first[0].keys()


def _read_evaluation(document: Document, findings: Findings) -> Iterator[ToolAnswer]:
    return answers(objects(part(document.data, "results", "results")), findings)


def answers(rows: Sequence[Mapping], findings: Findings) -> Iterator[ToolAnswer]:
    """The answers of all results of an evaluation.

    Which names it needs to tell criteria and prompts apart depends on all of them.
    """
    prompts = {text(part(row, "promptIdx")) for row in rows}
    labels = {text(part(row, "prompt", "label")) for row in rows}
    names = _Criteria(rows)
    for row in rows:
        output = part(row, "response", "output")
        if part(row, "failureReason") == _PROVIDER_ERROR or output is None:
            findings.leave_out(said("answers"), said("the provider returned an error"))
            continue
        yield ToolAnswer(
            {
                "item_id": text(row.get("id")) or f"{row['testIdx']}-{row['promptIdx']}",
                **_of_vars(row),
                "answer": text(output),
                "answer_model": _model(row, len(prompts) > 1 and len(labels) > 1),
            },
            tuple(_grades(row, names, findings)),
            {
                **{f"vars.{name}": value for name, value in _vars(row).items()
                   if folded(name) not in _NAMES},
                "description": part(row, "testCase", "description"),
                "prompt": part(row, "prompt", "label"),
            },
        )  # fmt: skip


def _vars(row: Mapping) -> Mapping[str, Json]:
    found = row.get("vars")
    return found if isinstance(found, dict) else {}


def _of_vars(row: Mapping) -> dict[str, Json]:
    """Question, contexts and reference by the names of the variables; else the prompt."""
    given = {_NAMES[folded(n)]: v for n, v in _vars(row).items() if folded(n) in _NAMES}
    question = given.get("question") or text(part(row, "prompt", "raw"))
    return {**given, "question": text(question)}


def _model(row: Mapping, several_prompts: bool) -> str:
    provider = row.get("provider")
    name = text(part(provider, "label")) or model_names(provider)
    label = " ".join(text(part(row, "prompt", "label")).split())[:_LETTERS]
    return f"{name}, prompt {label}" if several_prompts and label else name


def _grades(row: Mapping, names: "_Criteria", findings: Findings) -> Iterator[ToolGrade]:
    people = 0
    for component in _leaves(part(row, "gradingResult", "componentResults")):
        assertion = members(component.get("assertion"))
        kind = text(assertion.get("type"))
        reason = text(component.get("reason"))
        passed = component.get("pass")
        score = passed if component.get("score") is None else component["score"]
        if kind == HUMAN:
            people += 1
            comment = text(component.get("comment"))
            yield ToolGrade(
                "annotator", _ANNOTATOR, _OVERALL, score, comment, people, False, passed
            )
        elif not kind:
            findings.leave_out(said("components"), said("they have no type of assertion"))
        elif component.get("error") or part(component, "metadata", "graderError"):
            findings.leave_out(said("grades"), said("the grader returned an error"))
        elif kind_of(kind) == "judge":
            judge = findings.judge(kind, _grader(assertion, row), _prompt(assertion, row))
            yield ToolGrade("judge", judge, names.of(assertion), score, reason, passed=passed)
        else:
            metric = findings.judge(kind)
            yield ToolGrade("metric", metric, names.of(assertion), score, reason, passed=passed)


def _leaves(components: Json) -> list[dict]:
    """The components without sets; what a set repeats after itself counts once."""
    top = [one for one in objects(components) if "componentResults" not in one]
    for whole in objects(components):
        for one in _leaves(whole.get("componentResults")):
            if one not in top:
                top.append(one)
    return top


def _grader(assertion: Mapping, row: Mapping) -> Json:
    """The judging model; '' for promptfoo's default, which the file does not name."""
    return assertion.get("provider") or part(row, "testCase", "options", "provider")


def _prompt(assertion: Mapping, row: Mapping) -> str:
    own = assertion.get("rubricPrompt") or part(row, "testCase", "options", "rubricPrompt")
    return text(own)


class _Criteria:
    """Names of criteria: the metric, else the type; with its value where a test has several."""

    def __init__(self, rows: Sequence[Mapping]):
        self._several = set()
        for row in rows:
            assertions = (
                members(one.get("assertion"))
                for one in _leaves(part(row, "gradingResult", "componentResults"))
            )
            types = Counter(text(one.get("type")) for one in assertions if not one.get("metric"))
            self._several |= {kind for kind, n in types.items() if n > 1}

    def of(self, assertion: Mapping) -> str:
        """The criterion of an assertion."""
        if assertion.get("metric"):
            return text(assertion["metric"])
        kind = text(assertion.get("type"))
        if kind not in self._several:
            return kind
        return f"{kind}: {' '.join(text(assertion.get('value')).split())[:_LETTERS]}"


_EVALUATION = ToolSource(
    title=said("promptfoo results"),
    marks=('"results"', '"evalId"'),
    recognises=_is_evaluation,
    read=_read_evaluation,
    forms=("json",),
)


def _line_results(data: Json) -> list[dict]:
    return objects(data) or objects([data])


def _are_lines(document: Document) -> bool:
    first = (_line_results(document.data) or [{}])[0]
    return {"testIdx", "promptIdx", "gradingResult", "testCase"} <= first.keys()


def _read_lines(document: Document, findings: Findings) -> Iterator[ToolAnswer]:
    return answers(_line_results(document.data), findings)


_LINES = ToolSource(
    title=said("promptfoo results"),
    marks=('"testIdx"', '"promptIdx"', '"gradingResult"'),
    recognises=_are_lines,
    read=_read_lines,
    whole=True,
)


def _is_page(document: Document) -> bool:
    return {"Grader Reason", "Comment"} <= (objects(document.data) or [{}])[0].keys()


def _refuse_page(document: Document, _: Findings) -> Iterator[ToolAnswer]:
    raise Problem(
        "{file} is the CSV of promptfoo's page, which has one score for all assertions of an "
        "answer. Import what `promptfoo export eval ID -o results.json` writes.",
        file=document.name,
        fault_code="no_assertions",
    )


_PAGE = ToolSource(
    title=said("promptfoo page"),
    marks=("Grader Reason", "Comment"),
    recognises=_is_page,
    read=_refuse_page,
    forms=("csv",),
)


SOURCES = (_EVALUATION, _LINES, _PAGE)
