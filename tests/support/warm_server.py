"""Servers forked from a process that has imported everything: each starts without those seconds.

That process is started with the first server, from the environment of the tests.
"""

import multiprocessing
import os
import sys
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

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
