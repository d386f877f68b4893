"""Other tools that judge answers by a model, each in the Python where it is installed.

`benchmarks/peers/` has a file for each. Nothing they do may leave the machine: they see none of
this process's environment but the path, and their telemetry, updates and uploads are off by their
own documented variables.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import judged
from benchmarks.peers.run import adapter

NAMES = ("ragas", "deepeval", "promptfoo", "inspect_ai", "mlflow")
RUN = Path(__file__).parent / "peers" / "run.py"
ABSENT = "not installed"
OFF = {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "DEEPEVAL_DISABLE_DOTENV": "1",
    "DEEPEVAL_NO_INSPECT_PROMPT": "1",
    "RAGAS_DO_NOT_TRACK": "true",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_MODEL_CATALOG_URI": "",  # else it fetches the list of models and prices
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
    "PROMPTFOO_DISABLE_SHARING": "1",
    "METADATA_SERVER_DETECTION": "none",  # else promptfoo looks for a cloud's metadata server
    "DO_NOT_TRACK": "1",
}


class Peer(NamedTuple):
    """A tool that is installed: its name, its version, and the Python that runs its adapter."""

    name: str
    version: str
    python: str
    promptfoo: str

    @property
    def label(self) -> str:
        """The tool's name and version, for a line of print."""
        return f"{self.name} {self.version}"


class Ran(NamedTuple):
    """What a tool made of the answers, when it had it all (seconds since 1970), and its peak."""

    scores: list[float | None]
    ended: float
    peak_mb: float


def all_installed(pythons: Sequence[str], promptfoo: str) -> dict[str, Peer | None]:
    """Every tool by name, None for those that are absent."""
    return {name: installed(name, pythons, promptfoo) for name in NAMES}


def installed(name: str, pythons: Sequence[str], promptfoo: str) -> Peer | None:
    """The tool in the first Python that has it; None where none has."""
    if name == "promptfoo":
        program = str(Path(shutil.which(promptfoo) or promptfoo).absolute())
        version = _said([program, "--version"])
        return Peer(name, version, sys.executable, program) if version else None
    asking = f"import importlib.metadata as m; print(m.version({name!r}))"
    for python in pythons:
        if version := _said([python, "-P", "-c", asking]):
            return Peer(name, version, python, promptfoo)
    return None


def run(peer: Peer, answers: Path, url: str, in_flight: int) -> Ran:
    """The tool over the answers of a file, in a folder of its own; exits where it fails."""
    command = [peer.python, "-P", str(RUN), peer.name, f"--url={url}", f"--answers={answers}"]
    command += [f"--in-flight={in_flight}", f"--promptfoo={peer.promptfoo}"]
    with tempfile.TemporaryDirectory() as folder:
        told = subprocess.run(
            command, cwd=folder, env=_environment(folder), capture_output=True, text=True
        )
    if told.returncode:
        sys.exit(f"{peer.label} failed:\n{told.stderr[-2000:]}")
    return Ran(**json.loads(told.stdout))


def line(name: str, peer: Peer | None, place: Path, latency: float, in_flight: int, ideal: float):
    """What one tool takes for the answers prepared in a folder; without a figure where absent."""
    if peer is None:
        return f"{name:28} {ABSENT}"
    with judged.serving(latency, "--forget", f"--reply={adapter(name).REPLY}") as url:
        ran = run(peer, place / "answers.jsonl", url, in_flight)
        seen = judged.seen(url)
    seconds = ran.ended - seen["first"]
    right = sum(score == adapter(name).SCORE for score in ran.scores)
    asked = len((place / "answers.jsonl").read_text("utf-8").splitlines())
    lost = "" if right == asked else f", only {right:,} of {asked:,} scored"
    return (
        f"{peer.label:28} {seconds:7.2f} s {seconds / ideal:5.2f} x   {seen['most_in_flight']} in"
        f" flight reached, {ran.peak_mb:.0f} MB{lost}"
    )


def _environment(folder: str) -> dict[str, str]:
    """The path, a home of its own, and everything that reports switched off."""
    return {"PATH": os.environ["PATH"], "HOME": folder, **OFF}


def _said(command: list[str]) -> str:
    """What a command prints; '' where it fails or is not there."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            told = subprocess.run(
                command, cwd=folder, env=_environment(folder), capture_output=True, text=True
            )
        except OSError:
            return ""
    return told.stdout.strip() if told.returncode == 0 else ""
