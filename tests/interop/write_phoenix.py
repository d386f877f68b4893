"""Write Phoenix spans with their annotations, and annotations as a frame, with its client.

`px span list --include-annotations` is a program for Node that no registry has: what it does, to
put the annotations into their spans, is done here.

Usage: write_phoenix.py FOLDER
"""

import json
import sys
from pathlib import Path

from phoenix.client import Client
from recording_server import recording

AT = "2026-11-01T10:00:00Z"


def span(trace, place, attributes, parent=None):
    return {
        "id": f"S{place}", "name": "answer", "context": {"trace_id": trace, "span_id": place},
        "span_kind": "LLM", "parent_id": parent, "start_time": AT, "end_time": AT,
        "status_code": "OK", "attributes": attributes, "events": [],
    }  # fmt: skip


def annotation(place, kind, label, score, identifier="", name="correctness", **more):
    explanation, metadata = more.pop("why", None), more.pop("metadata", {})
    return {
        "id": f"A{place}{name}{identifier}", "span_id": place, "name": name,
        "annotator_kind": kind, "identifier": identifier, "metadata": metadata, "source": "APP",
        "result": {"label": label, "score": score, "explanation": explanation},
        "user_id": None, "created_at": AT, "updated_at": AT, **more,
    }  # fmt: skip


WHY, JUDGED = "By the manual.", {"model": "gpt-4.1-mini"}
FLAT = {
    "input.value": "When does the pump start?", "output.value": "At 40 °C.",
    "llm.model_name": "atlas",
    "retrieval.documents": [{"document.content": "It starts at 40 °C."}],
}  # fmt: skip
NESTED = {
    "input": {"value": '{"query": "When does it stop?"}'},
    "output": {"value": '{"answer": "Never."}'},
    "llm": {"model_name": "atlas"},
}
SPANS = [
    span("T1", "a1", FLAT),
    span("T2", "a2", NESTED),
    span("T2", "a3", {"input.value": "x", "output.value": "y"}, "a2"),
    span("T3", "a4", {"input.value": "x"}),
]
OF_SPANS = [
    annotation("a1", "HUMAN", "correct", 1, "ana", why=WHY),
    annotation("a1", "HUMAN", "incorrect", 0, "bo"),
    annotation("a1", "LLM", "correct", 1, metadata=JUDGED),
    annotation("a1", "CODE", None, 0.3, name="length"),
    annotation("a2", "HUMAN", "incorrect", None, user_id="u-ana"),
    annotation("a2", "HUMAN", None, None, "x", "note", why="Look again."),
]
OF_FRAME = [
    annotation("a1", "HUMAN", "correct", 1, "ana", why=WHY),
    annotation("a1", "LLM", "correct", 1, metadata=JUDGED, why=WHY),
    annotation("a2", "HUMAN", "incorrect", None, "bo", why=WHY),
    annotation("a2", "HUMAN", None, None, "cem", why=WHY),
]


def told(method, data, **given):
    with recording({"data": data, "next_cursor": None}) as (address, _):
        return getattr(Client(base_url=address).spans, method)(**given)


def main(folder):
    spans = told("get_spans", SPANS, project_identifier="pump")
    given = told("get_span_annotations", OF_SPANS, project_identifier="pump", spans=spans)
    for one in spans:
        own = one["context"]["span_id"]
        one["annotations"] = [its for its in given if its["span_id"] == own]
    text = json.dumps(spans, indent=1, ensure_ascii=False)
    (Path(folder) / "phoenix.json").write_text(text)
    frame = told("get_span_annotations_dataframe", OF_FRAME, span_ids=["a1", "a2"])
    frame.to_csv(Path(folder) / "phoenix_annotations.csv")


if __name__ == "__main__":
    main(sys.argv[1])
