"""Extraction: the texts that are translated, read from the source, as Babel's extraction methods.

What annotators see is translated, and navigation: `tool.babel` in pyproject.toml names the files.
A text of Python is the first argument of `said`, `say` or an error, or the nouns of `counted`; of
a script the first argument of `say`; of a page of HTML its texts and labels. Of a choice between
two texts both are taken.
"""

import ast
import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any, BinaryIO

# A text, or its singular and plural; and its line.
Text = str | tuple[str, str]
Found = Iterator[tuple[int, Text]]

# Functions that take a text in Python, and its position among their arguments.
TAKES = dict.fromkeys(("say", "said", "N_", "joined", "BadCell"), 0) | {"Undefined": 1}
TAKES |= dict.fromkeys(("Problem", "Conflict", "EndpointProblem", "BatchRefused"), 0)
TAKES |= {"Refused": 0, "SignedOut": 0}
_SAID = re.compile(r'\bsay\(\s*("(?:[^"\\]|\\.)*")')
_LABEL = re.compile(r'(?:aria-label|title|placeholder)="([^"]+)"')
_BETWEEN = re.compile(r">\s*([^<>]*[^<>\s])\s*<")
_PLACE = re.compile(r"(?<!\{)\{(\w+)[^{}]*\}(?!\})")


def in_python(source: str) -> Found:
    """Yield the texts of a module."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func
            name = name.id if isinstance(name, ast.Name) else name
            if not node.args:
                continue
            elif name in TAKES:
                at = node.args[TAKES[name] :][:1]
                found = (text for one in at for text in _texts(one) if text.strip("\n"))
                yield from ((node.lineno, text) for text in found)
            elif name == "counted":
                yield from ((node.lineno, text) for text in _nouns(node))


def in_script(source: str) -> Found:
    """Yield the texts of a component's script."""
    yield from ((_line(source, one), json.loads(one[1])) for one in _SAID.finditer(source))


def in_page(source: str) -> Found:
    """Yield the texts and labels of a component's HTML."""
    yield from ((_line(source, one), unescape(one[1])) for one in _LABEL.finditer(source))
    for one in _BETWEEN.finditer(source):
        yield _line(source, one), " ".join(unescape(one[1]).split())


READERS = {".py": in_python, ".js": in_script, ".html": in_page}


def texts(path: Path) -> Iterator[str]:
    """Yield the texts of a script or page, which have no plurals."""
    yield from (text for _, text in READERS[path.suffix](path.read_text(encoding="utf-8")))


def babel(
    file: BinaryIO, keywords: Any, comment_tags: Any, options: dict[str, Any]
) -> Iterator[tuple[int, str | None, Text, list[str]]]:
    """Yield the texts of a file as Babel's extraction methods do; `options["kind"]` is its suffix.

    Babel's own name for the function tells whether there is a plural.
    """
    source = file.read().decode("utf-8")
    for line, text in READERS[options["kind"]](source):
        yield line, "gettext" if isinstance(text, str) else "ngettext", text, []


def places(text: str) -> set[str]:
    """Return the names of the places for values in a text."""
    return set(_PLACE.findall(text))


def _line(source: str, found: re.Match) -> int:
    return source.count("\n", 0, found.start()) + 1


def _texts(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _texts(node.body)
        yield from _texts(node.orelse)


def _nouns(node: ast.Call) -> Iterator[tuple[str, str]]:
    """Yield the messages of `counted`, as it makes them of its nouns."""
    given = [*node.args[1:], *(word.value for word in node.keywords if word.arg == "plural")]
    singular, *plural = [list(_texts(one)) for one in given] or [[]]
    for one in singular:
        for several in plural[0] if plural else [f"{one}s"]:
            yield f"{{n:,}} {one}", f"{{n:,}} {several or one + 's'}"
