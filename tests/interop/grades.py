"""Exported grades in the tools that read them: `python -m tests.interop.grades`."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from concord.exporting import tool_grades
from concord.store.database import open_store
from tests.interop.judges import QUIET, environment
from tests.support.source import ROOT
from tests.support.traces import REASON, graded_traces


def told(folder: Path, tool: str, *words: str) -> None:
    """Run a script of a tool in a folder."""
    script = ROOT / "tests" / "interop" / f"{tool}_grades.py"
    python = environment(tool) / "bin" / "python"
    subprocess.run([python, script, *words], cwd=folder, env={**os.environ, **QUIET}, check=True)


def found(folder: Path, tool: str, trace: str, graders: Sequence[str] = ()) -> list:
    """Return what a tool has after reading the exported grades."""
    with open_store(folder / "concord.db") as store:
        written = tool_grades.write(store, graded_traces(store, trace), tool, graders)
    (folder / "grades.jsonl").write_bytes(written.content)
    told(folder, tool, "read")
    return json.loads((folder / "found.json").read_text(encoding="utf-8"))


def main() -> None:
    """Compare what each tool has with what was exported; ends with 1 where it differs."""
    with tempfile.TemporaryDirectory() as name:
        told(Path(name), "mlflow", "trace")
        trace = (Path(name) / "trace.txt").read_text(encoding="utf-8")
        people = [["correctness", "HUMAN", who, n, REASON] for who, n in (("Ana", 3), ("Ben", 1))]
        judge = ["correctness", "LLM_JUDGE", "careful", 2, REASON]
        mlflow = found(Path(name), "mlflow", trace) == [*people, judge]
    with tempfile.TemporaryDirectory() as name:
        why = f"correctness: {REASON}"
        wanted = [["002-atlas", 1, 2, why], ["s 1", 2, 0, why]]
        inspect = found(Path(name), "inspect", "tr-none", ["Ana"]) == wanted
    print(f"grades in mlflow: {'as exported' if mlflow else 'different'}")
    print(f"grades in inspect: {'as exported' if inspect else 'different'}")
    sys.exit(not (mlflow and inspect))


if __name__ == "__main__":
    main()
