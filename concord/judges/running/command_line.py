"""Command lines: how one process of Concord names another, and the judge it is to run."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def command(
    db: str, verb: str, given: Mapping[str, Any], flags: Sequence[str], *arguments: str
) -> list[str]:
    """The command line of a command; options that are None are left out."""
    named = [f"--{key}={value}" for key, value in given.items() if value is not None]
    chosen = [f"--{flag}" for flag in flags]
    base = [sys.executable, "-m", "concord", "--db", str(Path(db).resolve()), verb]
    return [*base, *named, *chosen, *(["--"] if arguments else []), *arguments]


def argument(name_or_path: str) -> str:
    """A judge as another process finds it, whatever its working folder."""
    is_file = name_or_path.endswith(".toml")
    return str(Path(name_or_path).resolve()) if is_file else name_or_path
