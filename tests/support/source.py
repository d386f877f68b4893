"""Concord's own source, read as a tree: what the tests of the structure look at."""

import ast
import gc
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

from concord.resources import ROOT

PACKAGE = ROOT / "concord"
ENTRIES = ("pages", "app", "server", "cli")  # of the root: screens and what starts them


def modules(place: str) -> list[Path]:
    """The source files of a package of ours or of a folder of the root, or the one file."""
    folder = ROOT / place.replace(".", "/")
    return sorted(folder.rglob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]


def name(path: Path) -> str:
    """A file's place in the checkout: concord/store/database.py."""
    return path.relative_to(ROOT).as_posix()


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Everything in a file's tree; whoever asks for many clears the cache afterwards."""
    gc.disable()  # it would look through all trees again and again, which takes as long as parsing
    try:
        return (*ast.walk(ast.parse(path.read_text(encoding="utf-8"))),)
    finally:
        gc.enable()


@cache
def imports(path: Path) -> tuple[tuple[str, int], ...]:
    """Every module that a file imports, with its line; `from a import b` is a.b."""
    return (*_imports(path),)


def _imports(path: Path) -> Iterator[tuple[str, int]]:
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name(path)}:{node.lineno} imports relatively"
            yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)


def found(paths: Iterable[Path], wrong: Callable[[Path], Iterable[tuple[int, str]]]) -> list[str]:
    """What is wrong in files, each with its place."""
    return [f"{name(path)}:{line} {what}" for path in paths for line, what in wrong(path)]


ALL = [*modules("concord"), *(path for entry in ENTRIES for path in modules(entry))]
TESTS = modules("tests")


def dotted(path: Path) -> str:
    """A file as an import names it: concord.store.database, and concord.store for its __init__."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def graph() -> dict[str, frozenset[str]]:
    """Which of our modules each of ours imports; type hints and imports in functions included."""
    ours = {dotted(path): path for path in ALL}
    return {module: frozenset(_ours(path, {*ours} - {module})) for module, path in ours.items()}


def _ours(path: Path, ours: set[str]) -> Iterator[str]:
    for module, _ in imports(path):
        holder = module if module in ours else module.rpartition(".")[0]
        if holder in ours:
            yield holder


def import_order() -> list[str]:
    """Return our modules, each after those it imports.

    Raises:
        CycleError: Modules import one another.
    """
    return [*TopologicalSorter(graph()).static_order()]
