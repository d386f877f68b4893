"""Servers forked from a process that has imported everything: each starts without those seconds.

That process is started with the first server, from the environment of the tests.

Verbs as processes that start at once: forked from one that has imported the package.

They have pids, exit codes and signals of their own, and can be killed. What depends on how a
process starts or ends, on its pipes or its memory, is tested with `commandline.spawn`.
"""

import multiprocessing
import os
import shutil
import signal
import sys
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path
from subprocess import TimeoutExpired
from tempfile import mkdtemp
from types import ModuleType
from unittest.mock import patch
from weakref import finalize

from concord.resources import ROOT
from tests.support.patience import PATIENT_S

_FORKING = multiprocessing.get_context("forkserver")
_FORKING.set_forkserver_preload(["tests.support.preloaded"])


def forked(target: Callable, *arguments: object) -> BaseProcess:
    """Start a function in a process of its own.

    A test of a page leaves its script as the main module of the tests, and the process would run
    that script first.
    """
    process = _FORKING.Process(target=target, args=arguments)
    with patch.dict(sys.modules, {"__main__": ModuleType("__main__")}):
        process.start()
    return process


def start(
    arguments: list[str], folder: Path, environment: dict[str, str], log: Path
) -> BaseProcess:
    """Run `streamlit` with these arguments, as `python -m streamlit` in that folder would."""
    return forked(_run, arguments, folder, environment, log)


def _run(arguments: list[str], folder: Path, environment: dict[str, str], log: Path) -> None:
    with log.open("ab") as out:
        os.dup2(out.fileno(), 1)
        os.dup2(out.fileno(), 2)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    from streamlit.web.cli import main

    main(arguments, prog_name="streamlit")


class Verb:
    """A verb of the command line at work; it answers as `subprocess.Popen` does."""

    def __init__(self, db: Path | str, *words: object):
        folder = mkdtemp()
        finalize(self, shutil.rmtree, folder)
        self._said = [Path(folder, name) for name in ("out", "err")]
        arguments = ["cli.py", "--db", str(db), *map(str, words)]
        self._process = forked(_become, arguments, self._said, dict(os.environ))
        self.pid = self._process.pid

    @property
    def returncode(self) -> int | None:
        """Its exit code, minus the signal it was killed by; None while it runs."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """Its exit code; None while it runs."""
        return self._process.exitcode

    def wait(self, timeout: float = PATIENT_S) -> int:
        """Its exit code, once it has ended; TimeoutExpired where it goes on."""
        self._process.join(timeout)
        if self.returncode is None:
            raise TimeoutExpired("cli.py", timeout)
        return self.returncode

    def communicate(self, timeout: float = PATIENT_S) -> tuple[str, str]:
        """What it printed and what it complained of, once it has ended."""
        self.wait(timeout)
        out, err = (file.read_text("utf-8") if file.exists() else "" for file in self._said)
        return out, err

    def send_signal(self, number: int) -> None:
        """Send it a signal, where it still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it as a power cut would (SIGKILL)."""
        self._process.kill()


def _become(arguments: list[str], said: list[Path], environment: dict[str, str]) -> None:
    """Be a process of the command line from here on."""
    with open(os.devnull, "rb") as nothing, said[0].open("wb") as out, said[1].open("wb") as err:
        for number, file in enumerate((nothing, out, err)):
            os.dup2(file.fileno(), number)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(ROOT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = arguments
    from concord.cli import main

    main()
