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

from concord.importing.recognition.export import (
    Document,
    Findings,
    Json,
    ToolAnswer,
    ToolGrade,
    ToolSource,
    asked,
    objects,
    part,
    text,
)
from concord.messages import said

_SKIPPED = "the metric was skipped"
_PLACE = re.compile(r"(conversational_)?test_case_\d+")
# What DeepEval appends to the name of a metric of one's own: `Correctness [GEval]`.
_SORT = re.compile(r"\s*\[[^\]]+\]$")


def _run(data: Json) -> Mapping:
    found = part(data, "testRunData") or data
    return found if isinstance(found, dict) else {}


def _recognises(document: Document) -> bool:
    run = _run(document.data)
    cases = objects(run.get("testCases")) + objects(run.get("conversationalTestCases"))
    return bool(cases) and any("metricsData" in one for one in cases)


def _read(document: Document, findings: Findings) -> Iterator[ToolAnswer]:
    run = _run(document.data)
    model = text(part(run, "hyperparameters", "model"))
    for case in objects(run.get("testCases")):
        if case.get("actualOutput") is None:
            findings.leave_out(said("test cases"), said("they have no actual output"))
            continue
        yield ToolAnswer(
            {
                "item_id": _id(case),
                "question": text(case.get("input")),
                "answer": text(case["actualOutput"]),
                "answer_model": model,
                "contexts": case.get("retrievalContext"),
                "reference": case.get("expectedOutput"),
                "reference_contexts": case.get("context"),
            },
            tuple(_grades(case, findings)),
            {"tags": case.get("tags"), "comments": case.get("comments")},
        )
    for case in objects(run.get("conversationalTestCases")):
        turns = objects(case.get("turns"))
        answers = [n for n, one in enumerate(turns) if one.get("role") == "assistant"]
        if not answers:
            findings.leave_out(said("conversations"), said("they have no answer"))
            continue
        last = answers[-1]
        call = asked([{"role": one.get("role"), "content": one.get("content")}
                      for one in turns[:last]])  # fmt: skip
        yield ToolAnswer(
            {
                "item_id": _id(case),
                "question": call.question or text(case.get("scenario")),
                "turns": call.turns,
                "answer": text(turns[last].get("content")),
                "answer_model": model,
                "reference": case.get("expectedOutcome"),
            },
            tuple(_grades(case, findings)),
            {"scenario": case.get("scenario")},
        )


def _id(case: Mapping) -> str:
    name = text(case.get("name"))
    return "" if _PLACE.fullmatch(name) else name


def _grades(case: Mapping, findings: Findings) -> Iterator[ToolGrade]:
    for one in objects(case.get("metricsData")):
        if one.get("error") or one.get("score") is None:
            why = said("the metric returned an error") if one.get("error") else said(_SKIPPED)
            findings.leave_out(said("grades"), why)
            continue
        name, model = _SORT.sub("", text(one.get("name"))), text(one.get("evaluationModel"))
        kind = "judge" if model else "metric"
        grader = findings.judge("deepeval", model) if model else findings.judge(name)
        reason, passed = text(one.get("reason")), one.get("success")
        yield ToolGrade(kind, grader, name, one["score"], reason, passed=passed)


SOURCES = (
    ToolSource(
        title=said("DeepEval test run"),
        marks=('"testCases"', '"metricsData"'),
        recognises=_recognises,
        read=_read,
        forms=("json",),
    ),
)
