"""Exported judges in the tools themselves: `python -m tests.interop.judges [TOOL ...] [KIND ...]`.

Each tool gets an environment of its own (in `.interop`, or the folder named by the variable
INTEROP) and runs the exported file against a local server. What the server was sent is compared
with Concord's requests, byte by byte, and the scores with those that Concord reads.
"""

import json
import os
import subprocess
import sys
import tempfile
import venv
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from concord.judges.prompting.prompt import parts
from concord.judges.prompting.reply import verdicts_of
from concord.judges.prompting.request import encoded
from concord.model import Item
from tests.support.judges import exported
from tests.support.source import ROOT

TOOLS = {
    "deepeval": ("deepeval==4.3.1",),
    "inspect": ("inspect-ai==0.3.285",),
    "mlflow": ("mlflow-skinny==3.17.2", "pandas", "sqlalchemy", "alembic"),
    "openevals": ("openevals==0.2.2",),
    # promptfoo needs Node 22.22 or newer, which the package `node` brings.
    "promptfoo": ("node@22", "promptfoo@0.123.1"),
}
# What a tool's own records hold of an item, where that is not all.
HELD_BY = {
    "deepeval": lambda item: item._replace(turns=None, reference=item.reference[:1]),
    "promptfoo": lambda item: item._replace(question=item.question.removesuffix("\n")),
}
QUIET = {
    "MY_KEY": "sk-exported-0123456789",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "LANGSMITH_TRACING": "false",
    "HF_HUB_OFFLINE": "1",
}


def environment(tool: str, packages: Sequence[str] = ()) -> Path:
    """Install a tool and return the folder of its environment."""
    folder = Path(os.environ.get("INTEROP", ROOT / ".interop")).absolute() / tool
    if tool == "promptfoo":
        folder.mkdir(parents=True, exist_ok=True)
        install = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", folder]
    else:
        if not (folder / "bin" / "python").exists():
            venv.create(folder, with_pip=True)
        install = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "openai"]
    subprocess.run([*install, *(packages or TOOLS[tool])], check=True)
    return folder


def run(tool: str, place: Path, kind: str) -> list[str]:
    """Run a judge of a kind in a tool at a place; returns how it differed from Concord."""
    items = [HELD_BY.get(tool, lambda item: item)(one) for one in exported.ITEMS.values()]
    with exported.server(kind) as server, tempfile.TemporaryDirectory() as name:
        folder, of = Path(name), exported.setup(kind, server.url)
        exported.written(tool, exported.exported(of, folder), folder)
        try:
            scores = graded(tool, place, folder, [exported.arguments(item) for item in items])
        except RuntimeError as error:
            return [str(error)]
        sent = Counter(one.digest for one in server.seen)
        return _apart(of, items, sent, scores, server)


def graded(tool: str, place: Path, folder: Path, items: list[dict]) -> list:
    """Grade items with the exported file of a folder in its tool; return their scores.

    Raises:
        RuntimeError: The tool failed; with the end of what it said.
    """
    (folder / "items.json").write_text(json.dumps(items), encoding="utf-8")
    script = ROOT / "tests" / "interop" / f"{tool}_judge.py"
    # promptfoo is no Python package, and runs the file with an interpreter that has openai.
    python = sys.executable if tool == "promptfoo" else place / "bin" / "python"
    path = f"{place / 'node_modules' / '.bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [python, script],
        cwd=folder,
        env={**os.environ, **QUIET, "PATH": path, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-3000:] or done.stdout[-3000:])
    return json.loads((folder / "scores.json").read_text(encoding="utf-8"))


def _apart(of, items: list[Item], sent: Counter, scores: list, server) -> list[str]:
    """Return what differs in the requests and in the scores."""
    wanted, found = Counter(), []
    for item, given in zip(items, scores, strict=True):
        bodies = exported.ours(of, item)
        wanted.update(sha256(encoded(body)).hexdigest()[:16] for body in bodies)
        verdicts = {}
        for criteria, body in zip(parts(of.judge, of.rubric).values(), bodies, strict=True):
            names = [one.name for one in criteria]
            reply = server.completion(body)
            verdicts |= verdicts_of(of.judge, reply, names, of.rubric.scale)
        read = {name: verdict.score for name, verdict in verdicts.items()}
        found += [] if given == read else [f"{item.own_id}: {given} instead of {read}"]
    if sent != wanted:
        found.append(f"{(sent - wanted).total()} of {sent.total()} requests differ")
    return found


def main() -> None:
    """Run every judge in the tools named, or in all; ends with 1 where one differs."""
    failed = False
    kinds = [kind for kind in exported.KINDS if kind in sys.argv] or exported.KINDS
    for tool in [tool for tool in TOOLS if tool in sys.argv] or TOOLS:
        place = environment(tool)
        for kind in kinds:
            apart = run(tool, place, kind)
            failed = failed or bool(apart)
            print(f"{tool}, {kind}: {'; '.join(apart) or 'the same requests and scores'}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
