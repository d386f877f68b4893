"""DeepEval: test runs, as `.deepeval/.latest_run_full.json` and `test_run_*.json`.

- answer: `testCases[]` with `name`, `input`, `actualOutput`, `expectedOutput`, `retrievalContext`,
  `context`; `hyperparameters.model`. A name such as `test_case_0` is a place and no id.
  `conversationalTestCases[]` are left out;
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
    Json,
    LeftOut,
    ToolAnswer,
    ToolGrade,
    ToolSource,
    members,
    objects,
    part,
    text,
)

_PLACE = re.compile(r"test_case_\d+")
# What DeepEval appends to the name of a metric of one's own: `Correctness [GEval]`.
_SORT = re.compile(r"\s*\[[^\]]+\]$")


def _run(document: Document) -> dict[str, Json]:
    return members(part(document.data, "testRunData") or document.data)


def _read(document: Document) -> Accounted:
    run = _run(document)
    talks = objects(run.get("conversationalTestCases"))
    yield LeftOut("conversations", "only test cases are read", len(talks))
    for case in objects(run.get("testCases")):
        if case.get("actualOutput") is None:
            yield LeftOut("test cases", "they have no answer")
            continue
        name = text(case.get("name"))
        fields = {
            "question": case.get("input"),
            "item_id": "" if _PLACE.fullmatch(name) else name,
            "answer": case["actualOutput"],
            "answer_model": part(run, "hyperparameters.model"),
            "contexts": case.get("retrievalContext"),
            "reference": case.get("expectedOutput"),
            "reference_contexts": case.get("context"),
        }
        yield ToolAnswer(
            fields, _grades(case), {one: case.get(one) for one in ("tags", "comments")}
        )


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
        fits=lambda document: "testCases" in _run(document),
        forms=("json",),
    ),
)
