"""A spec: how a file is imported, saved as TOML to be used again on the next file of that shape."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from pydantic import Field

from concord.definitions import Frozen
from concord.importing.columns import ColumnMap, column_map
from concord.importing.readers.table import Table
from concord.importing.scores import shown_scale
from concord.messages import Problem, system_fault
from concord.rubrics.model import Rubric, validated
from concord.store.database import Store
from concord.store.rubrics import rubric_versions


class Spec(Frozen):
    """Specification of an import.

    Attributes:
        map: The words of its column map.
        rubric: The name of the rubric of its grades; None for none.
        scale: That of this rubric, such as 1-5, where the import made it: it does so again where
            there is no rubric of this name and scale.
        scores: Score by word, as the file writes it; '' for a word that is no grade.
        worksheet: The worksheet of a workbook; None for the one with the most data.
        encoding: The character encoding; None where it is detected.
        number_answers: Whether answers without ids get one (`numbering`).
    """

    map: tuple[str, ...]
    rubric: str | None = None
    scale: str = ""
    scores: dict[str, int | float | Literal[""]] = Field(default_factory=dict)
    worksheet: str | None = None
    encoding: str | None = None
    number_answers: bool = False


def makes_rubric(store: Store, spec: Spec) -> bool:
    """Whether the import makes the rubric of a spec: none is stored of its name and scale."""
    stored = spec.rubric in rubric_versions.names(store)
    scale = rubric_versions.named(store, spec.rubric)[1].scale if stored else ()
    return bool(spec.scale) and shown_scale(scale) != spec.scale


def replaced_words(words: Sequence[str], more: Sequence[str]) -> tuple[str, ...]:
    """Return words of a column map, where more words replace those of the same fields."""
    fields = {_field(word) for word in more}
    return (*(word for word in words if _field(word) not in fields), *more)


def parse(text: str, source: str) -> Spec:
    """Read a spec from TOML text; a Problem names the `source` and the line or the key."""
    return validated(Spec, text, source)


def of(
    table: Table,
    columns: ColumnMap,
    rubrics: Sequence[Rubric] = (),
    is_new: bool = False,
    scores: Mapping[str, float | None] = MappingProxyType({}),
    encoding: str | None = None,
    number_answers: bool = False,
) -> Spec:
    """Return the spec of a map, which leaves out what it does not use of recognised columns.

    Of several rubrics the next file shows the scales again.
    """
    by_name = column_map(table.columns)
    unused = {*by_name.fields, *by_name.ambiguous} - {*columns.fields}
    rubric = rubrics[0] if len(rubrics) == 1 else None
    return Spec(
        map=(*columns.spoken(), *(f"{field}=" for field in sorted(unused))),
        rubric=rubric and rubric.name,
        scale=shown_scale(rubric.scale) if rubric and is_new else "",
        scores={word: "" if score is None else score for word, score in scores.items()},
        worksheet=table.worksheet if len(table.worksheets) > 1 else None,
        encoding=encoding,
        number_answers=number_answers,
    )


def as_toml(spec: Spec) -> str:
    """The spec as a TOML file; reading it back gives an equal spec."""
    given = spec.model_dump(exclude_defaults=True)
    return "".join(f"{key} = {_toml(value)}\n" for key, value in given.items())


def _toml(value: Any) -> str:
    """A value as TOML, which writes texts and lists as JSON does, but for one character."""
    if isinstance(value, dict):
        pairs = (f"{_toml(key)} = {_toml(part)}" for key, part in value.items())
        return f"{{{', '.join(pairs)}}}"
    return json.dumps(value, ensure_ascii=False, indent=1).replace("\x7f", "\\u007f")


def save(spec: Spec, path: str | Path) -> None:
    """Write a spec; a Problem where a file of another kind is there, or it cannot be written."""
    path = Path(path)
    if path.exists() and path.suffix != ".toml":
        raise Problem("{path} exists and does not end in .toml. Name another file.", path=path)
    try:
        path.write_text(as_toml(spec), encoding="utf-8")
    except OSError as error:
        raise Problem(
            "{path} cannot be written: {why}. Check the path.", path=path, why=system_fault(error)
        ) from None


def scale_of(text: str) -> tuple[int, ...]:
    """The scores of a scale such as 1-5; a Problem for any other text."""
    ends = re.fullmatch(r"(-?\d{1,4})-(-?\d{1,4})", text.strip())
    low, high = map(int, ends.groups()) if ends else (0, 0)
    if not low < high <= low + 100:
        raise Problem(
            "“{text}” is not a scale. Give its ends, as in 1-5.",
            text=text,
            fault_code="not_a_scale",
        )
    return tuple(range(low, high + 1))


def _field(word: str) -> str:
    return word.partition("=")[0].strip().removesuffix(":").strip()
