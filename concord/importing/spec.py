"""A spec: how a file is imported, saved as TOML to be used again on the next file of that shape."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field

from concord.definitions import Frozen
from concord.importing.columns import ColumnMap
from concord.messages import Problem, said, system_fault
from concord.rubrics import model as rubrics
from concord.rubrics.rubric_toml import quoted


def _is_word(word: str) -> str:
    if not word.partition("=")[0].strip(" :"):
        raise ValueError(said("write FIELD=COLUMN, FIELD:=VALUE or FIELD="))
    return word


def _is_score(score: int | float | str) -> int | float | str:
    if isinstance(score, str) and score:
        raise ValueError(said('write a number, or "" for a word that is no grade'))
    return score


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
    scores: dict[str, Annotated[int | float | str, AfterValidator(_is_score)]] = Field(
        default_factory=dict
    )
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
    lines = ["map = [", *(f"  {quoted(word)}," for word in spec.map), "]"]
    for key in ("rubric", "worksheet", "encoding"):
        value = getattr(spec, key)
        lines += [f"{key} = {quoted(value)}"] if value is not None else []
    if spec.scores:
        lines += ["", "[scores]"]
        lines += [f"{_key(word)} = {_score(score)}" for word, score in spec.scores.items()]
    if spec.new_rubric:
        lines += _new_rubric(spec.new_rubric)
    return "\n".join(lines) + "\n"


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


def _new_rubric(rubric: NewRubric) -> list[str]:
    lines = ["", "[new_rubric]", f"name = {quoted(rubric.name)}"]
    lines += [f"title = {quoted(rubric.title)}"] if rubric.title else []
    lines.append(f"scale = [{', '.join(map(str, rubric.scale))}]")
    for criterion in rubric.criteria:
        lines += ["", "[[new_rubric.criteria]]", f"name = {quoted(criterion.name)}"]
        lines += [f"title = {quoted(criterion.title)}"] if criterion.title else []
    return lines


def _field(word: str) -> str:
    return word.partition("=")[0].strip().removesuffix(":").strip()


def _key(word: str) -> str:
    """A key in quotes; TOML allows no line break in it."""
    return quoted(word).replace('"""\n', '"').replace('"""', '"').replace("\n", "\\n")


def _score(score: float | str) -> str:
    return quoted(score) if isinstance(score, str) else repr(score)
