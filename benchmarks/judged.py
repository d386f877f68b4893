"""The sheet, the server and the verb that the benchmarks of judge runs share.

It imports nothing of Concord, see `judged_sheet.py`.
"""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent
RUBRIC = "doc-qa-0-3"


def prepare(place: Path, answers: int, bodies: bool = True, decisions: bool = False) -> None:
    """A database with the sheet in a folder; and for other clients answers and requests."""
    command = [sys.executable, "-m", "benchmarks.judged_sheet", str(place), str(answers)]
    options = [*["--bodies"] * bodies, *["--decisions"] * decisions]
    subprocess.run([*command, *options], cwd=ROOT, check=True)


def judge_file(url: str, decisions: bool = False) -> str:
    """A judge at the server, as a user writes it."""
    kind = 'kind = "decision"\ndialect = "openai"\n' if decisions else ""
    about = f'name = "mine"\n{kind}model = "m"\nrubric = "{RUBRIC}"\n'
    return f'{about}[endpoint]\nbase_url = "{url}"\n'


@contextmanager
def serving(latency: float, *options: str, decisions: bool = False) -> Iterator[str]:
    """The server of the tests in a process of its own; its address."""
    command = [sys.executable, "-m", "tests.support.endpoint", f"--latency={latency}", *options]
    command += ["--decisions"] * decisions
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def seen(url: str) -> dict:
    """How many requests the server had, and when the first and the last (seconds since 1970)."""
    with urllib.request.urlopen(url.replace("/v1", "/seen")) as reply:
        return json.load(reply)


def judging(db: Path, url: str, in_flight: int, decisions: bool = False) -> list[str]:
    """The command that judges a database's sheet and prints its one JSON document."""
    judge = db.with_suffix(".toml")
    judge.write_text(judge_file(url, decisions), encoding="utf-8")
    command = [sys.executable, str(ROOT / "cli.py"), "--db", str(db), "judge", str(judge)]
    return [*command, "--yes", "--json", f"--concurrency={in_flight}"]
