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
    Accounted,
    Document,
    LeftOut,
    ToolAnswer,
    ToolGrade,
    ToolSource,
    call,
    members,
    objects,
    part,
)


def _samples(document: Document) -> Iterator[tuple[str, dict]]:
    for metric, samples in members(document.data).items():
        for one in objects(samples):
            if "metric_input" in one:
                yield metric, one


def _read(document: Document) -> Accounted:
    for metric, sample in _samples(document):
        given = members(sample["metric_input"])
        if given.get("response") is None:
            yield LeftOut("annotations", "their input has no response")
            continue
        names = ("reference", "reference_contexts")
        more = {name: given.get(name) for name in names}
        fields = call(
            given.get("user_input"),
            given["response"],
            contexts=given.get("retrieved_contexts"),
            **more,
        )
        yield ToolAnswer(fields, _grades(metric, sample))


def _grades(metric: str, sample: Mapping) -> Iterator[ToolGrade | LeftOut]:
    prompts, target = members(sample.get("prompts")), sample.get("target")
    if sample.get("metric_output") is not None:
        kind = "judge" if prompts else "metric"
        yield ToolGrade(kind, metric, sample["metric_output"], who=f"ragas {metric}")
    edited = [one for one in prompts.values() if part(one, "edited_output")]
    yield LeftOut("edited outputs", "they correct a step of the metric", len(edited))
    is_target = target is not None
    criterion = metric if is_target else f"{metric} accepted"
    score = target if is_target else sample.get("is_accepted")
    if score is not None:
        yield ToolGrade("annotator", criterion, score, who="RAGAS annotator")


SOURCES = (
    ToolSource(
        "RAGAS annotations",
        ("metric_input", "metric_output"),
        _read,
        fits=lambda document: any(True for _ in _samples(document)),
        forms=("json",),
    ),
)
