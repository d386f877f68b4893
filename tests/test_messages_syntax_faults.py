"""What a parser of JSON or TOML finds wrong is said in our own words, with line and column."""

import json
import tomllib

import pytest

from concord.language.languages import shown
from concord.messages import is_message, syntax_fault_at

VALUE = "a value is missing, or a text is not in quotation marks"
COMMA = "a comma or a closing bracket is missing"
MARK = "the quotation mark that ends a text is missing"
BREAK = "a line break or tab within a text is not written as \\n or \\t"
ESCAPE = "a backslash within a text is not written twice"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", f"line 1, column 1: {VALUE}"),
        ('{"a": 1,\n b: 2}', "line 2, column 2: a key in double quotation marks is missing"),
        ('{"a" 1}', "line 1, column 6: a key has no value"),
        ("[1 2]", f"line 1, column 4: {COMMA}"),
        ('["x', f"line 1, column 2: {MARK}"),
        (
            '["\n"]',
            "line 1, column 3: a line break or tab within a text is not written as \\n or \\t",
        ),
        ('["\\q"]', f"line 1, column 3: {ESCAPE}"),
        ("{} {}", "line 1, column 4: something follows the end"),
    ],
)
def test_a_fault_of_json(text, told):
    with pytest.raises(json.JSONDecodeError) as fault:
        json.loads(text)
    assert syntax_fault_at(fault.value) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a = yes", f"line 1, column 5: {VALUE}"),
        ("a = ", VALUE),
        ("a\nb = 1", "line 1, column 2: a key has no value"),
        ("= 1", "line 1, column 1: a key is missing"),
        ("a = [1\nb = 2", f"line 2, column 1: {COMMA}"),
        ("[a\nb = 1", f"line 1, column 3: {COMMA}"),
        ('a = "x\nb = 1', f"line 1, column 7: {MARK}"),
        ('a = "x', MARK),
        (r'a = "C:\Users"', f"line 1, column 10: {ESCAPE}"),
        (r'a = "\q"', f"line 1, column 8: {ESCAPE}"),
        ("a = 1\x00", "line 1, column 6: something follows the end of a line"),
        ("a = 1 2", "line 1, column 7: something follows the end of a line"),
        ("a = 1\na = 2\nb = 1", "line 2, column 6: a key is given twice"),
        ("[a]\n[a]\n", "line 2, column 3: a key is given twice"),
        ("a = 1" + "0" * 4500, "a number has thousands of digits"),
    ],
)
def test_a_fault_of_toml(text, told):
    with pytest.raises(ValueError) as fault:
        tomllib.loads(text)
    assert syntax_fault_at(fault.value) == told


def test_a_fault_is_said_in_the_readers_language(translate):
    translate(
        "zh", {"line {line}, column {column}: {fault}": "第 {line} 行：{fault}", COMMA: "缺逗号"}
    )
    with pytest.raises(json.JSONDecodeError) as fault:
        json.loads("[1 2]")
    told = syntax_fault_at(fault.value)
    assert is_message(told) and shown(told, "zh") == "第 1 行：缺逗号"
