"""Write records of Argilla, flattened and nested, without a server.

Usage: write_argilla.py FOLDER
"""

import json
import sys
import uuid
from pathlib import Path

import argilla
from argilla.records._io import GenericIO

ANA, BO = (uuid.UUID(int=n) for n in (1, 2))


def record(name, fields, given, suggested=(), **metadata):
    """A record with responses of (question, value, annotator, status)."""
    return argilla.Record(
        id=name,
        fields=fields,
        metadata=metadata,
        responses=[argilla.Response(q, value, user_id=who, status=s) for q, value, who, s in given],
        suggestions=[argilla.Suggestion(q, v, score=0.9, agent=who) for q, v, who in suggested],
    )


RECORDS = [
    record(
        "r1",
        {"prompt": "When does the pump start?", "response": "At 40 °C.", "source": "manual"},
        [
            ("correctness", 3, ANA, "submitted"),
            ("correctness", 1, BO, "draft"),
            ("verdict", "good", ANA, "submitted"),
            ("comment", "It is as the manual says.", ANA, "submitted"),
            ("spans", [{"start": 0, "end": 2, "label": "x"}], ANA, "submitted"),
        ],
        [("correctness", 3, "gpt-4.1-mini")],
        topic="pump",
        model="atlas",
    ),
    record(
        "r2",
        {"prompt": "When does the pump stop?", "response": "Never."},
        [("correctness", 0, BO, "submitted"), ("correctness", 2, ANA, "discarded")],
        model="atlas",
    ),
    record("r3", {"source": "x"}, []),
]


def main(folder):
    places = ("tools/exports/argilla", True), ("cases/argilla_nested", False)
    for name, flatten in places:
        found = GenericIO.to_list(RECORDS, flatten=flatten)
        text = json.dumps(found, indent=1, ensure_ascii=False, default=str)
        Path(folder, "../..", f"{name}.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
