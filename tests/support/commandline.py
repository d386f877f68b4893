"""The command line as tests drive it: verbs in this process, real processes, and their files."""

import os
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner, Result

from concord.cli import cli
from tests.support.source import ROOT

ANSWERS = "item_id,question_id,question,answer,model\n"
GRADES = "item_id,criterion,grader,grader_kind,score\n"


def invoke(db: Path, *words: object, given: str | None = None) -> Result:
    """A verb in this process; a fault that is no Problem is raised."""
    said = ["--db", str(db), *map(str, words)]
    return CliRunner().invoke(cli, said, input=given, catch_exceptions=False)


def without_keys() -> dict[str, str]:
    """The environment without what a judge could be asked with."""
    return {name: value for name, value in os.environ.items() if not name.startswith("OPENAI")}


def spawn(db: Path, *words: object, **options) -> subprocess.Popen:
    """A verb as a real process."""
    command = [sys.executable, "cli.py", "--db", str(db), *map(str, words)]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | options
    return subprocess.Popen(command, cwd=ROOT, **options)


def grades_file(tmp_path, rows, name="g.csv"):
    path = tmp_path / name
    path.write_text(GRADES + "\n".join(rows), encoding="utf-8")
    return path


def judge_file(folder: Path, url: str, more: str = "", price: str = "0") -> str:
    """The path of a new file of the judge `mine` at a server."""
    path = folder / "mine.toml"
    path.write_text(
        f'name = "mine"\nmodel = "m"\nrubric = "doc-qa-0-3"\nprice = {price}\n{more}\n'
        f'[endpoint]\nbase_url = "{url}"\n',
        encoding="utf-8",
    )
    return str(path)
