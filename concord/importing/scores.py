"""Scores, words for them, statuses and kinds of grader as files spell them.

Nothing is rounded or clipped.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence

from concord.importing.fields import folded
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell, Cell
from concord.importing.readers.probabilities import distribution as distribution
from concord.importing.readers.probabilities import read_score as read_score
from concord.messages import Numeral, Problem, Said, joined, on_command_line, said
from concord.model import STATUSES
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


def criterion(cell: Cell, rubric: Rubric) -> str:
    """The rubric's criterion of that name or title; the only one where the cell is blank."""
    word = of_cell.text(cell).strip()
    names = [
        str.__str__(c.name) for c in rubric.criteria
    ]  # without translations, which data never has
    if not word and len(names) == 1:
        return names[0]
    for name, c in zip(names, rubric.criteria, strict=True):
        if folded(word) in (folded(name), folded(c.heading())):
            return name
    raise BadCell(
        "“{word}” is not a criterion of {name}. Use one of: {names}.",
        word=of_cell.excerpt(word),
        name=rubric.name,
        names=joined(", ", names),
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
