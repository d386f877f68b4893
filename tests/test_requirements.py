"""Concord runs on what requirements.txt brings, and on nothing that only the tests need."""

import os
import re
import subprocess
import sys
from functools import cache
from importlib.metadata import packages_distributions, requires

import pytest
from packaging.requirements import Requirement

from source import ALL, ROOMS, ROOT, imports, name

# What a module does without, saying so, where its own requirements file is not installed.
OPTIONAL = {
    "verbs/spread.py": {"distributed"},
    "judges/cross_encoder.py": {"sentence_transformers", "torch", "transformers"},
}
BLOCK = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked}:
            raise ModuleNotFoundError("only the tests have " + name)

sys.meta_path.insert(0, Blocker())
"""
HELP = """
import runpy
sys.argv = ["cli.py", "--help"]
runpy.run_path("cli.py", run_name="__main__")
"""
OPEN = """
from streamlit.testing.v1 import AppTest
app = AppTest.from_file("app.py", default_timeout=120).run()
assert not app.exception and not app.error, app
"""


def canonical(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()


def listed(file: str) -> list[Requirement]:
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    wanted = (line.partition("#")[0].strip() for line in lines)
    return [Requirement(line) for line in wanted if line and not line.startswith("-r")]


def brought(wanted: list[Requirement]) -> set[str]:
    """Every distribution that requirements bring, themselves included."""
    seen, left = set(), [(item.name, extra) for item in wanted for extra in ("", *item.extras)]
    while left:
        distribution, extra = left.pop()
        if (canonical(distribution), extra) in seen:
            continue
        seen.add((canonical(distribution), extra))
        for needed in map(Requirement, requires(distribution) or ()):
            if needed.marker is None or needed.marker.evaluate({"extra": extra}):
                left += [(needed.name, more) for more in ("", *needed.extras)]
    return {distribution for distribution, _ in seen}


@cache
def runtime() -> set[str]:
    """The distributions that requirements.txt brings."""
    return brought(listed("requirements.txt"))


@cache
def owners() -> dict[str, set[str]]:
    """Which distributions a top-level package comes from."""
    return {top: {*map(canonical, names)} for top, names in packages_distributions().items()}


def run(script: str, tmp_path) -> subprocess.CompletedProcess:
    """A script in a Python that has only what requirements.txt brings."""
    blocked = {top for top, names in owners().items() if runtime().isdisjoint(names)}
    assert {"pytest", "playwright"} <= blocked
    return subprocess.run(
        [sys.executable, "-c", BLOCK.format(blocked=blocked) + script],
        cwd=ROOT,
        env=os.environ | {"CONCORD_DB": str(tmp_path / "concord.db")},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("script", [HELP, OPEN], ids=["cli", "app"])
def test_it_runs_on_the_requirements_alone(script, tmp_path):
    done = run(script, tmp_path)
    assert done.returncode == 0, done.stderr


def test_every_import_comes_with_the_requirements():
    foreign = {
        (name(path), top)
        for path in ALL
        for top in {module.partition(".")[0] for module, _ in imports(path)}
        if top not in {*sys.stdlib_module_names, *ROOMS}
    }
    without = {(file, top) for file, tops in OPTIONAL.items() for top in tops}
    missing = {(file, top) for file, top in foreign if runtime().isdisjoint(owners().get(top, ()))}
    assert missing <= without


def test_every_requirement_has_a_lower_bound_and_its_reason():
    bounded = re.compile(r">=[\d.]+(,<[\d.]+)? +# \w.+\(.+\)$")
    for file in ROOT.glob("requirements*.txt"):
        for line in file.read_text(encoding="utf-8").splitlines():
            assert line.startswith(("#", "-r")) or bounded.search(line)


def test_streamlit_is_capped_below_the_next_version_that_may_change_what_the_walls_rely_on():
    (streamlit,) = [wanted for wanted in listed("requirements.txt") if wanted.name == "streamlit"]
    assert streamlit.specifier.contains("1.67.3") and not streamlit.specifier.contains("1.68.0")
