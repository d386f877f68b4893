"""A rubric as TOML text, as a person would write the file; `rubrics.model.parse` reads it back."""

import re
from decimal import Decimal, localcontext
from fractions import Fraction

from pydantic import BaseModel

from concord.rubrics.model import (
    Criterion,
    CriterionTranslation,
    Example,
    Level,
    Rubric,
    Translation,
)

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_MUST_ESCAPE = re.compile(r'[\\"\x00-\x1f\x7f]')


def as_toml(rubric: Rubric) -> str:
    """The rubric as a TOML file; reading it back gives an equal rubric."""
    head = [
        f"name = {quoted(rubric.name)}",
        f"title = {quoted(rubric.title)}",
        *_given("", rubric, "about", "units", "plural"),
        f"scale = [{', '.join(map(str, rubric.scale))}]",
        f"shown = [{', '.join(map(quoted, rubric.shown))}]",
    ]
    parts = [*map(_criterion, rubric.criteria), *map(_translation, rubric.translations)]
    return "\n".join(head) + "\n" + "".join(parts)


def _criterion(criterion: Criterion) -> str:
    lines = [
        "\n[[criteria]]",
        f"name = {quoted(criterion.name)}",
        *_given("", criterion, "title"),
        f"weight = {_weight(criterion.weight)}",
        f"question = {quoted(criterion.question)}",
        *([] if criterion.fails_at is None else [f"fails_at = {criterion.fails_at}"]),
    ]
    return "\n".join(lines) + "\n" + "".join(map(_level, criterion.levels))


def _level(level: Level) -> str:
    lines = [
        "\n  [[criteria.levels]]",
        f"  score = {level.score}",
        *_given("  ", level, "label"),
        f"  meaning = {quoted(level.meaning)}",
    ]
    return "\n".join(lines) + "\n" + "".join(map(_example, level.examples))


def _example(example: Example) -> str:
    lines = ["    [[criteria.levels.examples]]", f"    question = {quoted(example.question)}"]
    lines += _given("    ", example, "context")
    lines += [f"    answer = {quoted(example.answer)}", f"    why = {quoted(example.why)}"]
    return "\n".join(lines) + "\n"


def _translation(one: Translation) -> str:
    lines = [
        "\n[[translations]]",
        f"language = {quoted(one.language)}",
        *_given("", one, "title", "about"),
    ]
    return "\n".join(lines) + "\n" + "".join(map(_criterion_translation, one.criteria))


def _criterion_translation(one: CriterionTranslation) -> str:
    labels = ", ".join(map(quoted, one.labels))
    meanings = "".join(f"    {quoted(text)},\n" for text in one.meanings)
    lines = [
        "\n  [[translations.criteria]]",
        f"  name = {quoted(one.name)}",
        *_given("  ", one, "title", "question"),
        *([f"  labels = [{labels}]"] if one.labels else []),
        *([f"  meanings = [\n{meanings}  ]"] if one.meanings else []),
    ]
    return "\n".join(lines) + "\n"


def _given(indent: str, one: BaseModel, *names: str) -> list[str]:
    """The lines of the texts that are not blank."""
    texts = ((name, getattr(one, name)) for name in names)
    return [f"{indent}{name} = {quoted(text)}" for name, text in texts if text]


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
    return _MUST_ESCAPE.sub(
        lambda hit: _ESCAPES.get(hit[0]) or f"\\u{ord(hit[0]):04X}",
        text,
    )
