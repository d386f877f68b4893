"""Send exported grades by Langfuse's client to a local server; needs `langfuse`.

In a folder with grades.jsonl; what the client sent is in found.json.
"""

import json
from pathlib import Path

from langfuse.api import LangfuseAPI
from langfuse.api.core.pydantic_utilities import parse_obj_as
from langfuse.api.scores.types.create_scores_request import CreateScoresRequest
from recording_server import recording

if __name__ == "__main__":
    lines = Path("grades.jsonl").read_text(encoding="utf-8").splitlines()
    scores = parse_obj_as(CreateScoresRequest, [json.loads(line) for line in lines])
    with recording({"accepted": len(scores)}) as (url, seen):
        client = LangfuseAPI(base_url=url, username="public", password="secret")
        client.scores.create(request=scores)
    Path("found.json").write_text(json.dumps(seen), encoding="utf-8")
