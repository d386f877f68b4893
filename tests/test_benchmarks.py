"""What the benchmarks use of the package exists: nothing else runs all of them."""

import ast
import importlib
import inspect
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


def imported(tree: ast.AST) -> dict[str, Any]:
    """What a file imports from the package, by the name it has there."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("concord"):
            module = importlib.import_module(node.module)
            for one in node.names:
                if not hasattr(module, one.name):
                    importlib.import_module(f"{node.module}.{one.name}")
                found[one.asname or one.name] = getattr(module, one.name)
    return found


def meant(node: ast.AST, names: dict[str, Any]) -> Any:
    """The object of the package that a name or `module.name` means; None for any other."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        module = names.get(node.value.id)
        return getattr(module, node.attr) if isinstance(module, ModuleType) else None
    return None


@pytest.mark.parametrize("path", sorted(Path("benchmarks").rglob("*.py")), ids=str)
def test_what_a_benchmark_names_is_there_and_takes_its_arguments(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = imported(tree)
    for node in ast.walk(tree):
        one = meant(node.func if isinstance(node, ast.Call) else node, names)
        if isinstance(node, ast.Call) and (inspect.isfunction(one) or inspect.isclass(one)):
            takes = inspect.signature(one).parameters
            if not any(each.kind is each.VAR_KEYWORD for each in takes.values()):
                assert {each.arg for each in node.keywords if each.arg} <= takes.keys(), node.lineno
