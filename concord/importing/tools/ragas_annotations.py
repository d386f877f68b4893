"""RAGAS: annotations of metrics, as its retired app exported them.

An object with a list per metric, each entry with

- answer: `metric_input` with `user_input`, `response`, `retrieved_contexts`, `reference`;
- grade of the metric: `metric_output`, by a judge where `prompts` has calls of a model;
- grade of a person: `target`, the value that the metric should have had. `is_accepted` alone says
  whether the person agrees, and is a grade on a criterion of its own, `METRIC accepted`.

`prompts.NAME.edited_output` corrects a step of the metric and is no grade of the answer.
Source: ragas 0.4, `ragas/dataset_schema.py`; no file of the app.
"""

from collections.abc import Iterator, Mapping

from concord.importing.recognition.export import (
    Document,
    Findings,
    Json,
    ToolAnswer,
    ToolGrade,
    ToolSource,
    asked,
    members,
    objects,
    part,
    text,
)
from concord.messages import said

_ANNOTATOR = "RAGAS annotator"


def _samples(data: Json) -> Iterator[tuple[str, dict]]:
    for metric, samples in data.items() if isinstance(data, dict) else ():
        for one in objects(samples):
            if "metric_input" in one:
                yield metric, one


def _recognises(document: Document) -> bool:
    return next(_samples(document.data), None) is not None


def _read(document: Document, findings: Findings) -> Iterator[ToolAnswer]:
    for metric, sample in _samples(document.data):
        given = sample["metric_input"]
        if part(given, "response") is None:
            findings.leave_out(said("annotations"), said("their input has no response"))
            continue
        call = asked(given.get("user_input"))
        yield ToolAnswer(
            {
                "question": call.question,
                "turns": call.turns,
                "answer": text(given["response"]),
                "contexts": given.get("retrieved_contexts"),
                "reference": given.get("reference"),
                "reference_contexts": given.get("reference_contexts"),
            },
            tuple(_grades(metric, sample, findings)),
        )


def _grades(metric: str, sample: Mapping, findings: Findings) -> Iterator[ToolGrade]:
    prompts = members(sample.get("prompts"))
    if sample.get("metric_output") is not None:
        kind = "judge" if prompts else "metric"
        yield ToolGrade(kind, findings.judge(f"ragas {metric}"), metric, sample["metric_output"])
    edited = [one for one in prompts.values() if part(one, "edited_output")]
    if edited:
        findings.leave_out(
            said("edited outputs"), said("they correct a step of the metric"), len(edited)
        )
    if sample.get("target") is not None:
        yield ToolGrade("annotator", _ANNOTATOR, metric, sample["target"], blind=False)
    elif sample.get("is_accepted") is not None:
        accepted = sample["is_accepted"]
        yield ToolGrade("annotator", _ANNOTATOR, f"{metric} accepted", accepted, blind=False)


SOURCES = (
    ToolSource(
        title=said("RAGAS annotations"),
        marks=('"metric_input"', '"metric_output"'),
        recognises=_recognises,
        read=_read,
        forms=("json",),
    ),
)
