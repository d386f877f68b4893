"""Exported judges in the tools: `python -m tests.interop.judges [TARGET ...] [KIND ...]`.

Each tool gets an environment of its own (in `.interop`, or the folder named by the variable
INTEROP) and runs the exported file against a local server. What the server was sent is compared,
key by key and sign by sign, with Concord's requests, and the scores with those that Concord reads.
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

from concord.definitions import encoded
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


def run(target: str, place: Path, kind: str) -> list[str]:
    """Run a judge of a kind in its tool at a place; returns how it differed."""
    held = HELD_BY.get(target, lambda item: item)
    items = [held(item) for item in exported.ITEMS.values()]
    with exported.server(kind) as server, tempfile.TemporaryDirectory() as name:
        folder, of = Path(name), exported.setup(kind, server.url)
        what = exported.exported(of, folder)
        exported.written(target, what, folder)
        try:
            scores = graded(target, place, folder, items)
        except RuntimeError as error:
            return [str(error)]
        bodies = [exported.ours(of, item) for item in items]
        read = [_read(of, each, server) for each in bodies]
    wanted = Counter(digest(body) for each in bodies for body in each)
    sent = Counter(one.digest for one in server.seen)
    differing = (sent - wanted).total() or (wanted - sent).total()
    return [
        *(f"{given} instead of {own}" for given, own in zip(scores, read, strict=True)
          if given != own),
        *([f"{differing} of {sent.total()} requests differ"] if differing else []),
    ]  # fmt: skip


def digest(body: dict) -> str:
    """Return the digest of a request as the server has it."""
    return sha256(encoded(body)).hexdigest()[:16]


def graded(tool: str, place: Path, folder: Path, items: list[Item]) -> list:
    """Grade items with the exported file of a folder in its tool; return their scores.

    Raises:
        RuntimeError: The tool failed; with the end of what it said.
    """
    given = json.dumps([exported.arguments(item) for item in items])
    (folder / "items.json").write_text(given, encoding="utf-8")
    # promptfoo is no Python package, and runs the file with an interpreter that has openai.
    python = sys.executable if tool == "promptfoo" else place / "bin" / "python"
    path = f"{place / 'node_modules' / '.bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [python, ROOT / "tests" / "interop" / "run_judge.py", tool],
        cwd=folder,
        env={**os.environ, **QUIET, "PATH": path, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-3000:] or done.stdout[-3000:])
    return json.loads((folder / "scores.json").read_text(encoding="utf-8"))


def _read(of, bodies: list[dict], server) -> dict[str, int | None]:
    """Return the scores that Concord reads of the server's replies."""
    verdicts = {}
    for criteria, body in zip(of.judge.parts(of.rubric).values(), bodies, strict=True):
        names = [one.name for one in criteria]
        verdicts |= of.judge.read(server.completion(body), names, of.rubric.scale)
    return {name: verdict.score for name, verdict in verdicts.items()}


def main() -> None:
    """Run every judge in the tools named, or in all; ends with 1 where one differs."""
    failed, targets = False, [*TOOLS]
    for target in [one for one in targets if one in sys.argv] or targets:
        place = environment(target)
        for kind in [kind for kind in exported.KINDS if kind in sys.argv] or exported.KINDS:
            apart = run(target, place, kind)
            failed = failed or bool(apart)
            print(f"{target}, {kind}: {'; '.join(apart) or 'the same requests and scores'}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
