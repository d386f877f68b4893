"""Send exported grades by Phoenix's client to a local server; needs `arize-phoenix-client`.

In a folder with grades.jsonl; what the client sent is in found.json.
"""

import json
from pathlib import Path

from phoenix.client import Client
from recording_server import recording

if __name__ == "__main__":
    body = json.loads(Path("grades.jsonl").read_text(encoding="utf-8"))
    with recording({"data": []}) as (url, seen):
        Client(base_url=url).spans.log_span_annotations(span_annotations=body["data"])
    Path("found.json").write_text(json.dumps(seen), encoding="utf-8")
