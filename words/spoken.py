"""Spoken: every text that the interface says, read from the source, so that none goes missing.

A text of Python is the first argument of `said` or `say`, or a noun of `counted`; of a script,
the first argument of `say`; of a component's page, its texts and labels; and every term of
docs/figures.md with its explanation. A choice between two texts counts as both.
"""

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from html import unescape
from pathlib import Path

_SAID = re.compile(r'\bsay\(\s*("(?:[^"\\]|\\.)*")')
_LABEL = re.compile(r'(?:aria-label|title|placeholder)="([^"]+)"')
_BETWEEN = re.compile(r">\s*([^<>]*[^<>\s])\s*<")
_TERM = re.compile(r"^### (.+)\n(.+(?:\n.+)*)", re.MULTILINE)
_PLACE = re.compile(r"(?<!\{)\{(\w+)[^{}]*\}(?!\})")


def in_python(source: str) -> Iterator[str]:
    """The texts that a module says."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and node.args:
            name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func
            name = name.id if isinstance(name, ast.Name) else name
            if name in ("say", "said"):
                yield from _texts(node.args[0])
            elif name == "counted":
                yield from _nouns(node)
            elif name == "joined":
                yield from _texts(node.args[0])


def in_script(source: str) -> Iterator[str]:
    """The texts that a script of a component says."""
    return (json.loads(text) for text in _SAID.findall(source))


def in_page(source: str) -> Iterator[str]:
    """The texts and labels of a component's HTML."""
    yield from map(unescape, _LABEL.findall(source))
    yield from (" ".join(unescape(text).split()) for text in _BETWEEN.findall(source))


def in_terms(source: str) -> Iterator[str]:
    """The terms of docs/figures.md, each with its explanation as the one line that is shown."""
    return (" ".join(part.split("\n")) for term in _TERM.findall(source) for part in term)


def in_definition(source: str) -> Iterator[str]:
    """The words of a measure or a judge that a file declares, or of canaries, one table each."""
    declared = tomllib.loads(source)
    keys = ("title", "sentence", "when_low", "about")
    yield from (declared[key] for key in keys if declared.get(key))
    tables = (one for some in declared.values() if isinstance(some, list) for one in some)
    yield from (one["about"] for one in tables if isinstance(one, dict) and one.get("about"))


def of(path: Path) -> Iterator[str]:
    """The texts that a file says, by what kind of file it is."""
    read = {".py": in_python, ".js": in_script, ".html": in_page, ".md": in_terms}
    read[".toml"] = in_definition
    return read[path.suffix](path.read_text(encoding="utf-8"))


def places(text: str) -> set[str]:
    """The names of the places for values in a text."""
    return set(_PLACE.findall(text))


def _texts(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _texts(node.body)
        yield from _texts(node.orelse)


def _nouns(node: ast.Call) -> Iterator[str]:
    """The plural of what is counted, as `words` is asked for it."""
    given = [*node.args[1:], *(word.value for word in node.keywords if word.arg == "plural")]
    texts = [list(_texts(one)) for one in given]
    several = texts[1] if len(texts) > 1 else [f"{noun}s" for noun in (texts or [[]])[0]]
    yield from (f"{{n:,}} {noun}" for noun in several if noun)
