"""Write promptfoo results with local providers, and rate two answers through its own server.

`promptfoo` must be on the PATH. Usage: write_promptfoo.py FOLDER
"""

import copy
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

CONFIG = Path(__file__).parent / "promptfoo"
PORT = 8679
MANUAL = "Manual result (overrides all other grading results)"
# As its web page does: the rating is added to the components and replaces the result.
RATINGS = {
    (0, 0): {"pass": True, "score": 1, "comment": "Right by the manual."},
    (0, 1): {"pass": False, "score": 0, "comment": ""},
    (1, 0): {"pass": False, "score": 0, "comment": "The pump is green."},
}


def main(folder):
    results = Path(folder) / "promptfoo.json"
    with tempfile.TemporaryDirectory() as settings:
        environment = {
            **os.environ,
            "PROMPTFOO_CONFIG_DIR": settings,
            "PROMPTFOO_DISABLE_TELEMETRY": "1",
            "PROMPTFOO_DISABLE_UPDATE": "1",
            "PROMPTFOO_DISABLE_REMOTE_GENERATION": "true",
        }
        promptfoo(environment, "eval", "--no-progress-bar", "--no-cache", "--repeat", "2",
                  "--max-concurrency", "1", "-o", str(results), codes=(0, 100))  # fmt: skip
        written = json.loads(results.read_text())
        view = ["promptfoo", "view", "--port", str(PORT), "--no"]
        server = subprocess.Popen(view, env=environment, stdout=subprocess.DEVNULL)
        try:
            rate(written)
        finally:
            server.terminate()
            server.wait()
        for file in (results, results.with_suffix(".jsonl")):
            promptfoo(environment, "export", "eval", written["evalId"], "-o", str(file))
    exported = json.loads(results.read_text())
    del exported["config"]["outputPath"]  # a path of this machine
    results.write_text(json.dumps(exported, indent=1, ensure_ascii=False))


def promptfoo(environment, *arguments, codes=(0,)):
    """Run promptfoo; it ends with 100 where a test failed."""
    done = subprocess.run(["promptfoo", *arguments], cwd=CONFIG, env=environment)
    assert done.returncode in codes, done.returncode


def rate(written):
    """Rate the first repeat of some answers, by test and provider."""
    rated = set()
    for result in written["results"]["results"]:
        place = result["testIdx"], result["promptIdx"]
        if place not in RATINGS or place in rated:
            continue
        rated.add(place)
        human = {**RATINGS[place], "reason": MANUAL, "assertion": {"type": "human"}}
        graded = copy.deepcopy(result["gradingResult"])
        graded["componentResults"].append(human)
        graded.update(human, assertion=None)
        post(f"/api/eval/{written['evalId']}/results/{result['id']}/rating", graded)


def post(path, body):
    request = urllib.request.Request(
        f"http://localhost:{PORT}{path}",
        data=json.dumps(body).encode(),
        headers={"content-type": "application/json"},
    )
    for _ in range(60):
        try:
            return urllib.request.urlopen(request).read()
        except urllib.error.HTTPError:
            raise
        except urllib.error.URLError:
            time.sleep(0.5)  # the server is starting
    raise TimeoutError(path)


if __name__ == "__main__":
    main(sys.argv[1])
