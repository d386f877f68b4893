"""Write Langfuse scores of API v3 as the SDK's client reads them.

Usage: write_langfuse.py FOLDER
"""

import json
import sys
from pathlib import Path

from langfuse.api.client import LangfuseAPI
from recording_server import recording

AT = "2026-11-01T10:00:00.000Z"
WHY = "As in the manual."
JUDGED = {"model": "gpt-4.1-mini"}
GIVEN = [  # name, source, type, value, kind and id of the subject, comment, author, metadata
    ("correctness", "ANNOTATION", "CATEGORICAL", "good", "trace", "t1", WHY, "u-ana", None),
    ("correctness", "EVAL", "CATEGORICAL", "good", "trace", "t1", "It fits.", None, JUDGED),
    ("correctness", "ANNOTATION", "CATEGORICAL", "bad", "trace", "t2", None, "u-bo", None),
    ("correctness", "API", "NUMERIC", 0.4, "trace", "t2", None, None, None),
    ("grounded", "API", "BOOLEAN", True, "trace", "t1", None, None, None),
    ("note", "ANNOTATION", "TEXT", "Well said.", "trace", "t1", None, "u-ana", None),
    ("output", "ANNOTATION", "CORRECTION", "At 90 °C.", "trace", "t2", None, "u-ana", None),
    ("correctness", "ANNOTATION", "CATEGORICAL", "good", "session", "x1", None, "u-ana", None),
]


def main(folder):
    scores = [
        {
            "id": f"s{number}", "projectId": "p1", "environment": "default", "timestamp": AT,
            "createdAt": AT, "updatedAt": AT, "name": name, "source": source, "dataType": sort,
            "value": value, "subject": {"kind": kind, "id": place}, "comment": comment,
            "authorUserId": author, "configId": None, "queueId": None, "metadata": metadata,
        }
        for number, (name, source, sort, value, kind, place, comment, author, metadata)
        in enumerate(GIVEN, 1)
    ]  # fmt: skip
    with recording({"data": scores, "meta": {"limit": 50}}) as (address, _):
        read = LangfuseAPI(base_url=address, username="public", password="key").scores.get_many()
    text = json.dumps(json.loads(read.json()), indent=1, ensure_ascii=False)
    (Path(folder) / "langfuse_scores_v3.json").write_text(text)


if __name__ == "__main__":
    main(sys.argv[1])
