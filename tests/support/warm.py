"""Processes of the command line that are forked from a warmed interpreter, and killed on purpose.

Each is a process of its own, and costs no start-up; so a test can afford many. Run as a script
this is the interpreter: every line on standard input is a command, answered by the number of its
process, and by the exit code once that has ended.
"""

import datetime
import itertools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, Self

from tests.support.patience import PATIENT_S
from tests.support.source import ROOT

IMPORTED = (
    "cli",
    "concord.judges.run.judging",
    "concord.judges.transport.client",
    "concord.judges.definition.prices",
)


class Moment(NamedTuple):
    """Where in the program a process kills itself: before or after a function's n-th call."""

    module: str
    function: str
    call: int = 1
    after: bool = False


class Warm:
    """A warmed interpreter; a context manager. One process at a time.

    What the local server is asked has a price there: 2 USD a million tokens in, 10 out.
    """

    def __init__(self, folder: Path):
        self._said = folder / "said.txt"

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "tests.support.warm"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._process = subprocess.Popen(command, cwd=ROOT, **pipes)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=PATIENT_S)

    def start(self, *words: object, dies: Moment | None = None) -> int:
        """Start a verb; returns the number of its process."""
        command = [[str(word) for word in words], str(self._said), dies]
        print(json.dumps(command), file=self._process.stdin, flush=True)
        return int(self._process.stdout.readline())

    def ended(self) -> tuple[int, str]:
        """Exit code (minus the signal of one that was killed) and what was printed."""
        code = int(self._process.stdout.readline())
        return code, self._said.read_text(encoding="utf-8")


def main() -> None:
    """Fork for each command until there are no more."""
    sys.path.insert(0, str(ROOT))
    for name in IMPORTED:
        import_module(name)
    for line in sys.stdin:
        words, said, dies = json.loads(line)
        number = os.fork()
        if number == 0:
            _become(words, said, Moment(*dies) if dies else None)
        print(number, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]), flush=True)


def _become(words: list[str], said: str, dies: Moment | None) -> None:
    """Be a process of the command line from here on."""
    with open(os.devnull, "rb") as nothing, open(said, "wb") as file:
        os.dup2(nothing.fileno(), 0)
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    _price_the_local_server()
    if dies:
        _arm(dies)
    sys.argv = ["cli.py", *words]
    try:
        import_module("cli").main()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def _price_the_local_server() -> None:
    price = import_module("concord.judges.definition.prices")
    here = {"host": "127.0.0.1", "date": datetime.date(2026, 1, 1), "source": "a test"}
    found = price.Price(model="m", input=2, output=10, **here)
    price.load = lambda: (found,)


def _arm(dies: Moment) -> None:
    """Have the process kill itself at a moment."""
    owner, calls = import_module(dies.module), itertools.count(1)
    wanted: Callable = getattr(owner, dies.function)

    def deadly(*values, **named):
        last = next(calls) == dies.call
        if last and not dies.after:
            os.kill(os.getpid(), signal.SIGKILL)
        result = wanted(*values, **named)
        if last:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, dies.function, deadly)


if __name__ == "__main__":
    main()
