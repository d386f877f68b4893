"""Grade items with an exported judge as promptfoo runs an assertion; needs `promptfoo` (npm).

In a folder with items.json and judge.py, or judge.yaml with `llm-rubric` assertions; the scores are
written into scores.json. Templates are switched off: promptfoo would render what stands in braces
in an item.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

PROVIDER = """\
def call_api(prompt, options, context):
    return {"output": context["vars"]["answer"]}
"""

OF_PYTHON = {
    "options": {"disableVarExpansion": True},  # else a list is a test for each entry
    "assert": [{"type": "python", "value": "file://judge.py"}],
}

if __name__ == "__main__":
    items = json.loads(Path("items.json").read_text(encoding="utf-8"))
    Path("answers.py").write_text(PROVIDER, encoding="utf-8")
    config = {
        "prompts": ["{{answer}}"],
        "providers": ["file://answers.py"],
        "defaultTest": "file://judge.yaml" if Path("judge.yaml").exists() else OF_PYTHON,
        "tests": [{"vars": one} for one in items],
    }
    Path("promptfooconfig.json").write_text(json.dumps(config), encoding="utf-8")
    command = ["promptfoo", "eval", "-c", "promptfooconfig.json", "-o", "out.json"]
    settings = {
        "PROMPTFOO_CONFIG_DIR": str(Path("promptfoo").absolute()),
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
        "PROMPTFOO_DISABLE_TEMPLATING": "true",
        "PROMPTFOO_PYTHON": sys.executable,
    }
    done = subprocess.run(
        [*command, "--no-cache", "--no-table", "-j", "1"],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
    )
    if not Path("out.json").exists():
        sys.exit(done.stdout + done.stderr)
    results = json.loads(Path("out.json").read_text(encoding="utf-8"))["results"]["results"]
    results.sort(key=lambda one: one["testIdx"])
    scores = [one["gradingResult"]["namedScores"] for one in results]
    Path("scores.json").write_text(json.dumps(scores), encoding="utf-8")
