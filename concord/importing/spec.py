"""A spec: how a file is imported, saved as TOML to be used again on the next file of that shape."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from concord.definitions import Frozen
from concord.importing.columns import ColumnMap
from concord.messages import Problem, said, system_fault
from concord.rubrics import model as rubrics


def _is_word(word: str) -> str:
    if not word.partition("=")[0].strip(" :"):
        raise ValueError(said("write FIELD=COLUMN, FIELD:=VALUE or FIELD="))
    return word


class NewCriterion(Frozen):
    """A criterion of a rubric that an import made: its name, and the title from the file."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    title: str = ""


class NewRubric(Frozen):
    """The rubric that an import made from the scores of a file."""

    name: str = Field(min_length=1)
    title: str = ""
    scale: tuple[int, ...] = Field(min_length=2)
    criteria: tuple[NewCriterion, ...] = Field(min_length=1)


class Spec(Frozen):
    """Specification of an import.

    Attributes:
        map: The words of its column map.
        rubric: The name of the rubric of its grades; None for none.
        scores: Score by word, as the file writes it; '' for a word that is no grade.
        new_rubric: The rubric that the import makes unless the name exists.
        worksheet: The worksheet of a workbook; None for the one with the most data.
        encoding: The character encoding; None where it is detected.
    """

    map: tuple[Annotated[str, AfterValidator(_is_word)], ...]
    rubric: str | None = None
    scores: dict[str, int | float | Literal[""]] = Field(default_factory=dict)
    new_rubric: NewRubric | None = None
    worksheet: str | None = None
    encoding: str | None = None

    def with_words(self, words: Sequence[str]) -> tuple[str, ...]:
        """Return the words of the map, where more words replace those of the same fields."""
        return replaced_words(self.map, words)


def replaced_words(words: Sequence[str], more: Sequence[str]) -> tuple[str, ...]:
    """Return words of a column map, where more words replace those of the same fields."""
    fields = {_field(word) for word in more}
    return (*(word for word in words if _field(word) not in fields), *more)


def load(path: str | Path) -> Spec:
    """Read a spec; a Problem names the file and the line or the key, and what is wrong with it."""
    return parse(rubrics.read_text(path), str(path))


def parse(text: str, source: str) -> Spec:
    """Read a spec from TOML text; `source` names it in a Problem."""
    return rubrics.validated(Spec, text, source)


def of(columns: ColumnMap, words: Sequence[str] = (), **more) -> Spec:
    """Return the spec of a map; of the `words` it was made from, some may leave fields out."""
    left_out = [word.strip() for word in words if word.strip().endswith("=")]
    spoken = columns.spoken()
    there = {_field(word) for word in spoken}
    kept = [word for word in dict.fromkeys(left_out) if _field(word) not in there]
    return Spec(map=(*spoken, *kept), **more)


def as_toml(spec: Spec) -> str:
    """The spec as a TOML file; reading it back gives an equal spec."""
    given = spec.model_dump(exclude_defaults=True)
    lines = ["map = [", *(f"  {_text(word)}," for word in given.pop("map")), "]"]
    made, scores = given.pop("new_rubric", None), given.pop("scores", {})
    lines += _lines(given)
    if scores:
        lines += ["", "[scores]", *(f"{_text(word)} = {_text(scores[word])}" for word in scores)]
    if made:
        criteria = made.pop("criteria")
        lines += ["", "[new_rubric]", *_lines(made)]
        for one in criteria:
            lines += ["", "[[new_rubric.criteria]]", *_lines(one)]
    return "\n".join(lines) + "\n"


def _lines(values: dict) -> list[str]:
    return [f"{key} = {_text(value)}" for key, value in values.items()]


def _text(value: Any) -> str:
    """A value as TOML, which writes texts and lists as JSON does, but for one character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


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


def _field(word: str) -> str:
    return word.partition("=")[0].strip().removesuffix(":").strip()
