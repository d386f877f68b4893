"""promptfoo: `promptfoo eval` with an `llm-rubric` over outputs that are already there."""

import json
import os
import subprocess
from pathlib import Path

REPLY = (
    '{"reason": "The answer names the valve and when it is closed.", "pass": true, "score": 0.7}'
)
SCORE = 0.7
# With its telemetry off it still reports that it is off; so what leaves the machine goes to a port
# where nobody listens.
NOWHERE = {"HTTPS_PROXY": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1"}


def judge(asked) -> list[float | None]:
    """The score of every answer; None where promptfoo calls the result an error."""
    judging = {"id": "openai:chat:m", "config": {"apiBaseUrl": asked.url, "apiKey": "none"}}
    rubric = {"type": "llm-rubric", "value": asked.criterion, "provider": judging}
    config = {
        "prompts": ["{{answer}}"],
        "providers": ["echo"],
        "defaultTest": {"assert": [rubric]},
        "tests": [{"vars": answer} for answer in asked.answers],
    }
    Path("promptfooconfig.json").write_text(json.dumps(config), encoding="utf-8")
    command = [asked.promptfoo, "eval", "--config=promptfooconfig.json", "--output=out.json"]
    command += ["--no-cache", "--no-table", "--no-progress-bar"]
    command += [f"--max-concurrency={asked.in_flight}"]
    # It ends with 100 where an assertion failed.
    subprocess.run(command, stdout=subprocess.DEVNULL, env=os.environ | NOWHERE)
    told = json.loads(Path("out.json").read_text("utf-8"))["results"]["results"]
    return [_score(result) for result in told]


def _score(result: dict) -> float | None:
    """The score, unless promptfoo says that nothing could be judged (2 is its error)."""
    return None if result["failureReason"] == 2 else float(result["score"])
