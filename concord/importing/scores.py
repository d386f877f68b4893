"""Scores, words for them, statuses, kinds of grader and probabilities as files spell them.

Nothing is rounded, clipped or normalised. What is wrong with a grade is a code of `FAULTS`.
"""

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from concord.importing import list_cells
from concord.importing.fields import folded
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell, Cell
from concord.messages import Problem, joined, on_command_line, span
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

# Kinds of grader as stored, and their names in a cell or in `--map score:KIND:...`, the first as
# Concord says it, and then as other tools do.
_NAMES_OF_KINDS = {
    "person": "annotator person human annotation app user",
    "judge": "judge llm ai_judge llm_judge eval evaluator model api auto_eval",
    "metric": "metric code",
    "mean": "mean",
}
KINDS = {name: kind for kind, names in _NAMES_OF_KINDS.items() for name in names.split()}
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
_UNKNOWN = "“{given}” is unknown. Use one of: {names}."
_NO_UNIT = (
    "“{given}” names none, several or another of the answer's parts. Name one by its text, as in "
    "`units.csv` of an export, its unit_number or its unit_id."
)
_NO_ITEM = (
    "“{name}” matches several answers, or not the one of the row's question. Name one by its "
    "item_id."
)
# What is wrong with a row of grades, and what to do.
FAULTS = {
    "not_number": "the score “{given}” is not a number. Use a score of {scale}, or map the word to "
    "a score under Scale{option}.",
    "not_whole": "the score “{given}” is not a whole number. Use a score of {scale}, or import it "
    "as the kind “mean of annotators”{mean}.",
    "off_scale": "the score {given} is not on the scale. Use a score of {scale}.",
    "not_a_label": _UNKNOWN,
    "label_and_score": "the score is {score}, but the label means {label}. Keep one of them.",
    "no_score": "there is no score. Add one, or a status that says why.",
    "no_status": _UNKNOWN,
    "status_and_score": "there is a score, but the status is {status}. Keep one of them.",
    "no_grader": "there is no grader. Name the grader.",
    "no_kind": _UNKNOWN,
    "no_criterion": _UNKNOWN,
    "not_of_a_judge": "only a judge gives probabilities. Leave them empty.",
    "not_probabilities": "“{given}” is not one probability for each score of {scale}. Map a column "
    "per score, or one that holds a JSON list or an object by score, as [0.1, 0.2, 0.3, 0.4].",
    "not_1": "the probabilities add up to {total}. Correct them, or give what lies on no score in "
    "a column “outside_mass”.",
    "no_source": _UNKNOWN,
    "no_item_id": "there is no item id. Give the item_id, or the question_id and, if several "
    "models answered, the answer_model.",
    "no_item": "the sheet has no answer “{name}”. Correct it, name the answering model where "
    "several answered, or import the answers first.",
    "several_items": _NO_ITEM,
    "another_item": _NO_ITEM,
    "no_units": "this answer has not been split into such parts. Run a metric judge that needs "
    "them, then import again. From an export, `grades` imports the lists too if unit_grades.csv "
    "is in its folder.",
    "another_unit": _NO_UNIT,
    "no_unit": _NO_UNIT,
    "several_units": _NO_UNIT,
}
_OPTIONS = {
    "option": on_command_line("--score WORD=SCORE"),
    "mean": on_command_line("mean"),
}
Words = Mapping[str, float | None]
# Criteria whose numbers of 0 to 1 are mapped to the scale, each with whether judges gave them.
Spread = Collection[tuple[str, bool]]
_WIDE_DIGITS = str.maketrans("０１２３４５６７８９．，－＋", "0123456789.,-+")
_WHOLE = re.compile(r"([+-]?\d{1,18})(?:\.0*)?", re.ASCII)
# A comma before three digits may part thousands, so it is no decimal point.
_DECIMAL_COMMA = re.compile(r"^([+-]?\d*),(?!\d{3}$)(\d*)$", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_STATUS = {folded(status): status for status in STATUSES}


def bad(code: str, column: str | None = None, **values: Any) -> BadCell:
    """Return the fault of a code; of what a cell says a message quotes the beginning."""
    quoted = {name: of_cell.excerpt(v) if type(v) is str else v for name, v in values.items()}
    return BadCell(FAULTS[code], column, fault_code=code, **quoted, **_OPTIONS)


def number(text: str) -> int | float | None:
    """The number that a text is, an integer where it is whole; None for other text."""
    word = text.strip()
    if "," in word or not word.isascii():
        word = _DECIMAL_COMMA.sub(r"\1.\2", word.translate(_WIDE_DIGITS))
    if whole := _WHOLE.fullmatch(word):
        return int(whole[1])
    found = float(word) if _NUMBER.fullmatch(word) else math.nan
    return found if math.isfinite(found) else None


def score(
    cell: Cell,
    scale: Sequence[int],
    kind: str = "person",
    words: Words | None = None,
    spread: bool = False,
) -> int | float | None:
    """A score on the scale, or a finite number; None where the cell is blank or is no grade.

    "3.0" and "3,0" equal 3. An annotator's fraction or number off the scale is refused, and a mean
    of annotators beyond its ends. A judge and a metric may give any number, which is kept as it is;
    `deduplicate.GradeStage` refuses some numbers of a judge.

    Args:
        cell: The cell.
        scale: The scores of the rubric.
        kind: One of `person`, `judge`, `metric` and `mean`.
        words: Scores by word, from `words_to_scores`.
        spread: Whether 0 is read as the lowest score of the scale and 1 as the highest.
    """
    given = of_cell.text(cell).strip()
    if not given:
        return None
    if words and (word := key(given)) in words:
        found, code = words[word], "off_scale"
        if found is None:
            return None
    else:
        found = number(given)
        if spread and found is not None:
            exact = scale[0] + Fraction(str(found)) * (scale[-1] - scale[0])
            found = int(exact) if exact.denominator == 1 else float(exact)
        code = "off_scale" if spread or isinstance(found, int) else "not_whole"
    if found is None:
        raise bad("not_number", given=given, scale=shown_scale(scale))
    if kind == "person" and (found not in scale or code == "not_whole"):
        raise bad(code, given=given, scale=shown_scale(scale))
    if kind == "mean" and not scale[0] <= found <= scale[-1]:
        raise bad("off_scale", given=given, scale=shown_scale(scale))
    return found


def shown_scale(scale: Sequence[int]) -> str:
    """A scale in a few letters, as 1-5; '' for none."""
    if len(scale) > 1 and list(scale) == list(range(scale[0], scale[-1] + 1)):
        return span(scale[0], scale[-1])
    return joined(", ", map(str, scale))


def words_to_scores(given: Iterable[str]) -> Words:
    """Scores by word from texts `WORD=SCORE`; a word before `=` alone is no grade.

    Raises:
        Problem: a text that maps no word to a number, or a word that is mapped twice.
    """
    found: dict[str, float | None] = {}
    for text in given:
        word, equals, mapped = text.rpartition("=")
        to = number(mapped)
        known = equals and word.strip() and (to is not None or not mapped.strip())
        if not known or found.setdefault(key(word), to) != to:
            raise Problem(
                "“{text}” does not map a word to one score. Write WORD=SCORE once for each word, "
                "as in --score Useful=1",
                text=of_cell.excerpt(text),
                fault_code="not_a_score",
            )
    return found


def verdict(cell: Cell, rubric: Rubric) -> int | None:
    """The score of a verdict on a unit, given as its label or as the score itself; None: blank."""
    word = of_cell.text(cell).strip()
    # Only the English labels are accepted.
    labels = {str.__str__(level.label): level.score for level in rubric.criteria[0].levels}
    known = {folded(label): score for label, score in labels.items()}
    if folded(word) in known:
        return known[folded(word)]
    if word and number(word) is None:
        raise bad("not_a_label", given=word, rubric=rubric.name, names=joined(", ", labels))
    return score(word, rubric.scale)


def status(cell: Cell, scored: bool) -> str:
    """The status; where the cell is blank, `scored` if there is a score."""
    word = of_cell.text(cell).strip()
    known = _STATUS.get(folded(word)) if word else "scored"
    if known is None:
        raise bad("no_status", given=word, names=joined(", ", STATUSES))
    if scored != (known == "scored"):
        raise bad("status_and_score" if scored else "no_score", status=known)
    return known


def grader(cell: Cell) -> str:
    """The name of a grader."""
    found = of_cell.name(cell)
    if found is None:
        raise bad("no_grader")
    return found


def kind(cell: Cell) -> str:
    """Annotator (or human), judge (or llm), metric, or mean (of several annotators)."""
    word = of_cell.text(cell).strip()
    known = kind_of(word)
    if not known:
        raise bad("no_kind", given=word, names="annotator, judge, metric, mean")
    return known


def kind_of(word: str) -> str:
    """Return the kind that a word or a type of assertion denotes, or '' if none."""
    folded_word = word.casefold()
    if folded_word.startswith(_RED_TEAM):
        return "judge"
    return KINDS.get(folded_word) or ASSERTIONS.get(folded_word.removeprefix("not-"), "")


def several(given: Rubric | Sequence[Rubric] | None) -> tuple[Rubric, ...]:
    """The rubrics of an argument that may be one, or none."""
    return (given,) if isinstance(given, Rubric) else tuple(given or ())


def criterion_named(word: str, rubrics: Iterable[Rubric]) -> tuple[str, Rubric] | None:
    """The criterion of that name or title, with its rubric; the only one for ''; else None.

    The criteria of several rubrics differ.
    """
    known = [(c, rubric) for rubric in rubrics for c in rubric.criteria]
    for c, rubric in known:
        name = str.__str__(c.name)  # without translations, which data never has
        if folded(word) in (folded(name), folded(c.heading())) or (not word and len(known) == 1):
            return name, rubric
    return None


def criterion(cell: Cell, rubrics: Rubric | Sequence[Rubric]) -> tuple[str, Rubric]:
    """The criterion that a cell names (`criterion_named`)."""
    word, given = of_cell.text(cell).strip(), several(rubrics)
    if found := criterion_named(word, given):
        return found
    names = (str.__str__(c.name) for rubric in given for c in rubric.criteria)
    raise bad("no_criterion", given=word, names=joined(", ", names))


# A column of the probability of one score: `p:0`, `p_0`, `probabilities.0`, `P(0)`.
_OF_SCORE = re.compile(r"(?:.*?[\W_]|p|prob)([+-]?[0-9]+)\W*", re.IGNORECASE)


def distribution(
    cells: Mapping[str, Cell], outside: Cell, source: Cell, scale: Sequence[int]
) -> Distribution | None:
    """Return the distribution of a row; None where its cells are blank.

    Probabilities come in one column, as a JSON list in the order of the scale or as an object by
    score, or in columns one per score (an object in JSONL is read as columns
    `probabilities.SCORE`).

    Args:
        cells: The cells of the probabilities by the name of their column.
        outside: The mass on what is no score; blank where it is unknown.
        source: Where they come from (`DISTRIBUTION_SOURCES`); blank for `imported`.
        scale: All scores of the rubric.

    Raises:
        BadCell: They are no probabilities of the scores of the scale.
    """
    given = {column: cell for column, cell in cells.items() if not of_cell.is_blank(cell)}
    if not given:
        return None
    name = of_cell.text(source).strip().casefold() or IMPORTED
    if name not in DISTRIBUTION_SOURCES:
        raise bad("no_source", given=name, names=joined(", ", DISTRIBUTION_SOURCES))
    value = next(iter(given.values())) if len(cells) == 1 else None
    value = list_cells.parsed(value) if isinstance(value, str) else value
    if isinstance(value, dict):
        pairs = [*value.items()]
    elif isinstance(value, list):
        pairs = [*zip(scale, value, strict=False)] if len(value) == len(scale) else []
    else:
        numbered = {column: _OF_SCORE.fullmatch(column) for column in given}
        pairs = [(of[1] if of else column, given[column]) for column, of in numbered.items()]
    scores = {str(one): one for one in scale}
    found = {scores.get(str(of).strip().lstrip("+")): number(str(share)) for of, share in pairs}
    beyond = None if of_cell.is_blank(outside) else number(of_cell.shown(outside))
    shares = [*found.values(), 0 if of_cell.is_blank(outside) else beyond]
    is_whole = len(found) == len(scale) or (name == STATED and found)
    is_valid = None not in shares and all(0 <= share <= 1 for share in shares)
    if None in found or len(found) < len(pairs) or not (is_whole and is_valid):
        told = joined(", ", (of_cell.shown(cell) for cell in (*given.values(), outside)))
        raise bad("not_probabilities", given=told, scale=shown_scale(scale))
    found = {score: float(share) for score, share in found.items()}
    # Some servers scale the probabilities to 1 and say how much was outside before.
    total = sum(found.values())
    for share in (total, total + (beyond or 0)):
        off = max(0, share - 1) if name == STATED else share - 1
        if is_rounding(off, len(found)):
            return Distribution(name, tuple(sorted(found.items())), beyond)
    raise bad("not_1", total=f"{share:.3g}")


def read_score(found: Distribution, scale: Sequence[int]) -> int:
    """Return the score nearest to the expected score; halfway between two, the lower.

    Raises:
        BadCell: No score of the scale has a probability.
    """
    shares = dict(found.probabilities)
    if not any(shares.values()):
        raise bad("no_score")
    import numpy as np  # most files have no probabilities

    from concord.stats.probabilities.reading import read

    return int(read("rounded_mean", np.array([[shares[one] for one in scale]]), scale)[0])
