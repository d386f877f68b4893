"""Exported grades in the tools that read them: `python -m tests.interop.grades`."""

import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
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


def found(folder: Path, tool: str, trace: str, graders: Sequence[str] = ()) -> tuple[bytes, list]:
    """Return what was exported, and what a tool has after reading it."""
    with open_store(folder / "concord.db") as store:
        written = tool_grades.write(store, graded_traces(store, trace), tool, graders)
    (folder / "grades.jsonl").write_bytes(written.content)
    told(folder, tool, tool)
    return written.content, json.loads((folder / "found.json").read_text(encoding="utf-8"))


def mlflow(folder: Path) -> bool:
    """Return whether MLflow has the grades as assessments of their graders."""
    told(folder, "mlflow", "trace")
    trace = (folder / "trace.txt").read_text(encoding="utf-8")
    people = [["correctness", "HUMAN", who, n, REASON] for who, n in (("Ana", 3), ("Ben", 1))]
    judge = ["correctness", "LLM_JUDGE", "careful", 2, REASON]
    return found(folder, "mlflow", trace)[1] == [*people, judge]


def inspect(folder: Path) -> bool:
    """Return whether Inspect has the scores of a grader."""
    why = f"correctness: {REASON}"
    wanted = [["002-atlas", 1, 2, why], ["s 1", 2, 0, why]]
    return found(folder, "inspect", "tr-none", ["Ana"])[1] == wanted


def langfuse(folder: Path) -> bool:
    """Return whether Langfuse's client sends the lines of the file as one list of scores."""
    content, sent = found(folder, "langfuse", TRACE)
    return sent == [["/api/public/scores", [json.loads(one) for one in content.splitlines()]]]


def phoenix(folder: Path) -> bool:
    """Return whether Phoenix's client sends the body that the file has."""
    content, sent = found(folder, "phoenix", TRACE)
    return sent == [["/v1/span_annotations", json.loads(content)]]


def huggingface(folder: Path) -> bool:
    """Return whether `load_dataset` has the rows of the file."""
    content, rows = found(folder, "huggingface", TRACE)
    return rows == pyarrow.parquet.read_table(io.BytesIO(content)).to_pylist()


def main() -> None:
    """Compare what each tool has with what was exported; ends with 1 where it differs."""
    failed = False
    for compare in (mlflow, inspect, langfuse, phoenix, huggingface):
        with tempfile.TemporaryDirectory() as name:
            same = compare(Path(name))
        failed = failed or not same
        print(f"grades in {compare.__name__}: {'as exported' if same else 'different'}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
