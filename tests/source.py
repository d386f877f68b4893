"""Concord's own source, read as a tree: what the tests of the house look at."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
ROOMS = (
    *("words", "problems", "stats", "rubrics", "data", "judges", "metrics", "reports"),
    *("ui", "pages", "verbs", "cli", "app", "server"),
)


def modules(room: str) -> list[Path]:
    """The source files of a room, or the one file of that name."""
    folder = ROOT / room
    return sorted(folder.rglob("*.py")) if folder.is_dir() else [ROOT / f"{room}.py"]


def name(path: Path) -> str:
    """A file's place in the checkout: data/store.py."""
    return path.relative_to(ROOT).as_posix()


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Everything in a file's tree; whoever asks for many clears the cache afterwards."""
    return (*_walk(path),)


def _walk(path: Path) -> Iterator[ast.AST]:
    return ast.walk(ast.parse(path.read_text(encoding="utf-8")))


@cache
def imports(path: Path) -> tuple[tuple[str, int], ...]:
    """Every module that a file imports, with its line; `from data import sheets` is data.sheets."""
    return (*_imports(path),)


def _imports(path: Path) -> Iterator[tuple[str, int]]:
    for node in _walk(path):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name(path)}:{node.lineno} imports relatively"
            yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)


ALL = [path for room in ROOMS for path in modules(room)]
TESTS = modules("tests")
