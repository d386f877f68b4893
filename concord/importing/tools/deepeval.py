"""DeepEval: test runs, as `.deepeval/.latest_run_full.json` and `test_run_*.json`.

- answer: `testCases[]` with `name`, `input`, `actualOutput`, `expectedOutput`, `retrievalContext`,
  `context`; `conversationalTestCases[]` with `turns[].role` and `.content`, of which the last
  answer is graded as the end of its conversation; `hyperparameters.model`. A name such as
  `test_case_0` is a place and no id;
- grades: `metricsData[]` with `name`, `score`, `success`, `threshold`, `reason`, `error` and
  `evaluationModel`: with a model it is a judge, without one a metric. Without a score and an error
  it was skipped.

The file has no grades of people, and the prompt of a judge is only in its logs.
Source: deepeval 4.3, `deepeval/test_run/api.py`.
"""

import re
from collections.abc import Iterator, Mapping

from concord.importing.tool_export import (
    Accounted,
    Document,
    LeftOut,
    ToolAnswer,
    ToolGrade,
    ToolSource,
    asked,
    members,
    objects,
    part,
    text,
)

_PLACE = re.compile(r"(conversational_)?test_case_\d+")
# What DeepEval appends to the name of a metric of one's own: `Correctness [GEval]`.
_SORT = re.compile(r"\s*\[[^\]]+\]$")


def _cases(document: Document) -> list[dict]:
    run = members(part(document.data, "testRunData") or document.data)
    return objects(run.get("testCases")) + objects(run.get("conversationalTestCases"))


def _read(document: Document) -> Accounted:
    model = part(document.data, "testRunData.hyperparameters.model", "hyperparameters.model")
    for case in _cases(document):
        turns = objects(case.get("turns"))
        answers = [n for n, one in enumerate(turns) if one.get("role") == "assistant"]
        if answers:
            last = answers[-1]
            question = asked(turns[:last] or case.get("scenario"))
            answer = turns[last].get("content")
        else:
            question, answer = {"question": case.get("input")}, case.get("actualOutput")
        if answer is None:
            yield LeftOut("test cases", "they have no answer")
            continue
        name = text(case.get("name"))
        fields = {
            **question,
            "item_id": "" if _PLACE.fullmatch(name) else name,
            "answer": answer,
            "answer_model": model,
            "contexts": case.get("retrievalContext"),
            "reference": part(case, "expectedOutput", "expectedOutcome"),
            "reference_contexts": case.get("context"),
        }
        more = {name: case.get(name) for name in ("tags", "comments", "scenario")}
        yield ToolAnswer(fields, _grades(case), more)


def _grades(case: Mapping) -> Iterator[ToolGrade | LeftOut]:
    for one in objects(case.get("metricsData")):
        name, model = _SORT.sub("", text(one.get("name"))), one.get("evaluationModel")
        if one.get("error"):
            yield LeftOut("grades", "the metric returned an error")
        elif one.get("score") is None:
            yield LeftOut("grades", "the metric was skipped")
        else:
            kind, who = ("judge", "deepeval") if model else ("metric", name)
            passed = one.get("success")
            yield ToolGrade(kind, name, one["score"], one.get("reason"), who, model, passed=passed)


SOURCES = (
    ToolSource(
        "DeepEval test run",
        ("testCases", "metricsData"),
        _read,
        fits=lambda document: any("metricsData" in one for one in _cases(document)),
        forms=("json",),
    ),
)
