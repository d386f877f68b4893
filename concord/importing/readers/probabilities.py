"""Probabilities of scores that a judge gave elsewhere, from the cells of a row.

They come in one column, as a JSON list in the order of the scale or as a JSON object by score, or
in columns one per score, such as `p:SCORE` or `p_SCORE` (an object in JSONL is read as columns
`probabilities.SCORE`). They are kept as they are: nothing is rounded or normalised.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell, Cell
from concord.messages import joined
from concord.model import DISTRIBUTION_SOURCES, IMPORTED, STATED, Distribution, is_rounding

OF_SCORE = re.compile(r"(?:\s*p:|.*\.)\s*([+-]?[0-9]+)\s*", re.IGNORECASE)
# Of several columns the number at the end tells the score; one alone may be called `gpt4`.
_OF_SEVERAL = re.compile(r".*[^+\-0-9]([+-]?[0-9]+)\W*")


def distribution(
    cells: Mapping[str, Cell], outside: Cell, source: Cell, scale: Sequence[int]
) -> Distribution | None:
    """Return the distribution of a row; None where its cells are blank.

    Args:
        cells: The cells of the probabilities by the name of their column.
        outside: The mass on what is no score; blank where it is unknown.
        source: Where they come from (`DISTRIBUTION_SOURCES`); blank for `imported`.
        scale: All scores of the rubric.

    Raises:
        BadCell: They are no probabilities of the scores of the scale.
    """
    if all(map(of_cell.is_blank, cells.values())):
        return None
    name, beyond = _source(source), _outside(outside)
    found = _by_score(cells, scale)
    lacking = [score for score in scale if score not in found]
    if lacking and name != STATED:
        raise BadCell(
            "the probability of score {score} is missing. Add it: 0 if it cannot occur.",
            score=lacking[0],
            fault_code="missing_probability",
        )
    _check_sum(found, beyond, name)
    return Distribution(name, tuple(sorted(found.items())), beyond)


def _check_sum(found: Mapping[int, float], beyond: float | None, source: str) -> None:
    """Refuse a sum that is not 1 with the mass outside the scale, nor without it.

    Some servers scale the probabilities to 1 and say how much was outside before.
    """
    total = sum(found.values())
    sums = total, total + (beyond or 0)
    off = [max(0, one - 1) if source == STATED else one - 1 for one in sums]
    if any(is_rounding(one, len(found)) for one in off):
        return
    raise BadCell(
        "the probabilities add up to {total}. Correct them, or give what lies on no score in a "
        "column “outside_mass”.",
        total=f"{sums[1]:.3g}",
        fault_code="not_1",
    )


def read_score(found: Distribution, scale: Sequence[int]) -> int:
    """Return the score nearest to the expected score; halfway between two, the lower.

    Raises:
        BadCell: No score of the scale has a probability.
    """
    if not any(p for _, p in found.probabilities):
        raise BadCell(
            "all probability is outside the scale, so no score can be read. Give the score, or a "
            "status that says why it is missing.",
            fault_code="all_outside",
        )
    import numpy as np  # most files have no probabilities

    from concord.stats.probabilities.reading import read

    shares = dict(found.probabilities)
    return int(read("rounded_mean", np.array([[shares[one] for one in scale]]), scale)[0])


def _by_score(cells: Mapping[str, Cell], scale: Sequence[int]) -> dict[int, float]:
    """Return the probabilities by score, from one cell or from one for each score."""
    of_score = OF_SCORE if len(cells) == 1 else _OF_SEVERAL
    by_column = {column: of_score.fullmatch(column) for column in cells}
    if all(by_column.values()):
        given = {by_column[c][1]: cell for c, cell in cells.items() if not of_cell.is_blank(cell)}
        return _checked(given, scale)
    if len(cells) > 1:
        raise BadCell(
            "it is one of several columns of probabilities. Map one, or p:SCORE alone.",
            fault_code="not_probabilities",
        )
    [cell] = cells.values()
    value = _json(cell)
    if isinstance(value, list) and len(value) == len(scale):
        return _checked(dict(zip(scale, value, strict=True)), scale)
    if isinstance(value, list):
        raise BadCell(
            "it holds {n} probabilities, and the scale has {scores} scores. Give one for each.",
            n=len(value),
            scores=len(scale),
            fault_code="missing_probability",
        )
    if isinstance(value, dict):
        return _checked(value, scale)
    raise BadCell(
        "it is neither a JSON list of probabilities nor an object by score.",
        fault_code="not_probabilities",
    )


def _json(cell: Cell) -> Any:
    """Return a cell as a list or object; text is read as JSON."""
    if isinstance(cell, list | dict):
        return cell
    try:
        return json.loads(of_cell.text(cell))
    except (ValueError, RecursionError):
        raise BadCell(
            "the probabilities are not JSON. Write [0.1, 0.2, 0.3, 0.4].",
            fault_code="not_probabilities",
        ) from None


def _checked(given: Mapping[Any, Any], scale: Sequence[int]) -> dict[int, float]:
    found = {}
    for name, value in given.items():
        score = next((one for one in scale if str(one) == str(name).strip().lstrip("+")), None)
        if score is None:
            raise BadCell(
                "it names the score {score}, which is not on the scale. Use {scale}.",
                score=of_cell.excerpt(str(name)),
                scale=joined(", ", map(str, scale)),
                fault_code="off_scale",
            )
        if score in found:
            raise BadCell(
                "the score {score} has two probabilities. Keep one.",
                score=score,
                fault_code="score_twice",
            )
        found[score] = _probability(value)
    return found


def _probability(value: Any) -> float:
    """A number from 0 to 1."""
    try:
        number = float(value) if not isinstance(value, bool | list | dict | None) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if not 0 <= number <= 1:
        raise BadCell(
            "“{value}” is not a probability. Give a number from 0 to 1.",
            value=of_cell.excerpt(str(value)),
            fault_code="not_a_probability",
        )
    return number


def _outside(cell: Cell) -> float | None:
    word = of_cell.text(cell).strip()
    return _probability(word) if word else None


def _source(cell: Cell) -> str:
    word = of_cell.text(cell).strip().casefold()
    if word and word not in DISTRIBUTION_SOURCES:
        raise BadCell(
            "the source “{word}” is unknown. Use one of: {names}.",
            word=of_cell.excerpt(word),
            names=joined(", ", DISTRIBUTION_SOURCES),
            fault_code="no_source",
        )
    return word or IMPORTED
