"""Concord runs on what pyproject.toml declares, and on nothing that only the tests need."""

import os
import re
import subprocess
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions, requires

import pytest
from packaging.requirements import Requirement

from tests.support.source import ALL, ROOT, imports, name

# What a module does without, saying so, where the extra is not installed.
OPTIONAL = {
    "concord/importing/recognition.py": {"backports"},
    "concord/judges/run/cluster.py": {"distributed"},
    "concord/judges/transport/cross_encoder.py": {"sentence_transformers", "torch", "transformers"},
    "concord/mcp/server.py": {"mcp", "mcp_types"},
    "concord/pytest_plugin.py": {"pytest"},  # by which alone it is loaded
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


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RUNTIME = PROJECT["project"]["dependencies"]
EXTRAS = PROJECT["project"]["optional-dependencies"]
DEV = PROJECT["dependency-groups"]["dev"]
# Lock file -> what it is resolved from, as the Makefile's target `lock` says.
LOCKED = {
    "requirements.txt": [
        *RUNTIME,
        *(wanted for extra in ("team", "zstd") for wanted in EXTRAS[extra]),
    ],
    "requirements-dev.txt": [*EXTRAS["dask"], *EXTRAS["mcp"], *DEV],
}


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
    """The distributions that Concord's own dependencies bring."""
    return brought([*map(Requirement, RUNTIME)])


@cache
def owners() -> dict[str, set[str]]:
    """Which distributions a top-level package comes from."""
    return {top: {*map(canonical, names)} for top, names in packages_distributions().items()}


def run(script: str, tmp_path) -> subprocess.CompletedProcess:
    """A script in a Python that has only what Concord's own dependencies bring."""
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
        if top not in {*sys.stdlib_module_names, "concord"}
    }
    without = {(file, top) for file, tops in OPTIONAL.items() for top in tops}
    missing = {(file, top) for file, top in foreign if runtime().isdisjoint(owners().get(top, ()))}
    assert missing <= without


def test_every_requirement_has_a_lower_bound_its_reason_and_its_licence():
    bounded = re.compile(
        r'    "[\w-]+(\[\w+\])?>=[\d.]+(,<[\d.]+)?'
        r"(; python_version < '3\.\d+')?"
        r'", +# \w.+\(.+\)'
    )
    lines = (ROOT / "pyproject.toml").read_text(encoding="utf-8").splitlines()
    declared = [line for line in lines if re.match(r' +"[^"]+[>=<]', line)]
    assert len(declared) == sum(map(len, [RUNTIME, DEV, *EXTRAS.values()]))
    assert [line for line in declared if not bounded.fullmatch(line)] == []


def test_streamlit_is_capped_below_the_next_version_that_may_change_what_the_walls_rely_on():
    (streamlit,) = [one for one in map(Requirement, RUNTIME) if one.name == "streamlit"]
    assert streamlit.specifier.contains("1.67.3") and not streamlit.specifier.contains("1.68.0")


def pins(file: str) -> dict[str, str]:
    """The version of every distribution that a lock file names."""
    text = (ROOT / file).read_text(encoding="utf-8")
    return dict(re.findall(r"^([\w.-]+)==(\S+)", text, re.MULTILINE))


@pytest.mark.parametrize(("file", "declared"), LOCKED.items())
def test_a_lock_file_answers_what_is_declared(file, declared):
    pinned = pins(file)
    for wanted in map(Requirement, declared):
        assert wanted.specifier.contains(pinned[canonical(wanted.name)]), f"`make lock`: {wanted}"


def test_development_adds_to_what_the_run_is_locked_to():
    assert not pins("requirements.txt").keys() & pins("requirements-dev.txt").keys()


@pytest.mark.parametrize("file", LOCKED)
def test_a_lock_file_has_hashes_and_names_no_place(file):
    text = (ROOT / file).read_text(encoding="utf-8")
    pinned = re.findall(r"^[\w.-]+==\S+.*\\\n    --hash=sha256:[0-9a-f]{64}", text, re.MULTILINE)
    assert len(pinned) == len(pins(file))
    assert "://" not in text and "--find-links" not in text and "index" not in text
