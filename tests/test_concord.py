"""The public names of the package, which are loaded when they are first used."""

import inspect
import re
import subprocess
import sys

import pytest

import concord
from tests.support.source import ROOT

HEAVY = ("pandas", "numpy", "openai", "sqlite3", "streamlit", "concord.messages")


@pytest.mark.parametrize("module", ["concord", "concord.pytest_plugin"])
def test_importing_it_loads_nothing_else(module):
    script = f"import {module}, sys; print(*[name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []


def test_every_public_name_is_there_and_documented():
    page = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
    assert {*concord.__all__} <= {*dir(concord)}
    for name in concord.__all__:
        found = getattr(concord, name)
        assert inspect.getdoc(found) and re.search(rf"\b{name}\b", page)


@pytest.mark.parametrize(
    "name", ["import_answers", "import_grades", "judge", "agreement", "choose"]
)
def test_a_function_describes_its_arguments_result_and_errors(name):
    function = getattr(concord, name)
    said = inspect.getdoc(function)
    explained = said.partition("Args:")[2].partition("Returns:")[0]
    assert all(f"    {one}: " in explained for one in inspect.signature(function).parameters)
    assert "Raises:\n    Problem: " in said


@pytest.mark.parametrize(
    "name", ["open_store", "import_answers", "import_grades", "judge", "agreement", "choose"]
)
def test_a_type_checker_sees_every_argument_and_result(name):
    function = getattr(concord, name)
    assert {*inspect.signature(function).parameters, "return"} == {*function.__annotations__}
    assert (ROOT / "concord" / "py.typed").is_file()  # else mypy takes every name for Any


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        getattr(concord, "nothing")  # noqa: B009
