"""Inspect: logs of evaluations, `.json` and `.eval` (an archive of JSON files).

`eval` (in an archive in `header.json`) has `model`, `task`, `model_roles.grader` and `scorers[]`
with `name` and `options`. Samples are in `samples[]`, in an archive in `samples/ID_epoch_N.json`:

- answer: `id`, `epoch`, `input` (a text or messages), `target`, `metadata`,
  `output.choices[0].message.content` or `output.completion`; `error` is a sample that failed;
- grades: `scores.SCORER` with `value` (C, P, I, N, a number, a text, or an object with a value per
  criterion), `explanation` and `metadata.grading`, the messages of a judging model. NaN, read as
  null, is unscored;
- grades of people: `scores.SCORER.history[]`; its first entry is the value the scorer gave, and
  the later ones are edits with `provenance.author` and `reason`. `UNCHANGED` is no new value.
  `precomputed_scores` are ratings from a file, whose author the log does not name.

Newer archives are compressed with Zstandard, which Python reads from 3.14 on, and before that with
the extra `zstd`. `inspect log dump FILE` prints any log as JSON.
Source: inspect_ai 0.3.285, `inspect_ai/log/_log.py`, `inspect_ai/scorer/_metric.py`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from concord.importing.tool_export import (
    Accounted,
    Document,
    Json,
    LeftOut,
    ToolAnswer,
    ToolGrade,
    ToolSource,
    answered,
    asked,
    members,
    objects,
    part,
    text,
)

_PRECOMPUTED = "precomputed_scores"
_UNCHANGED = "UNCHANGED"


def _is_log(document: Document) -> bool:
    is_log = isinstance(part(document.data, "eval.task"), str)
    return is_log and (document.form == "zip" or "samples" in document.data)


def _read(document: Document) -> Accounted:
    about = part(document.data, "eval")
    samples = part(document.data, "samples")
    for sample in objects(samples) or document.members("samples/"):
        output = part(sample, "output")
        answer = answered(output) if part(output, "choices") else part(output, "completion")
        if answer is None or (part(sample, "error") and not answer):
            yield LeftOut("samples", "they have no answer")
            continue
        name, target = text(sample.get("id")), sample.get("target")
        fields = {
            **asked(sample.get("input")),
            "item_id": f"{name} epoch {sample.get('epoch', 1)}",
            "question_id": name,
            "answer": answer,
            "answer_model": part(about, "model"),
            "reference": target if isinstance(target, list) else text(target),
        }
        metadata = members(sample.get("metadata")).items()
        more = {f"metadata.{key}": value for key, value in metadata}
        yield ToolAnswer(fields, _grades(sample, about), more)


def _grades(sample: Mapping, about: Json) -> Iterator[ToolGrade | LeftOut]:
    scores = members(sample.get("scores"))
    times = Counter(name for scorer, score in scores.items() for name, _ in _values(scorer, score))

    def graded(kind: str, scorer: str, score: Json, **more: Any) -> Iterator[ToolGrade]:
        for criterion, value in _values(scorer, score):
            name = criterion if times[criterion] < 2 else f"{scorer}.{criterion}"
            yield ToolGrade(kind, name, value, **more)

    for scorer, score in scores.items():
        history = objects(part(score, "history"))
        first = next((one for one in history if not one.get("provenance")), score)
        grader = _grader(scorer, first, about)
        yield from graded(scorer=scorer, score=first, reason=part(first, "explanation"), **grader)
        edits = {}  # the last grade of each annotator
        for edit in history:
            author, reason = text(part(edit, "provenance.author")), edit.get("explanation")
            if author and edit.get("value") != _UNCHANGED:
                if reason in (None, _UNCHANGED):
                    reason = part(edit, "provenance.reason")
                for grade in graded("annotator", scorer, edit, reason=reason, who=author):
                    if (author, grade.criterion) in edits:
                        yield LeftOut("edits", "the same annotator replaced them")
                    edits[author, grade.criterion] = grade
        yield from edits.values()


def _values(scorer: str, score: Json) -> list[tuple[str, Json]]:
    """The criteria of a score, each with its value."""
    value = part(score, "value")
    if isinstance(value, dict):
        return list(value.items())
    return [(scorer, value)]


def _grader(scorer: str, score: Json, about: Json) -> dict[str, Any]:
    """Who graded: a judge where a model did."""
    if scorer.rpartition("/")[2] == _PRECOMPUTED:
        return {"kind": "annotator", "who": _PRECOMPUTED, "blind": None}
    grading = objects(part(score, "metadata.grading"))
    if not grading and "model_graded" not in scorer:
        return {"kind": "metric", "who": scorer}
    declared = (one for one in objects(part(about, "scorers")) if one.get("name") == scorer)
    options = part(next(declared, None), "options")
    own = (one.get("model") for one in reversed(grading) if one.get("model"))
    model = part(options, "model") or part(about, "model_roles.grader") or next(own, "")
    lines = (part(options, name) for name in ("template", "instructions"))
    prompt = "\n".join(text(line) for line in lines if line)
    return {"kind": "judge", "who": scorer, "model": model, "prompt": prompt}


SOURCES = (
    ToolSource(
        "Inspect log", ('"eval"', '"task"', '"samples"'), _read, fits=_is_log, forms=("json", "zip")
    ),
)
