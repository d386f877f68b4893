"""Extraction: every text of the interface, read from the source, as Babel's extraction methods.

A text of Python is the first argument of `said`, `say` or an error, the nouns of `counted`,
a sentence of a table `SENTENCES`, or what the declaration of a metric or of its canary says; of a
script, the first argument of `say`; of a component's page, its texts and labels; every sentence of
concord/reasons.toml; and every term of docs/figures.md with its explanation. Of a choice between
two texts both are taken. `pyproject.toml` says which files each method reads (`tool.babel`).
"""

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any, BinaryIO

# A text, or its singular and plural; and its line.
Text = str | tuple[str, str]
Found = Iterator[tuple[int, Text]]

# The texts of a metric, and what its declarations call; the metrics that ship make them messages.
METRIC_TEXTS = ("title", "sentence", "formula", "source", "when_low")
_DECLARE = ("Metric", "_declared", "_replace", "partial")
# Functions that take a text in Python, and its position among their arguments.
TAKES = dict.fromkeys(("say", "said", "joined", "BadCell"), 0) | {"Undefined": 1}
TAKES |= dict.fromkeys(("Problem", "Conflict", "EndpointProblem", "BatchRefused"), 0)
TAKES |= {"Refused": 0, "SignedOut": 0, "SeveralLists": 1}
_SAID = re.compile(r'\bsay\(\s*("(?:[^"\\]|\\.)*")')
_LABEL = re.compile(r'(?:aria-label|title|placeholder)="([^"]+)"')
_BETWEEN = re.compile(r">\s*([^<>]*[^<>\s])\s*<")
_TERM = re.compile(r"^### (.+)\n(.+(?:\n.+)*)", re.MULTILINE)
_PLACE = re.compile(r"(?<!\{)\{(\w+)[^{}]*\}(?!\})")


def in_python(source: str) -> Found:
    """Yield the texts of a module."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func
            name = name.id if isinstance(name, ast.Name) else name
            if name in _DECLARE:
                words = (word.value for word in node.keywords if word.arg in METRIC_TEXTS)
                yield from ((node.lineno, text) for word in words for text in _texts(word))
            elif name == "Canary":  # of a metric: name, sentence
                yield from ((node.lineno, text) for word in node.args for text in _texts(word))
            elif name == "Switch" and len(node.args) == 3:  # of a metric: name, choices, sentence
                yield from ((node.lineno, text) for text in _texts(node.args[2]))
            elif not node.args:
                continue
            elif name in TAKES:
                at = node.args[TAKES[name] :][:1]
                found = (text for one in at for text in _texts(one) if text.strip("\n"))
                yield from ((node.lineno, text) for text in found)
            elif name == "counted":
                yield from ((node.lineno, text) for text in _nouns(node))
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "SENTENCES":
            yield from ((one.lineno, text) for one in node.value.values for text in _texts(one))


def in_script(source: str) -> Found:
    """Yield the texts of a component's script."""
    yield from ((_line(source, one), json.loads(one[1])) for one in _SAID.finditer(source))


def in_page(source: str) -> Found:
    """Yield the texts and labels of a component's HTML."""
    yield from ((_line(source, one), unescape(one[1])) for one in _LABEL.finditer(source))
    for one in _BETWEEN.finditer(source):
        yield _line(source, one), " ".join(unescape(one[1]).split())


def in_terms(source: str) -> Found:
    """Yield the terms of docs/figures.md, each with its explanation as one line."""
    for one in _TERM.finditer(source):
        yield from ((_line(source, one), " ".join(part.split("\n"))) for part in one.groups())


def in_definition(source: str) -> Found:
    """Yield what a file of a metric, a judge or canaries says of itself."""
    declared = tomllib.loads(source)
    keys = (*METRIC_TEXTS, "about")
    yield from ((1, declared[key]) for key in keys if declared.get(key))
    tables = (one for some in declared.values() if isinstance(some, list) for one in some)
    for one in tables:
        if isinstance(one, dict) and one.get("about"):
            yield 1, one["about"]
            if "right" in one:  # a canary is called by its name; its score may be 0
                yield 1, one["name"]


def in_reasons(source: str) -> Found:
    """Yield the sentences of concord/reasons.toml."""
    yield from ((1, sentence) for sentence in tomllib.loads(source).values())


READERS = {
    ".py": in_python,
    ".js": in_script,
    ".html": in_page,
    ".md": in_terms,
    ".toml": in_definition,
    "reasons": in_reasons,
}


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
