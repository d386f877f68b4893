"""A rubric as TOML text, as a person would write the file; `rubrics.model.parse` reads it back."""

import re
from decimal import Decimal, localcontext
from fractions import Fraction

from pydantic import BaseModel

from concord.rubrics.model import Rubric

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_MUST_ESCAPE = re.compile(r'[\\"\x00-\x1f\x7f]')


def as_toml(rubric: Rubric) -> str:
    """The rubric as a TOML file; reading it back gives an equal rubric."""
    return _table(rubric, "")


def _table(one: BaseModel, path: str) -> str:
    """The fields that differ from their defaults, then each list of tables under its path."""
    lines, below = [], ""
    for name, value in one:
        if name == "weight":
            lines.append(f"weight = {_weight(value)}")
        elif value == type(one).model_fields[name].default:
            continue
        elif isinstance(value, tuple) and isinstance((*value, None)[0], BaseModel):
            head = f"\n[[{path}{name}]]\n"
            below += "".join(head + _table(each, f"{path}{name}.") for each in value)
        elif isinstance(value, tuple):
            texts = [quoted(each) if isinstance(each, str) else str(each) for each in value]
            inline = f"[{', '.join(texts)}]"
            long = "[\n" + "".join(f"    {text},\n" for text in texts) + "]"
            lines.append(f"{name} = {inline if len(inline) < 90 else long}")
        else:
            lines.append(f"{name} = {quoted(value) if isinstance(value, str) else value}")
    return "".join(f"{line}\n" for line in lines) + below


def _weight(weight: Fraction) -> str:
    """A decimal where it is exact and short, else a fraction in quotes."""
    with localcontext() as context:
        context.prec = 12
        decimal = Decimal(weight.numerator) / Decimal(weight.denominator)
    exact = Fraction(decimal) == weight
    return f"{decimal:f}" if exact else f'"{weight.numerator}/{weight.denominator}"'


def quoted(text: str) -> str:
    """A TOML string; one with line breaks is written over several lines."""
    if "\n" in text.strip("\n"):
        lines = "\n".join(_escaped(line) for line in text.split("\n"))
        return f'"""\n{lines}"""'
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    return _MUST_ESCAPE.sub(lambda hit: _ESCAPES.get(hit[0]) or f"\\u{ord(hit[0]):04X}", text)
