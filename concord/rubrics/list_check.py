"""List check: what a person says of a list of units as a whole, apart from any verdict on them.

Pure. Something is missing, invented or not atomic, in any combination, so that one key says it.
"""

from concord.messages import joined, said
from concord.rubrics.model import Criterion, Level, Rubric

ERRORS = {
    said("missing"): said("Something that the text states is not in the list."),
    said("invented"): said("An entry says something that the text does not state."),
    said("not atomic"): said("An entry says several things, or cannot be understood by itself."),
}
OF_NAMES = {
    said("missing"): said("An entity that the text names is not in the list."),
    said("invented"): said(
        "An entry is not named in the text, or is a general word and names nothing."
    ),
    said("not atomic"): said(
        "An entry contains several entities, or one entity is in several entries."
    ),
}
RIGHT = said("right")
# No digit: of a unit 3 may be the best, of a list it would be two errors. No letter either that
# does something else in the grading pane (components/grading_pane/keys.js): scores come first.
KEYS = dict(enumerate("ybcdghlp"))
RANGE = " ".join(KEYS.values()).upper()
_ALL_IS_WELL = said(
    "Everything the text states is in the list, nothing else is, one thing in each entry."
)
_QUESTION = said(
    "Does the list say what the text states: all of it, nothing else, one thing at a time?"
)
_ALL_NAMED = said("Every entity the text names is in the list, nothing else is, each in one entry.")
_ASKED_OF_NAMES = said("Does the list hold what the text names: all, nothing else, each once?")


def rubric(kind: str) -> Rubric:
    """The rubric for lists of a kind of units; its scores only number the combinations."""
    levels = tuple(_level(number, kind) for number in range(2 ** len(ERRORS)))
    asked = _ASKED_OF_NAMES if _is_of_names(kind) else _QUESTION
    criterion = Criterion(
        name=f"{kind}_list", title=said("The list itself"), weight=1, question=asked, levels=levels
    )
    return Rubric(
        name=f"{kind}-list",
        title="Lists of units",
        scale=tuple(level.score for level in levels),
        shown=(),
        criteria=(criterion,),
    )


def label(score: int) -> str:
    """Return the errors a score encodes, in words; `right` for none."""
    return joined(", ", _errors(score)) or RIGHT


def words(score: int, kind: str) -> str:
    """Return the meaning of a score for a list of a kind: the short form, then the full one."""
    errors, short = _errors(score), label(score)
    if len(errors) > 1:
        return short
    return said("{errors}: {meaning}", errors=short, meaning=_meaning(errors, kind))


def score(labelled: str) -> int:
    """Return the score of a label."""
    return sum(1 << place for place, error in enumerate(ERRORS) if error in labelled.split(", "))


def _level(number: int, kind: str) -> Level:
    """Return the level that identifies the check in a store.

    Its text is part of the criterion version and must not change; displayed texts come from
    `words`.
    """
    errors = _errors(number)
    meaning = _meaning(errors, kind) if len(errors) < 2 else "All of it at once."
    return Level(score=number, meaning=f"{label(number)}: {meaning}")


def _meaning(errors: list[str], kind: str) -> str:
    """Return the meaning of one error for a list of a kind; for none, of a correct list."""
    known, well = (OF_NAMES, _ALL_NAMED) if _is_of_names(kind) else (ERRORS, _ALL_IS_WELL)
    return known[errors[0]] if errors else well


def _is_of_names(kind: str) -> bool:
    return kind.endswith("_entity")


def _errors(number: int) -> list[str]:
    return [error for place, error in enumerate(ERRORS) if number >> place & 1]
