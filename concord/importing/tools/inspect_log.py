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

from concord.importing.recognition.export import (
    Document,
    Findings,
    Json,
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
from concord.messages import said

_PRECOMPUTED = "precomputed_scores"
_UNCHANGED = "UNCHANGED"


def _recognises(document: Document) -> bool:
    is_log = isinstance(part(document.data, "eval", "task"), str)
    return is_log and (document.form == "zip" or "samples" in document.data)


def _read(document: Document, findings: Findings) -> Iterator[ToolAnswer]:
    about = members(part(document.data, "eval"))
    samples = part(document.data, "samples")
    for sample in objects(samples) or document.members("samples/"):
        output = part(sample, "output")
        choices = objects(part(output, "choices"))
        answer = answered(part(choices[0], "message")) if choices else part(output, "completion")
        if answer is None or (sample.get("error") and not answer):
            findings.leave_out(said("samples"), said("they have no answer"))
            continue
        call, target = asked(sample.get("input")), sample.get("target")
        name = text(sample.get("id"))
        yield ToolAnswer(
            {
                "item_id": f"{name} epoch {sample.get('epoch', 1)}",
                "question_id": name,
                "question": call.question,
                "turns": call.turns,
                "answer": answer,
                "answer_model": text(about.get("model")),
                "reference": target if isinstance(target, list) else text(target),
            },
            tuple(_grades(sample, about, findings)),
            {f"metadata.{key}": value for key, value in members(sample.get("metadata")).items()},
        )


def _grades(sample: Mapping, about: Mapping, findings: Findings) -> Iterator[ToolGrade]:
    scores = members(sample.get("scores"))
    times = Counter(
        criterion for name, score in scores.items() for criterion, _ in _values(name, score)
    )
    for scorer, score in scores.items():
        history = objects(part(score, "history"))
        first = next((one for one in history if not one.get("provenance")), score)
        kind, grader = _grader(scorer, first, about, findings)
        reason = text(part(first, "explanation"))
        for criterion, value in _values(scorer, first):
            name = criterion if times[criterion] < 2 else f"{scorer}.{criterion}"
            if value is None:
                findings.leave_out(said("scores"), said("the answer is unscored (NaN)"))
            else:
                yield ToolGrade(kind, grader, name, value, reason)
        yield from _edits(scorer, history, times, findings)


def _edits(scorer: str, history: list, times: Counter, findings: Findings) -> Iterator[ToolGrade]:
    """The last value that each annotator gave."""
    given = {}
    for edit in history:
        author = text(part(edit, "provenance", "author"))
        if not author:
            continue
        if edit.get("value") == _UNCHANGED:
            findings.leave_out(said("edits"), said("they change no score"))
            continue
        reason = text(part(edit, "provenance", "reason"))
        if edit.get("explanation") not in (None, _UNCHANGED):
            reason = text(edit["explanation"])
        for criterion, value in _values(scorer, edit):
            name = criterion if times[criterion] < 2 else f"{scorer}.{criterion}"
            if (author, name) in given:
                findings.leave_out(said("edits"), said("the same annotator replaced them"))
            if value is not None:
                given[author, name] = value, reason
    for (author, name), (value, reason) in given.items():
        yield ToolGrade("annotator", author, name, value, reason, blind=False)


def _values(scorer: str, score: Json) -> list[tuple[str, Json]]:
    """The criteria of a score, each with its value."""
    value = part(score, "value")
    if isinstance(value, dict):
        return list(value.items())
    if isinstance(value, list):
        return [(f"{scorer}.{place}", one) for place, one in enumerate(value, 1)]
    return [(scorer, value)]


def _grader(
    scorer: str, score: Json, about: Mapping, findings: Findings
) -> tuple[str, str]:  # fmt: skip
    """The kind and name of a grader: a judge where a model graded."""
    if scorer.rpartition("/")[2] == _PRECOMPUTED:
        return "annotator", _PRECOMPUTED
    declared = next((one for one in objects(about.get("scorers")) if one.get("name") == scorer), {})
    options = members(declared.get("options"))
    grading = objects(part(score, "metadata", "grading"))
    if not grading and "model_graded" not in scorer:
        return "metric", findings.judge(scorer)
    role = part(about, "model_roles", "grader")
    own = (one.get("model") for one in reversed(grading) if one.get("model"))
    model = options.get("model") or role or next(own, "")
    prompt = "\n".join(text(options[k]) for k in ("template", "instructions") if options.get(k))
    return "judge", findings.judge(scorer, model, prompt)


SOURCES = (
    ToolSource(
        title=said("Inspect log"),
        marks=('"eval"', '"task"', '"samples"'),
        recognises=_recognises,
        read=_read,
        forms=("json", "zip"),
    ),
)
