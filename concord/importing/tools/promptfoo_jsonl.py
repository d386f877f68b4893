"""promptfoo: `promptfoo eval -o results.jsonl`, and `promptfoo export eval -o results.jsonl`.

Each line is one of the results that `promptfoo` describes, without the evaluation around them.
Source: promptfoo 0.123, which wrote such a file here.
"""

from collections.abc import Iterator

from concord.importing.recognition.export import (
    Document,
    Findings,
    Json,
    ToolAnswer,
    ToolSource,
    objects,
)
from concord.importing.tools.promptfoo import answers
from concord.messages import said


def _results(data: Json) -> list[dict]:
    return objects(data) or objects([data])


def _recognises(document: Document) -> bool:
    first = (_results(document.data) or [{}])[0]
    return {"testIdx", "promptIdx", "gradingResult", "testCase"} <= first.keys()


def _read(document: Document, findings: Findings) -> Iterator[ToolAnswer]:
    return answers(_results(document.data), findings)


SOURCE = ToolSource(
    title=said("promptfoo results"),
    marks=('"testIdx"', '"promptIdx"', '"gradingResult"'),
    recognises=_recognises,
    read=_read,
    whole=True,
)
