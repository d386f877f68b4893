"""What is wrong with a definition is a message of ours, not a sentence of pydantic."""

from datetime import date
from fractions import Fraction
from typing import Literal

import pytest
from pydantic import Field, ValidationError

from concord.definitions import Frozen
from concord.messages import fault_message, is_message


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
    assert is_message(fault_message(fault))


def test_a_fault_of_a_rare_type_keeps_the_sentence_of_pydantic():
    fault = {"type": "url_scheme", "msg": "URL scheme should be 'https'", "input": "ftp://a"}
    assert fault_message(fault) == "URL scheme should be 'https'"
