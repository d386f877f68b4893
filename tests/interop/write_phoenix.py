"""Write Phoenix annotations as a frame of its client.

Usage: write_phoenix.py FOLDER
"""

import sys
from pathlib import Path

from phoenix.client import Client
from recording_server import recording


def annotation(number, span, kind, label, score, identifier, metadata=None):
    at = "2026-11-01T10:00:00Z"
    return {
        "id": str(number), "span_id": span, "name": "correctness", "annotator_kind": kind,
        "result": {"label": label, "score": score, "explanation": "By the manual."},
        "identifier": identifier, "metadata": metadata or {}, "source": "APP", "user_id": None,
        "created_at": at, "updated_at": at,
    }  # fmt: skip


GIVEN = [
    annotation(1, "a1", "HUMAN", "correct", 1, "ana"),
    annotation(2, "a1", "LLM", "correct", 1, "", {"model": "gpt-4.1-mini"}),
    annotation(3, "a2", "HUMAN", "incorrect", None, "bo"),
    annotation(4, "a2", "HUMAN", None, None, "cem"),
]


def main(folder):
    with recording({"data": GIVEN, "next_cursor": None}) as (address, _):
        spans = Client(base_url=address).spans
        frame = spans.get_span_annotations_dataframe(span_ids=["a1", "a2"])
    frame.to_csv(Path(folder) / "phoenix_annotations.csv")


if __name__ == "__main__":
    main(sys.argv[1])
