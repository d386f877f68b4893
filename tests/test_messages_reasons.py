"""Statistics give codes; the sentence of each stands in concord/reasons.toml, and nowhere else."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.source import PACKAGE, modules, name, nodes

THREE_WORDS = re.compile(r"([A-Za-z]{2,}[,:;]?\s+){2}[A-Za-z]{2,}")
REASONS = tomllib.loads((PACKAGE / "reasons.toml").read_text(encoding="utf-8"))


def test_every_code_has_a_sentence_and_every_sentence_a_code():
    calls = (
        node
        for layer in ("stats", "grading", "reports")
        for path in modules(f"concord.{layer}")
        for node in nodes(path)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "reason"
    )
    values = (one.value for node in calls for one in ast.walk(node.args[0]) if _is_text(one))
    assert {*values} == {*REASONS}


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def test_statistics_hold_codes_and_no_sentences():
    """Names of statistics, `method` (how a figure was computed) and bugs alone are in English."""
    wrong = [
        f"{name(path)}:{line} {text}"
        for path in modules("concord.stats")
        for line, text in _sentences(path)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("source", "is_text"),
    [
        ('undefined("there is nothing to compare")', True),
        ('why = f"under {n} questions there is no interval"', True),
        ('undefined(reason("nothing_to_compare"))', False),
        ('title = term("exact agreement within one")', False),
        ('method = f"Wilson at effective n {size}"', False),
        ('raise ValueError("an estimate must be finite")', False),
        ('"""Return what is there."""', False),
    ],
)
def test_a_sentence_is_told_from_a_code(source, is_text, tmp_path):
    path = tmp_path / "module.py"
    path.write_text(source)
    assert bool([*_sentences(path)]) is is_text


def _sentences(path: Path) -> Iterator[tuple[int, str]]:
    """Texts of three words or more that are no docstring, name, method or bug."""
    known = {id(one) for node in nodes(path) if _may_hold_text(node) for one in ast.walk(node)}
    for node in nodes(path):
        if _is_text(node) and id(node) not in known and THREE_WORDS.search(node.value):
            yield node.lineno, node.value


def _may_hold_text(node: ast.AST) -> bool:
    if isinstance(node, ast.FunctionDef):
        return "method" in node.name
    if isinstance(node, ast.Assign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return any("method" in ast.unparse(one).lower() for one in targets)
    if isinstance(node, ast.Call):
        return ast.unparse(node.func) == "term"
    if isinstance(node, ast.keyword):
        return node.arg == "doc"  # the section of docs/statistics.md
    docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return docstring or isinstance(node, ast.Raise)
