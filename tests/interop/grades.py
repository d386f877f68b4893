"""Exported grades in the tools that read them: `python -m tests.interop.grades`."""

import io
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow.parquet

from concord.exporting import tool_grades
from concord.store.database import open_store
from tests.interop.judges import QUIET, environment
from tests.support.exports import REASON, TRACE, graded_traces
from tests.support.source import ROOT

# Tools that no judge is exported for.
PACKAGES = {
    "langfuse": ("langfuse==5.0.4",),
    "phoenix": ("arize-phoenix-client==3.5.0",),
    "huggingface": ("datasets==5.2.0",),
}


def told(folder: Path, tool: str, what: str) -> None:
    """Run a part of `read_grades.py` in a folder."""
    script = ROOT / "tests" / "interop" / "read_grades.py"
    python = environment(tool, PACKAGES.get(tool, ())) / "bin" / "python"
    subprocess.run([python, script, what], cwd=folder, env=os.environ | QUIET, check=True)


def lines(content: bytes) -> list:
    return [json.loads(line) for line in content.splitlines()]


PEOPLE = [["correctness", "HUMAN", who, n, REASON] for who, n in (("Ana", 3), ("Ben", 1))]
WHY = f"correctness: {REASON}"
# What a tool has after reading a file of grades: assessments, scores of Ana, requests, rows.
WANTED = {
    "mlflow": lambda content: [*PEOPLE, ["correctness", "LLM_JUDGE", "careful", 2, REASON]],
    "inspect": lambda content: [["002-atlas", 1, 2, WHY], ["s 1", 2, 0, WHY]],
    "langfuse": lambda content: [["/api/public/scores", lines(content)]],
    "phoenix": lambda content: [["/v1/span_annotations", *lines(content)]],
    "huggingface": lambda content: pyarrow.parquet.read_table(io.BytesIO(content)).to_pylist(),
}


def is_as_exported(tool: str, folder: Path) -> bool:
    """Return whether a tool has what was exported, after reading it in a folder."""
    trace, graders = TRACE, ()
    if tool == "mlflow":
        told(folder, tool, "trace")
        trace = (folder / "trace.txt").read_text(encoding="utf-8")
    if tool == "inspect":
        trace, graders = "tr-none", ("Ana",)
    with open_store(folder / "concord.db") as store:
        written = tool_grades.write(store, graded_traces(store, trace), tool, graders)
    (folder / "grades.jsonl").write_bytes(written.content)
    told(folder, tool, tool)
    found = json.loads((folder / "found.json").read_text(encoding="utf-8"))
    return found == WANTED[tool](written.content)


def main() -> None:
    """Compare what each tool has with what was exported; ends with 1 where it differs."""
    failed = False
    for tool in WANTED:
        with tempfile.TemporaryDirectory() as name:
            same = is_as_exported(tool, Path(name))
        failed = failed or not same
        print(f"grades in {tool}: {'as exported' if same else 'different'}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
