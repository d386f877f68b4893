"""Scores, words for them, statuses, kinds of grader and probabilities as files spell them.

Nothing is rounded, clipped or normalised. Probabilities of scores come in one column, as a JSON
list in the order of the scale or as a JSON object by score, or in columns one per score, such as
`p:SCORE` or `p_SCORE` (an object in JSONL is read as columns `probabilities.SCORE`).
"""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from concord.importing.fields import folded
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell, Cell
from concord.messages import Numeral, Problem, Said, joined, on_command_line, said
from concord.model import (
    DISTRIBUTION_SOURCES,
    IMPORTED,
    STATED,
    STATUSES,
    Distribution,
    is_rounding,
)
from concord.rubrics.model import Rubric
from concord.text.rating_words import key

# Names of a grader's kind, in a cell or in `--map score:KIND:...` -> the kind as stored.
KINDS = {
    "annotator": "person",
    "person": "person",
    "human": "person",
    "judge": "judge",
    "llm": "judge",
    "metric": "metric",
    "mean": "mean",
    # As other tools call them.
    "annotation": "person",
    "app": "person",
    "user": "person",
    "ai_judge": "judge",
    "llm_judge": "judge",
    "eval": "judge",
    "evaluator": "judge",
    "model": "judge",
    "code": "metric",
    "api": "judge",
    "auto_eval": "judge",
}
# Types of assertions in the results of promptfoo; each may begin with `not-`.
_MODEL_ASSERTIONS = """
    llm-rubric search-rubric model-graded-closedqa model-graded-factuality factuality g-eval
    answer-relevance context-faithfulness context-recall context-relevance conversation-relevance
    agent-rubric trajectory:goal-success guardrails select-best pi"""
_COMPUTED_ASSERTIONS = """
    equals contains icontains contains-any contains-all icontains-any icontains-all starts-with
    regex is-json contains-json is-xml contains-xml is-html is-sql contains-sql javascript python
    ruby webhook similar classifier moderation rouge-n bleu gleu meteor levenshtein latency cost
    perplexity perplexity-score word-count is-refusal max-score contains-html finish-reason
    is-valid-function-call is-valid-openai-function-call is-valid-openai-tools-call tool-call-f1
    similar:cosine similar:dot similar:euclidean skill-used trace-error-spans trace-span-count
    trace-span-duration trajectory:step-count trajectory:tool-args-match trajectory:tool-sequence
    trajectory:tool-used"""
ASSERTIONS = {
    **dict.fromkeys(_MODEL_ASSERTIONS.split(), "judge"),
    **dict.fromkeys(_COMPUTED_ASSERTIONS.split(), "metric"),
}
# What promptfoo calls the graders of attacks, as `promptfoo:redteam:harmful`.
_RED_TEAM = "promptfoo:redteam:"
Words = Mapping[str, float | None]
# Scores by number of 0 to 1, by criterion and whether judges gave them.
Spread = Mapping[tuple[str, bool], Words]
_WIDE_DIGITS = str.maketrans("０１２３４５６７８９．，－＋", "0123456789.,-+")
_WHOLE = re.compile(r"([+-]?\d+)(?:\.0*)?", re.ASCII)
# A comma before three digits may part thousands, so it is no decimal point.
_DECIMAL_COMMA = re.compile(r"^([+-]?\d*),(?!\d{3}$)(\d*)$", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_STATUS = {folded(status): status for status in STATUSES}


def score(
    cell: Cell, scale: Sequence[int], kind: str = "person", words: Words | None = None
) -> int | float | None:
    """A score on the scale, or a finite number; None where the cell is blank.

    "3.0" and "3,0" equal 3. An annotator's fraction or number off the scale is refused. A judge, a
    metric and a mean of annotators may give any number, which is kept as it is;
    `deduplicate.off_scale` says which numbers of a judge are refused. A word counts as the score
    that `words` gives it.

    Args:
        cell: The cell.
        scale: The scores of the rubric.
        kind: One of `person`, `judge`, `metric` and `mean`.
        words: Scores by word, from `words_to_scores`.
    """
    given = of_cell.text(cell).strip()
    if words and key(given) in words:
        return _mapped(given, words[key(given)], scale, kind)
    word = _plain(given)
    if not word:
        return None
    if kind != "person":
        return _real(word, given, scale if kind == "mean" else ())
    whole = _WHOLE.fullmatch(word)
    if whole is None:
        raise BadCell(_no_score(word, given, scale))
    if len(whole[1]) > 18 or int(whole[1]) not in scale:
        raise BadCell(
            "the score {given} is not on the scale. Use a score of {scale}.",
            given=of_cell.excerpt(given),
            scale=_named(scale),
            fault_code="off_scale",
        )
    return int(whole[1])


def number(text: str) -> int | float | None:
    """The number that a text is, an integer where it is whole; None for other text."""
    word = _plain(text.strip())
    whole = _WHOLE.fullmatch(word)
    if whole and len(whole[1]) <= 18:
        return int(whole[1])
    found = float(word) if _NUMBER.fullmatch(word) and "," not in word else math.nan
    return found if math.isfinite(found) else None


def words_to_scores(given: Iterable[str]) -> Words:
    """Scores by word from texts `WORD=SCORE`; a word before `=` alone is no grade.

    Raises:
        Problem: a text that maps no word to a number, or a word that is mapped twice.
    """
    found: dict[str, float | None] = {}
    for text in given:
        word, equals, mapped = text.rpartition("=")
        to = number(mapped)
        if not (equals and word.strip()) or (to is None and mapped.strip()):
            raise Problem(
                "“{text}” does not map a word to a score. Write WORD=SCORE, as in --score Useful=1",
                text=of_cell.excerpt(text),
                fault_code="not_a_score",
            )
        if found.setdefault(key(word), to) != to:
            raise Problem(
                "“{word}” is mapped to two scores. Keep one.",
                word=of_cell.excerpt(word.strip()),
                fault_code="not_a_score",
            )
    return found


def words_of(words: Words, names: Iterable[str]) -> Words:
    """The scores by word for a criterion of these names: those of `NAME:WORD` come first."""
    before = tuple({key(f"{name}:") for name in names})
    own = {
        word.removeprefix(one): score
        for word, score in words.items()
        for one in before
        if word.startswith(one)
    }
    return {**words, **own} if own else words


def given(
    cell: Cell, rubric: Rubric, kind: str = "person", words: Words | None = None
) -> int | float | None:
    """Return the score of a cell under a rubric, of a whole answer or of a unit of one."""
    return verdict(cell, rubric) if rubric.units else score(cell, rubric.scale, kind, words)


def verdict(cell: Cell, rubric: Rubric) -> int | None:
    """The score of a verdict on a unit, given as its label or as the score itself; None: blank."""
    word = of_cell.text(cell).strip()
    levels = rubric.criteria[0].levels
    for level in levels:
        if folded(word) == folded(level.label):
            return level.score
    if not word or _NUMBER.fullmatch(word.translate(_WIDE_DIGITS)):
        return score(cell, rubric.scale)
    raise BadCell(
        "“{word}” is not a verdict of {name}. Use one of: {names}.",
        word=of_cell.excerpt(word),
        name=rubric.name,
        # Only the English labels are accepted, so they are not translated.
        names=joined(", ", [str.__str__(level.label) for level in levels]),
        fault_code="not_a_label",
    )


def status(cell: Cell, scored: bool) -> str:
    """The status; where the cell is blank, `scored` if there is a score."""
    word = of_cell.text(cell).strip()
    known = _STATUS.get(folded(word)) if word else "scored"
    if known is None:
        raise BadCell(
            "the status “{word}” is unknown. Use one of: {names}.",
            word=of_cell.excerpt(word),
            names=joined(", ", STATUSES),
            fault_code="no_status",
        )
    if known == "scored" and not scored:
        raise BadCell(
            "there is no score. Add one, or a status that says why.", fault_code="no_score"
        )
    if known != "scored" and scored:
        raise BadCell(
            "there is a score, but the status is {known}. Keep one of them.",
            known=known,
            fault_code="status_and_score",
        )
    return known


def kind(cell: Cell) -> str:
    """Annotator (or human), judge (or llm), metric, or mean (of several annotators)."""
    word = of_cell.text(cell).strip()
    known = kind_of(word)
    if not known:
        raise BadCell(
            "the kind of grader “{word}” is unknown. Use annotator, judge, metric, or mean (the "
            "mean of several annotators).",
            word=of_cell.excerpt(word),
            fault_code="no_kind",
        )
    return known


def kind_of(word: str) -> str:
    """Return the kind that a word or a type of assertion denotes, or '' if none."""
    folded_word = word.casefold()
    if folded_word.startswith(_RED_TEAM):
        return "judge"
    return KINDS.get(folded_word) or ASSERTIONS.get(folded_word.removeprefix("not-"), "")


def several(given: Rubric | Sequence[Rubric] | None) -> tuple[Rubric, ...]:
    """The rubrics of an argument that may be one, or none."""
    if given is None:
        return ()
    return (given,) if isinstance(given, Rubric) else tuple(given)


def criterion(cell: Cell, rubrics: Rubric | Sequence[Rubric]) -> tuple[str, Rubric]:
    """The criterion of that name or title, with its rubric; the only one where the cell is blank.

    The criteria of several rubrics differ.
    """
    rubrics, word = several(rubrics), of_cell.text(cell).strip()
    # Without translations, which data never has.
    known = [(str.__str__(c.name), c, rubric) for rubric in rubrics for c in rubric.criteria]
    for name, c, rubric in known:
        if folded(word) in (folded(name), folded(c.heading())) or (not word and len(known) == 1):
            return name, rubric
    raise BadCell(
        "“{word}” is not a criterion of {name}. Use one of: {names}.",
        word=of_cell.excerpt(word),
        name=joined(", ", [rubric.name for rubric in rubrics]),
        names=joined(", ", [name for name, _, _ in known]),
        fault_code="no_criterion",
    )


def _plain(given):
    """A text with a decimal point and plain digits, if it is a number."""
    if given.isascii() and "," not in given:
        return given
    return _DECIMAL_COMMA.sub(r"\1.\2", given.translate(_WIDE_DIGITS))


def _mapped(given, to, scale, kind):
    """The score a word is mapped to, which an annotator's must be on the scale."""
    if to is None or kind != "person" or to in scale:
        return to
    raise BadCell(mapped_off_scale(given, to, scale))


def mapped_off_scale(word: str, to: float, scale: Sequence[int]) -> Said:
    """Say that an annotator's word, or number, is mapped to none of the scores of a scale."""
    return said(
        "“{word}” is mapped to {score}, which is not on the scale. Map it to a score of {scale}.",
        word=of_cell.excerpt(word),
        score=Numeral(f"{to:g}"),
        scale=_named(scale),
        fault_code="off_scale",
    )


_OPTION = on_command_line("--score WORD=SCORE")


def _no_score(word, given, scale):
    """Say why an annotator's cell is no score, and what can be done."""
    values = {"given": of_cell.excerpt(given), "scale": _named(scale)}
    if _NUMBER.fullmatch(word):
        return said(
            "the score “{given}” is not a whole number. Use a score of {scale}, or import it as "
            "the kind “mean of annotators”{on_command_line} if it is one.",
            on_command_line=on_command_line("mean"),
            **values,
            fault_code="not_whole",
        )
    return said(
        "the score “{given}” is not a number. Use a score of {scale}, or map the word to a score "
        "under Scale{on_command_line}.",
        on_command_line=_OPTION,
        **values,
        fault_code="not_number",
    )


def _real(word, given, scale):
    """A number as it is; a mean of scores lies within their scale."""
    found = number(word) if _NUMBER.fullmatch(word) else None
    if found is None:
        raise BadCell(
            "the score “{given}” is not a number. Use a number, or map the word to a score "
            "under Scale{on_command_line}.",
            on_command_line=_OPTION,
            given=of_cell.excerpt(given),
            fault_code="not_number",
        )
    if scale and not scale[0] <= found <= scale[-1]:
        raise BadCell(
            "the mean {given} is outside the scale. Use a mean of scores of {scale}.",
            given=of_cell.excerpt(given),
            scale=_named(scale),
            fault_code="off_scale",
        )
    return found


def _named(scale):
    steps = list(range(scale[0], scale[-1] + 1))
    if list(scale) == steps and len(steps) > 4:
        return said("the scale {low} to {high}, whole", low=scale[0], high=scale[-1])
    return said("the scale {scores}", scores=joined(", ", map(str, scale)))


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
