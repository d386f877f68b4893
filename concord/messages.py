"""Messages: English texts that keep their template and values, so that they can be translated.

A message is a plain English `str` for all other code. An f-string or a `str` method loses the
template and so the translation; compose messages with `said` and `joined`. A `Problem` is an error
with a message.

A reason of `concord.stats` is a code with values and has no text. Whatever takes a message takes
one too and words it by concord/reasons.toml; elsewhere use `message_of`. What pydantic finds wrong
is worded by `fault_message`.
"""

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from string import Formatter
from typing import Any


class Said(str):
    """A message: English text with the template and the values it was made from.

    `template`: None for parts that are only joined; `values` are then the parts, under the names
    `0`, `1`, …, and `between` is the separator. `plural` is the template for several, where
    `template` is for one and the value `n` counts; else it is empty. `code` is that of the reason
    of statistics, or of the fault, that the text is or holds, if any.
    """

    template: str | None
    values: dict[str, Any]
    between: str
    plural: str
    code: str | None

    def __new__(
        cls,
        english: str,
        template: str | None,
        values: dict[str, Any],
        between: str = "",
        plural: str = "",
        code: str | None = None,
    ) -> "Said":
        """The English, and how it was made."""
        made = super().__new__(cls, english)
        made.template, made.values = template, values
        made.between, made.plural = between, plural
        codes = (one.code for one in values.values() if isinstance(one, Said))
        made.code = code or next(filter(None, codes), None)
        return made

    def __getnewargs__(self) -> tuple[str, str | None, dict[str, Any], str, str, str | None]:
        english = str.__str__(self)
        return english, self.template, self.values, self.between, self.plural, self.code

    def __str__(self) -> str:
        return self

    def with_values(self, values: Mapping[str, Any]) -> "Said":
        """Return the same text with other values."""
        if self.template is None:
            return joined(self.between, values.values())
        template = self.plural if self.plural and values["n"] != 1 else self.template
        english = template.format(**values) if values else template
        return Said(english, self.template, values, plural=self.plural, code=self.code)


def said(template: str, /, *, fault_code: str | None = None, **values: Any) -> Said:
    """A text of the interface: `said("{n} of {total} graded", n=3, total=9)`.

    The template is the key under which each language has its own words, so it is written out where
    it is said. A value that is itself said is shown in the same language; any other is data and
    shown as it is. Braces count as places only where there are values. A message without further
    values is returned unchanged. `fault_code` names the fault that the text tells.
    """
    template = message_of(template)
    if is_message(template) and not values:
        return template
    values = {name: message_of(value) for name, value in values.items()}
    english = template.format(**values) if values else template
    return Said(english, template, values, code=fault_code)


def message_of(text: Any) -> Any:
    """Return the message of a reason of statistics, with `NOUNS`; anything else unchanged."""
    # By its fields: `concord.stats` stays unknown here, since all of ours import this module.
    if isinstance(text, str) or not (hasattr(text, "code") and hasattr(text, "values")):
        return text
    template = _sentences()[text.code]
    places = {name for _, name, _, _ in Formatter().parse(template)}
    nouns = {name: noun for name, noun in NOUNS.items() if name in places}
    made = said(template, **nouns | dict(text.values))
    return Said(made, template, made.values, code=text.code)


def coded(text: Any) -> tuple[str, dict[str, Any]] | None:
    """Return the code and values of a message that is the sentence of a reason; else None.

    Values are as JSON holds them: a reason among them as an object of its `code` and values.
    The usual `NOUNS` are left out.
    """
    code = getattr(text, "code", None) if is_message(text) else None
    # A message around a reason has its code too, and another template.
    if code is None or _sentences().get(code) != text.template:
        return None
    values = {name: value for name, value in text.values.items() if NOUNS.get(name) != value}
    return code, {name: _coded_value(value) for name, value in values.items()}


def _coded_value(value: Any) -> Any:
    found = coded(value)
    if found:
        return {"code": found[0]} | found[1]
    if isinstance(value, Real | Decimal):
        return int(value) if isinstance(value, Integral) else float(value)
    return value if value is None else str.__str__(str(value))


def has_sentence(code: str) -> bool:
    """Return whether a code is that of a reason."""
    return code in _sentences()


@cache
def _sentences() -> dict[str, str]:
    file = Path(__file__).with_name("reasons.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


class Numeral(str):
    """Numbers as every language here writes them."""


class Moment(str):
    """A date, or a date and time, as ISO 8601; shown as its language writes it.

    Times are in UTC, to the minute.
    """


class Translated(str):
    """A text of the user's data that has translations of its own, such as a criterion's title.

    All other code sees the original. `translations` are pairs of a language and a text.
    """

    translations: tuple[tuple[str, str], ...]

    def __new__(cls, text: str, translations: Iterable[tuple[str, str]]) -> "Translated":
        """The original with its translations."""
        made = super().__new__(cls, text)
        made.translations = tuple(translations)
        return made

    def __getnewargs__(self) -> tuple[str, tuple[tuple[str, str], ...]]:
        return str.__str__(self), self.translations

    def __str__(self) -> str:
        return self

    def in_language(self, language: str) -> str:
        """Return the translation; the original if it is missing."""
        return dict(self.translations).get(language, str.__str__(self))


def day(moment: str | None) -> Moment:
    """Return the date of a stored moment, as `2026-11-09`; '' for none."""
    return Moment((moment or "")[:10])


def minute(moment: str | None) -> Moment:
    """Return the date and time of a stored moment, as `2026-11-09 14:05`; '' for none."""
    return Moment((moment or "")[:16].replace("T", " "))


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
        return self.args[0].code


class Conflict(Problem):
    """The request would overwrite or contradict something already stored."""


def joined(between: str, parts: Iterable[str]) -> Said:
    """Join texts as `between.join(parts)`; empty ones are left out.

    The separator is itself translated: Chinese has no space between sentences.
    """
    kept = [message_of(part) for part in parts if part]
    values = {str(place): part for place, part in enumerate(kept)}
    return Said(between.join(kept), None, values, between)


def quoted(names: Iterable[str], between: str = ", ", most: int | None = None) -> Said:
    """Return names in the quotation marks of each language; of more than `most` only the first."""
    every = list(names)
    first = joined(between, [said("“{name}”", name=name) for name in every[:most]])
    more = 0 if most is None else len(every) - most
    return said("{names} and {n:,} more", names=first, n=more) if more > 0 else first


def with_nouns(text: str, nouns: Mapping[str, str]) -> str:
    """Return a message with other nouns as its arguments `unit`, `units` or `graders`.

    Messages among its arguments get them too. A text without such an argument, and one that is
    no message, is unchanged.
    """
    return _changed(text, lambda name, value: nouns.get(name) or with_nouns(value, nouns))


def _changed(text: str, other: Callable[[str, Any], Any]) -> str:
    """Return a message with other arguments, by name and value; any other text unchanged."""
    text = message_of(text)
    if not is_message(text):
        return text
    values = {name: other(name, value) for name, value in text.values.items()}
    return text if values == text.values else text.with_values(values)


def on_command_line(command: str) -> str:
    """Return where the command line has what a text leads to; screens leave it out."""
    return f" ({command} on the command line)"


_ON_COMMAND_LINE = re.compile(re.escape(on_command_line("_")).replace("_", "[^()]+"))


def for_screen(text: str) -> str:
    """Return a text, or a message with its arguments, without `on_command_line`."""
    text = _changed(text, lambda name, value: for_screen(value))
    found = isinstance(text, str) and not is_message(text) and _ON_COMMAND_LINE.search(text)
    return _ON_COMMAND_LINE.sub("", text) if found else text


def is_message(text: Any) -> bool:
    """True for a text that can be translated; any other is data."""
    return isinstance(text, str) and hasattr(text, "template")


def capital(text: str) -> str:
    """A text as a sentence begins; languages without capitals say it as it is."""
    return _begun(text, str.upper)


def small(text: str) -> str:
    """A text as the middle of a sentence begins."""
    return _begun(text, str.lower)


def _begun(text: str, letter: Callable[[str], str]) -> str:
    text = message_of(text)
    english = letter(text[:1]) + text[1:]
    if isinstance(text, Translated):
        return Translated(english, text.translations)
    if not is_message(text):
        return english
    return Said(english, text.template, text.values, text.between, text.plural)


def spoken(name: str) -> str:
    """Return an identifier as a sentence says it: without underscores, translated where it can."""
    if is_message(name):
        return name
    text = name.replace("_", " ")
    return Translated(text, name.translations) if isinstance(name, Translated) else text


def short(english: str, meant: Said) -> Said:
    """A word that means several things in English, said otherwise as what is meant here."""
    return Said(english, meant.template, meant.values, plural=meant.plural)


def span(low: Any, high: Any) -> Said:
    """A range of numbers, as `0-3`; other languages write another sign between them."""
    return short(f"{low}-{high}", said("{low} to {high}", low=low, high=high))


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


def faults_of(found: Iterable[Mapping[str, Any]]) -> Said:
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


def counted(count: int, noun: str, plural: str = "") -> Said:
    """The count with its noun in the singular or the plural, which is `noun` and an s unless said.

    Only 1 takes the singular; thousands are parted by commas. Another language chooses among its
    own plural forms of the message `{n:,} answer`, `{n:,} answers`.
    """
    several = plural or f"{noun}s"
    english = f"{count:,} {noun if count == 1 else several}"
    return Said(english, f"{{n:,}} {noun}", {"n": count}, plural=f"{{n:,}} {several}")


def duration(seconds: float) -> str:
    """A length of time in words, no finer than it matters."""
    if seconds < 90:
        return said("{n} s", n=max(1, round(seconds)))
    if seconds < 90 * 60:
        return said("{n} min", n=round(seconds / 60))
    return said("{n:.1f} h", n=seconds / 3600)


# What the sentence of a reason calls a graded thing and those who graded it. A report of units, or
# of simulated annotators, gives its own nouns (`with_nouns`).
NOUNS = {"unit": said("answer"), "units": said("answers"), "graders": said("annotators")}
