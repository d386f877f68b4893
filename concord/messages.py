"""Messages: the texts of reports, faults and screens, made where they are shown.

`said` fills a template in the language of who reads it (`concord.language`); what the catalogues do
not hold is English. Results, caches and stored rows hold codes and values. A reason of
`concord.stats` is a code with values and has no text: `message_of` words it by
concord/reasons.toml. What pydantic finds wrong is worded by `fault_message`. A `Problem` is an
error with a text.
"""

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from concord.language.languages import reader, translate


class Coded(str):
    """A text with the code of the fault that it tells, or of the reason that it is or holds.

    `values` are those of a fault by name. `reason` is that of statistics which the text is the
    sentence of, else None.
    """

    code: str
    values: dict[str, Any]
    reason: Any

    def __new__(
        cls, text: str, code: str, values: dict[str, Any] | None = None, reason: Any = None
    ) -> "Coded":
        """The text with its code."""
        coded_text = super().__new__(cls, text)
        coded_text.code, coded_text.values, coded_text.reason = code, values or {}, reason
        return coded_text

    def __getnewargs__(self) -> tuple[str, str, dict[str, Any], Any]:
        return str.__str__(self), self.code, self.values, self.reason

    def __str__(self) -> str:
        return self


def N_(text: str) -> str:
    """Mark a constant as a text that is translated; `said` looks it up where it is shown."""
    return text


def said(template: str, /, *, fault_code: str | None = None, **values: Any) -> str:
    """Return a text in the reader's language: `said("{n} of {total} graded", n=3, total=9)`.

    Values are data, or texts said before. Braces count as places only where there are values.
    The text has the code of the fault, or of the first value with one.
    """
    template = message_of(template)
    if isinstance(template, Coded) and not values:
        return template
    values = {name: message_of(value) for name, value in values.items()}
    text = translate(template, reader(), **values)
    codes = (one.code for one in values.values() if isinstance(one, Coded))
    code = fault_code or next(codes, None)
    return Coded(text, code, values) if code else text


def message_of(text: Any) -> Any:
    """Return the text of a reason of statistics; anything else unchanged."""
    # By its fields: `concord.stats` stays unknown here, since all of ours import this module.
    if isinstance(text, str) or not (hasattr(text, "code") and hasattr(text, "values")):
        return text
    values = {name: message_of(one) for name, one in text.values}
    return Coded(_sentences()[text.code].format(**values), text.code, reason=text)


def coded(text: Any) -> tuple[str, dict[str, Any]] | None:
    """Return the code and values of the text of a reason; None for any other.

    Values are as JSON holds them: a reason among them as an object of its `code` and values.
    """
    found = getattr(text, "reason", None) or text
    if isinstance(found, str) or not (hasattr(found, "code") and hasattr(found, "values")):
        return None
    return found.code, {name: _coded_value(value) for name, value in found.values}


def _coded_value(value: Any) -> Any:
    found = coded(value)
    if found:
        return {"code": found[0]} | found[1]
    if isinstance(value, Real | Decimal):
        return int(value) if isinstance(value, Integral) else float(value)
    return value if value is None else str(value)


def has_sentence(code: str) -> bool:
    """Return whether a code is that of a reason."""
    return code in _sentences()


@cache
def _sentences() -> dict[str, str]:
    file = Path(__file__).with_name("reasons.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


def day(moment: str | None) -> str:
    """Return the date of a stored moment, as `2026-11-09`; '' for none."""
    return (moment or "")[:10]


def minute(moment: str | None) -> str:
    """Return the date and time of a stored moment, as `2026-11-09 14:05`; '' for none."""
    return (moment or "")[:16].replace("T", " ")


class Problem(Exception):
    """An error the user can fix: one or more full sentences that end in the remedy.

    Its text is a message like that of `said`: `Problem("{file} is empty.", file=path)`.
    The app and the command line show it. Anything else is a bug and crashes with its traceback.

    Attributes:
        on_screen: The same for a screen, where the text names options of the command line.
    """

    def __init__(self, text: str, /, *, on_screen: str = "", **values: Any) -> None:
        super().__init__(said(text, **values))
        self.on_screen = on_screen or str(self)

    @property
    def code(self) -> str | None:
        """The code of the fault; None for a fault without one."""
        return getattr(self.args[0], "code", None)


class Conflict(Problem):
    """The request would overwrite or contradict something already stored."""


def joined(between: str, parts: Iterable[str]) -> str:
    """Join texts as `between.join(parts)`; empty ones are left out.

    The separator is itself translated: Chinese has no space between sentences.
    """
    kept = [message_of(part) for part in parts if part]
    code = next((part.code for part in kept if isinstance(part, Coded)), None)
    text = translate(between, reader()).join(kept)
    return Coded(text, code) if code else text


def quoted(names: Iterable[str], between: str = ", ", most: int | None = None) -> str:
    """Return names in the quotation marks of the language; of more than `most` only the first."""
    every = list(names)
    first = joined(between, [said("“{name}”", name=name) for name in every[:most]])
    more = 0 if most is None else len(every) - most
    return said("{names} and {n:,} more", names=first, n=more) if more > 0 else first


def on_command_line(command: str) -> str:
    """Return where the command line has what a text leads to; screens leave it out."""
    return f" ({command} on the command line)"


_ON_COMMAND_LINE = re.compile(re.escape(on_command_line("_")).replace("_", "[^()]+"))


def for_screen(text: str) -> str:
    """Return a text without `on_command_line`."""
    return _ON_COMMAND_LINE.sub("", text) if isinstance(text, str) else text


def capital(text: str) -> str:
    """A text as a sentence begins; languages without capitals say it as it is."""
    return _begun(message_of(text), str.upper)


def small(text: str) -> str:
    """A text as the middle of a sentence begins."""
    return _begun(message_of(text), str.lower)


def _begun(text: str, letter: Callable[[str], str]) -> str:
    begun = letter(text[:1]) + text[1:]
    return Coded(begun, text.code, text.values, text.reason) if isinstance(text, Coded) else begun


def spoken(name: str) -> str:
    """Return an identifier as a sentence says it: without underscores."""
    return name.replace("_", " ")


def span(low: Any, high: Any) -> str:
    """A range of numbers, as `0-3`."""
    return f"{low}-{high}"


def extent(counts: Collection[int]) -> str:
    """Return a count, or the range where there are several, as `6 to 9`."""
    low, high = min(counts), max(counts)
    return str(low) if low == high else said("{low} to {high}", low=low, high=high)


# What is wrong with a value of a definition, by the beginning of pydantic's type of error. Of two
# that begin alike the longer comes first.
SENTENCES = {
    "missing": "is missing or blank; give a value",
    "string_too_short": "is missing or blank; give a value",
    "string_type": "write it as text in quotation marks",
    "string_pattern_mismatch": "does not match the pattern {pattern}; change it",
    "literal_error": "give one of {expected}",
    "extra_forbidden": "unknown key; remove it or correct its spelling",
    "greater_than_equal": "give at least {ge}",
    "greater_than": "give more than {gt}",
    "less_than_equal": "give at most {le}",
    "less_than": "give less than {lt}",
    "too_short": "give at least {min_length}",
    "int_": "give a whole number",
    "float_": "give a number",
    "finite_number": "give a number",
    "fraction_": 'give a number such as 0.6, or a fraction such as "1/3"',
    "bool_": "write true or false",
    "date": "give a date, as 2026-01-31",
    "tuple_type": "give a list in square brackets",
    "list_type": "give a list in square brackets",
    "dict_type": "give a table of keys and values",
    "model_type": "give a table of keys and values",
}


def faults_of(found: Iterable[Mapping[str, Any]]) -> str:
    """Return all errors of pydantic, each as `key — what is wrong`."""
    parts = []
    for fault in found:
        where, message = ".".join(map(str, fault["loc"])), fault_message(fault)
        whole = said("{where} — {message}", where=where, message=message)
        parts.append(whole if where else message)
    return joined("; ", parts)


def fault_message(fault: Mapping[str, Any]) -> str:
    """Return what is wrong by one error of pydantic, as a message.

    A validator of ours says it itself. Errors of rare types keep the English sentence of pydantic.
    """
    values = fault.get("ctx", {})
    if isinstance(values.get("error"), Exception):
        return values["error"].args[0]
    kind = fault["type"]
    if kind == "string_pattern_mismatch" and not str(fault["input"]).strip():
        if values["pattern"] == r"\S":  # of a text that graders decide by
            return said("is blank; describe what annotators should apply")
        kind = "missing"
    sentence = next((SENTENCES[one] for one in SENTENCES if kind.startswith(one)), None)
    if sentence is None:
        return fault["msg"]
    if "expected" in values:
        choices = values["expected"].replace(" or ", ", ").split(", ")
        values = {"expected": joined(", ", choices)}
    values = {name: _as_written(value) for name, value in values.items()}
    return said(sentence, **values)


def _as_written(value: Any) -> Any:
    """Return a limit as a user writes it: 2 for 2.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def syntax_fault(error: ValueError) -> str:
    """Return what a parser of JSON found wrong, in its own words and without the place."""
    return getattr(error, "msg", str(error))


def system_fault(error: OSError) -> str:
    """Return why the operating system refused, in its own words."""
    return error.strerror or str(error)


# Set in the environment of a process whose errors the app reads: they leave out options.
FOR_SCREEN = "CONCORD_ERRORS_FOR_SCREEN"


def listed(names: Sequence[str]) -> str:
    """Return names as a sentence lists them: `a`, `a and b`, `a, b and c`."""
    if len(names) < 2:
        return names[0] if names else ""
    return said("{names} and {last}", names=joined(", ", names[:-1]), last=names[-1])


def counted(count: int, noun: str, plural: str = "") -> str:
    """The count with its noun in the singular or the plural, which is `noun` and an s unless said.

    Only 1 takes the singular; thousands are parted by commas. Another language chooses among its
    own plural forms of the message `{n:,} answer`, `{n:,} answers`.
    """
    several = plural or f"{noun}s"
    return translate(f"{{n:,}} {noun}", reader(), f"{{n:,}} {several}", n=count)


def duration(seconds: float) -> str:
    """A length of time in words, no finer than it matters."""
    if seconds < 90:
        return said("{n} s", n=max(1, round(seconds)))
    if seconds < 90 * 60:
        return said("{n} min", n=round(seconds / 60))
    return said("{n:.1f} h", n=seconds / 3600)
