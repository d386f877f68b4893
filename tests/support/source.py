"""Concord's own source, read as a tree: what the tests of the structure look at."""

import ast
from collections.abc import Iterator
from functools import cache
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
    return (*_walk(path),)


def _walk(path: Path) -> Iterator[ast.AST]:
    return ast.walk(ast.parse(path.read_text(encoding="utf-8")))


@cache
def imports(path: Path) -> tuple[tuple[str, int], ...]:
    """Every module that a file imports, with its line; `from a import b` is a.b."""
    return (*_imports(path),)


def _imports(path: Path) -> Iterator[tuple[str, int]]:
    for node in _walk(path):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name(path)}:{node.lineno} imports relatively"
            yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)


ALL = [*modules("concord"), *(path for entry in ENTRIES for path in modules(entry))]
TESTS = modules("tests")
