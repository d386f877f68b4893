"""Texts are made where they are shown, with the code of what they tell; no code parses them."""

import ast
import pickle
import re
import tomllib
from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Literal

import pytest
from pydantic import Field, ValidationError

from concord.definitions import Frozen
from concord.messages import (
    Problem,
    coded,
    counted,
    fault_message,
    for_screen,
    message_of,
    on_command_line,
    quoted,
    said,
)
from concord.reports.document import as_json, with_codes
from concord.stats.core.estimate import reason, undefined
from tests.support.source import PACKAGE, found, modules, name, nodes

# Methods that take a text apart or change it, and what of the texts they may look for.
PARSES = {"replace", "sub", "subn", "removeprefix", "removesuffix", "startswith", "endswith"}
PARSES |= {"partition", "rpartition", "split", "compile", "search", "match", "fullmatch", "findall"}
IN_A_TEXT = re.compile(r"(?<![\\\w])[A-Za-z]{4,}|(?<=\))[A-Za-z]{4,}")
NO_TEXT = re.compile(r"[./<={}]|T$|\\u")
NAMED_SO = {"Error: ", " at low"}
MESSAGES = {"said", "say", "reason", "joined", "counted", "shown"}
TEXTS = ("messages", "language", "reports", "ui", "commands")


def test_a_fault_is_said_in_the_language_of_who_reads_it(say_in):
    say_in("ja", {"{file} is empty: {why}": "{file}は空: {why}", "no row": "行なし"})
    error = Problem("{file} is empty: {why}", file="a", why=said("no row"))
    assert str(error) == "aは空: 行なし" and str(pickle.loads(pickle.dumps(error))) == str(error)
    assert str(Problem("{braces} are data")) == "{braces} are data"


def test_quoted_names_have_the_marks_and_separators_of_the_language(say_in):
    assert (quoted(["a", "b"]), quoted([]), quoted("abc", " or ")) == (
        "“a”, “b”",
        "",
        "“a” or “b” or “c”",
    )
    assert quoted("abc", most=2) == "“a”, “b” and 1 more"
    say_in("ja", {"“{name}”": "「{name}」", ", ": "、", "{names} and {n:,} more": "{names}他{n:,}"})
    assert quoted("abc", most=2) == "「a」、「b」他1"


def test_the_code_of_a_reason_stays_with_what_is_made_of_it():
    why = reason("too_few_answers_for_auc", n=20)
    assert message_of(why) == "it requires 20 items"
    text = said("{who}: {why}", who="Ada", why=pickle.loads(pickle.dumps(why)))
    assert text == "Ada: it requires 20 items" and text.code == why.code
    assert coded(message_of(why)) == (why.code, {"n": 20}) and coded(text) is None
    assert not hasattr(said("nothing"), "code")


def test_json_names_the_code_of_every_reason():
    found = {"rows": [undefined(reason("no_value"))._asdict()], "why_none": None}
    assert with_codes(as_json(found)) == {
        "rows": [
            {"value": None, "low": None, "high": None, "method": ""}
            | {"why_none": "no item has a value", "why_code": "no_value"}
        ],
        "why_none": None,
        "why_code": None,
    }


@pytest.mark.parametrize(
    ("count", "words", "said"),
    [
        (0, ("answer",), "0 answers"),
        (1, ("answer",), "1 answer"),
        (1204, ("answer",), "1,204 answers"),
        (1, ("reply", "replies"), "1 reply"),
        (2, ("reply", "replies"), "2 replies"),
    ],
)
def test_a_count_takes_its_noun_along(count, words, said):
    assert counted(count, *words) == said


def test_nothing_parses_rendered_english():
    """A text is made of a template and arguments; to say it otherwise, change the arguments."""
    files = [path for layer in TEXTS for path in modules(f"concord.{layer}")]
    assert len(files) > 100 and found(files, _parsed) == []


def _parsed(path: Path) -> Iterator[tuple[int, str]]:
    calls = (node for node in nodes(path) if isinstance(node, ast.Call))
    for call in calls:
        if not isinstance(call.func, ast.Attribute) or call.func.attr not in PARSES:
            continue
        asked = call.args[:1] if call.func.attr != "replace" else call.args
        texts = [
            one.value for arg in asked for one in ast.walk(arg) if isinstance(one, ast.Constant)
        ]
        words = (text for text in texts if isinstance(text, str) and IN_A_TEXT.search(text))
        nouns = call.func.attr == "replace" and all(isinstance(a, ast.Name) for a in call.args)
        rendered = ast.unparse(call.func.value) == "re" and any(map(_is_message, call.args))
        wrong = [text for text in words if not NO_TEXT.search(text) and text not in NAMED_SO]
        if wrong or (nouns and len(call.args) == 2) or rendered:
            yield call.lineno, ast.unparse(call)


def _is_message(node: ast.AST) -> bool:
    calls = (one.func for one in ast.walk(node) if isinstance(one, ast.Call))
    return any(isinstance(one, ast.Name) and one.id in MESSAGES for one in calls)


class _Inner(Frozen):
    one: int


class _Record(Frozen):
    name: str = Field(default="a", pattern=r"^\w+$")
    text: str = Field(default="a", pattern=r"\S")
    brief: str = Field(default="a", min_length=1)
    whole: int = 1
    number: float = Field(default=1.5, ge=0, le=2, allow_inf_nan=False)
    part: float = Field(default=0.5, gt=0, lt=1)
    weight: Fraction = Fraction(1)
    switch: bool = False
    day: date | None = None
    kind: Literal["a", "b", "c"] = "a"
    several: tuple[int, ...] = Field(default=(1,), min_length=1)
    listed: list[int] = Field(default_factory=list)
    table: dict[str, int] = Field(default_factory=dict)
    inner: _Inner = _Inner(one=1)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"inner": {}}, "is missing or blank; give a value"),
        ({"name": " "}, "is missing or blank; give a value"),
        ({"brief": ""}, "is missing or blank; give a value"),
        ({"text": " "}, "is blank; describe what annotators should apply"),
        ({"name": "a b"}, r"does not match the pattern ^\w+$; change it"),
        ({"name": 3}, "write it as text in quotation marks"),
        ({"colour": 3}, "unknown key; remove it or correct its spelling"),
        ({"whole": "x"}, "give a whole number"),
        ({"whole": 0.5}, "give a whole number"),
        ({"whole": []}, "give a whole number"),
        ({"number": "x"}, "give a number"),
        ({"number": []}, "give a number"),
        ({"number": float("nan")}, "give a number"),
        ({"number": -1}, "give at least 0"),
        ({"number": 3}, "give at most 2"),
        ({"part": 0}, "give more than 0"),
        ({"part": 1}, "give less than 1"),
        ({"weight": "x"}, 'give a number such as 0.6, or a fraction such as "1/3"'),
        ({"switch": "x"}, "write true or false"),
        ({"switch": []}, "write true or false"),
        ({"day": "soon"}, "give a date, as 2026-01-31"),
        ({"day": []}, "give a date, as 2026-01-31"),
        ({"kind": "d"}, "give one of 'a', 'b', 'c'"),
        ({"several": []}, "give at least 1"),
        ({"several": 3}, "give a list in square brackets"),
        ({"listed": 3}, "give a list in square brackets"),
        ({"table": 3}, "give a table of keys and values"),
        ({"inner": 3}, "give a table of keys and values"),
    ],
)
def test_a_fault_says_what_to_write(given, says):
    with pytest.raises(ValidationError) as error:
        _Record.model_validate(given)
    fault = error.value.errors()[0]
    assert fault_message(fault) == says


def test_a_fault_of_a_rare_type_keeps_the_sentence_of_pydantic():
    fault = {"type": "url_scheme", "msg": "URL scheme should be 'https'", "input": "ftp://a"}
    assert fault_message(fault) == "URL scheme should be 'https'"


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
        return ast.unparse(node.func) in ("Statistic", "DecidingFigure")
    if isinstance(node, ast.keyword):
        return node.arg == "doc"  # the section of docs/statistics.md
    docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return docstring or isinstance(node, ast.Raise)


def test_a_screen_leaves_out_what_is_for_the_command_line():
    where = on_command_line("--score WORD=SCORE")
    assert for_screen(said("Map it{where} (here).", where=where)) == "Map it (here)."
    assert for_screen(f"Map it{where} (here).") == "Map it (here)."
