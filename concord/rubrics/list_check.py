"""List check: what a person says of a list of units as a whole, apart from any verdict on them.

Pure. Something is missing, invented or not atomic, in any combination, so that one key says it.
"""

from concord.messages import N_
from concord.rubrics.model import Criterion, Level, Rubric

ERRORS = {
    N_("missing"): N_("Something that the text states is not in the list."),
    N_("invented"): N_("An entry says something that the text does not state."),
    N_("not atomic"): N_("An entry says several things, or cannot be understood by itself."),
}
OF_NAMES = {
    N_("missing"): N_("An entity that the text names is not in the list."),
    N_("invented"): N_(
        "An entry is not named in the text, or is a general word and names nothing."
    ),
    N_("not atomic"): N_(
        "An entry contains several entities, or one entity is in several entries."
    ),
}
RIGHT = N_("right")
# No digit: of a unit 3 may be the best, of a list it would be two errors. No letter either that
# does something else in the grading pane (components/grading_pane/keys.js): scores come first.
KEYS = dict(enumerate("ybcdghlp"))
RANGE = " ".join(KEYS.values()).upper()
_ALL_IS_WELL = N_(
    "Everything the text states is in the list, nothing else is, one thing in each entry."
)
_TITLE = N_("The list itself")
_QUESTION = N_(
    "Does the list say what the text states: all of it, nothing else, one thing at a time?"
)
_ALL_NAMED = N_("Every entity the text names is in the list, nothing else is, each in one entry.")
_ASKED_OF_NAMES = N_("Does the list hold what the text names: all, nothing else, each once?")


def rubric(kind: str) -> Rubric:
    """The rubric for lists of a kind of units; its scores only number the combinations."""
    levels = tuple(_level(number, kind) for number in range(2 ** len(ERRORS)))
    asked = _ASKED_OF_NAMES if _is_of_names(kind) else _QUESTION
    criterion = Criterion(
        name=f"{kind}_list", title=_TITLE, weight=1, question=asked, levels=levels
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
    return ", ".join(errors(score)) or RIGHT


def score(labelled: str) -> int:
    """Return the score of a label."""
    return sum(1 << place for place, error in enumerate(ERRORS) if error in labelled.split(", "))


def _level(number: int, kind: str) -> Level:
    """Return the level that identifies the check in a store.

    Its text is part of the criterion version and must not change; screens translate its parts.
    """
    meaning_text = meaning(number, kind) or "All of it at once."
    return Level(score=number, meaning=f"{label(number)}: {meaning_text}")


def meaning(score: int, kind: str) -> str:
    """Return the meaning of one error for a list of a kind, or of none; '' for several errors."""
    known, well = (OF_NAMES, _ALL_NAMED) if _is_of_names(kind) else (ERRORS, _ALL_IS_WELL)
    first, *more = errors(score) or [None]
    return "" if more else known.get(first, well)


def _is_of_names(kind: str) -> bool:
    return kind.endswith("_entity")


def errors(score: int) -> list[str]:
    """Return the errors a score encodes; none for a correct list."""
    return [error for place, error in enumerate(ERRORS) if score >> place & 1]
