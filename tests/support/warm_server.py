"""Servers forked from a process that has imported everything: each starts without those seconds.

That process is started with the first server, from the environment of the tests.
"""

import multiprocessing
import os
import sys
from multiprocessing.process import BaseProcess
from pathlib import Path

FORKING = multiprocessing.get_context("forkserver")
FORKING.set_forkserver_preload(["tests.support.preloaded"])


def start(
    arguments: list[str], folder: Path, environment: dict[str, str], log: Path
) -> BaseProcess:
    """Run `streamlit` with these arguments, as `python -m streamlit` in that folder would."""
    process = FORKING.Process(target=_run, args=(arguments, folder, environment, log))
    process.start()
    return process


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
