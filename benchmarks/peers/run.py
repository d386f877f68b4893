"""One other tool over the answers of a file, as a process of its own; see `judge_run.py`.

    python -P benchmarks/peers/run.py ragas --url http://127.0.0.1:8123/v1 --answers answers.jsonl

It runs in the Python where the tool is installed, so it imports nothing of Concord. Each tool has a
file beside this one with `REPLY`, what its judge answers; `SCORE`, what the tool makes of it; and
`judge`, the tool's own documented way of having answers judged, with one request per answer.
`-P` keeps those files from hiding the packages they are named after.
"""

import argparse
import importlib.util
import json
import resource
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent
CRITERION = "The answer says which valve is closed, when it is closed and how it is opened again."


class Asked(NamedTuple):
    """What a tool is to do: `answers` have a `question` and an `answer`."""

    url: str
    answers: list[dict[str, str]]
    in_flight: int
    criterion: str = CRITERION
    promptfoo: str = "promptfoo"


def adapter(name: str) -> Any:
    """The file of one tool, under a name that hides no package."""
    found = importlib.util.spec_from_file_location(f"adapter_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def main() -> None:
    """Print the scores (null where there is none), when they were all there, and the peak in MB."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name")
    parser.add_argument("--url", required=True)
    parser.add_argument("--answers", type=Path, required=True)
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--promptfoo", default="promptfoo")
    given = parser.parse_args()
    answers = [json.loads(line) for line in given.answers.read_text("utf-8").splitlines()]
    asked = Asked(given.url, answers, given.in_flight, promptfoo=given.promptfoo)
    said, sys.stdout = sys.stdout, sys.stderr  # the tools print there too
    scores = adapter(given.name).judge(asked)
    ended = time.time()
    usages = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    peak = max(resource.getrusage(usage).ru_maxrss for usage in usages) / 1024
    print(json.dumps({"scores": scores, "ended": ended, "peak_mb": peak}), file=said)


if __name__ == "__main__":
    main()
