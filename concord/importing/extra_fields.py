"""Extra fields of an answer other than texts: context ids, relevant ids, an item rubric."""

import ast
import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from concord.importing import list_cells
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell, Cell, Damaged
from concord.messages import on_command_line, said
from concord.model import Context

_NUMBERS = re.compile(r"\[\s*\d+(?:\s+\d+)+\s*\]")
_SEVERAL = re.compile(r"[,;|\s]")


def ids(cell: Cell) -> list[str] | None:
    """Return the ids in a cell, numbers as spelled; None for a blank cell.

    Raises:
        BadCell: An ambiguous text, or a list with other values.
    """
    if of_cell.is_blank(cell):
        return None
    found = _value(cell)
    if isinstance(found, str):
        word = of_cell.text(found).strip()
        if word == "nan" or word[:1] == "[" or _SEVERAL.search(word):
            raise BadCell(
                '“{word}” is not a list of ids. Write a JSON list, as in ["d1", "d2"], or leave '
                "it empty.",
                word=of_cell.excerpt(word),
                fault_code="not_ids",
            )
        return [word]
    given = found if isinstance(found, list) else [found]
    for one in given:
        if isinstance(one, bool) or not isinstance(one, str | int):
            raise BadCell(
                "{one} is not an id. Write a flat list of strings or whole numbers.",
                one=json.dumps(one, default=str),
                fault_code="not_ids",
            )
    return [of_cell.text(str(one)).strip() for one in given]


def named(
    contexts: Sequence[Context], chunks: list[str] | None, documents: list[str] | None
) -> tuple[Context, ...]:
    """Return contexts with ids from separate columns; ids alone are contexts without text.

    Raises:
        BadCell: Numbers of ids and contexts differ, or a context would have two ids.
    """
    if not contexts:
        number = max(len(chunks or ()), len(documents or ()))
        contexts = [Context("", "", "", place) for place in range(1, number + 1)]
    for field, given in (("id", chunks), ("doc_id", documents)):
        if given is not None:
            contexts = _under(contexts, field, given)
    return tuple(contexts)


def rubric(cell: Cell) -> dict[str, str] | None:
    """Meanings by score, as `{"0": ..., "1": ...}`; None where the cell is blank.

    A key is a score, or a name that holds one, such as `score1_description`.
    """
    if of_cell.is_blank(cell) or cell == {}:
        return None
    found = _value(cell)
    if not isinstance(found, dict):
        raise BadCell(
            'it is not a rubric. Write an object with a meaning for each score, as in {{"0": '
            '"wrong", "1": "right"}}, or map no column to “Rubric of the item”{on_command_line}',
            on_command_line=on_command_line("--map rubric="),
            fault_code="not_a_rubric",
        )
    meanings: dict[str, str] = {}
    for key, meaning in found.items():
        if meaning is None:  # Parquet gives every row the keys of all
            continue
        score = _score(str(key))
        if not isinstance(meaning, str) or score in meanings:
            fault = said("occurs twice" if score in meanings else "has no text")
            raise BadCell(
                "score {score} {fault}. Give each score one text.",
                score=score,
                fault=fault,
                fault_code="not_a_rubric",
            )
        meanings[score] = of_cell.text(meaning)
    return meanings or None


# How each of `model.EXTRA_FIELDS` is read, whatever its column is called.
READERS: dict[str, Callable[[Cell], Any]] = {
    "relevant_ids": ids,
    "rubric": rubric,
    "judge_date": of_cell.name,
}


def _score(key: str) -> str:
    whole = key.strip()
    numbers = [whole] if re.fullmatch(r"-?\d+", whole) else re.findall(r"\d+", whole)
    if len(numbers) != 1 or len(numbers[0]) > 18:
        raise BadCell(
            "the key “{key}” does not name a score. Write it as in score1.",
            key=of_cell.excerpt(key),
            fault_code="not_a_rubric",
        )
    return str(int(numbers[0]))


def _under(contexts: Sequence[Context], field: str, given: list[str]) -> list[Context]:
    if len(given) != len(contexts):
        raise BadCell(
            "the numbers of ids ({n}) and contexts ({contexts}) differ. Give one id per context, "
            "in the same order.",
            n=len(given),
            contexts=len(contexts),
            fault_code="unequal_lists",
        )
    twice = [one for one, told in zip(contexts, given, strict=True) if getattr(one, field) != ""]
    if twice:
        raise BadCell(
            "the contexts already contain ids. Map a column to only one of the two.",
            fault_code="ids_twice",
        )
    return [one._replace(**{field: told}) for one, told in zip(contexts, given, strict=True)]


def _value(cell: Cell) -> Any:
    """Return the value of a cell, parsing JSON and printed Python."""
    if isinstance(cell, Damaged):
        raise BadCell(cell.problem)
    if not isinstance(cell, str):
        return cell
    text = cell.strip()
    if text[:1] + text[-1:] not in ("[]", "{}"):
        return text
    for read in (json.loads, _printed):
        try:
            found = of_cell.nested(read(text))
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        if isinstance(found, list | dict):
            return found
    return text


def _printed(text: str) -> Any:
    """Return the value of a text as Python or NumPy prints it; NumPy prints no commas."""
    if _NUMBERS.fullmatch(text):
        return text[1:-1].split()
    texts = list_cells.spelled(text) if text[0] == "[" else None
    found = ast.literal_eval(text) if texts is None else texts
    if texts is None and isinstance(found, list) and any(isinstance(one, str) for one in found):
        raise ValueError("neighbours may have been joined")
    return found
