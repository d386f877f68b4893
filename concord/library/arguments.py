"""What a script hands over and is told: DataFrames as tables, and problems in words of Python."""

import functools
import inspect
import io
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, TypeVar

from concord.importing.readers.formats import open_table
from concord.importing.readers.table import Table
from concord.messages import Problem
from concord.store.database import Store

FRAME = "the DataFrame"
_PAIR = r'(?:"(?P<quoted>[^"=]+)=(?P<to>[^"]*)"|(?P<plain>[^\s"=]+)=(?P<word>[^\s;,)]*))'
_MAP, _SCORE = re.compile(f"--map {_PAIR}"), re.compile(f"--score {_PAIR}")
_SCALE = re.compile(r"--scale (\d+)-(\d+)")
_FLAGS = re.compile(r"--(partial|yes|retry-unscored)(?![\w-])")
_VALUED = re.compile(r"--(sheet|rubric|map|score|scale|budget|limit|repeats|concurrency)(?![\w-])")
_ON_COMMAND_LINE = re.compile(
    r"(?P<where> (?:(?P<under>under [^()]{1,40})|“[^“”]{1,50}”))?"
    r" \((?P<option>[^()]*) on the command line\)"
)
_CONFLICT = re.compile(r"--on-conflict (keep|replace)(?![\w-])")
F = TypeVar("F", bound=Callable)
_SHOWN = 60
_TEXT, _NUMBER = (str, "a text"), ((int, float), "a number")
# The types of arguments, whichever function has them; None is always left to the default.
_KINDS = {
    **dict.fromkeys(("name", "sheet", "against", "criterion", "reference", "figure"), _TEXT),
    "rubric": ((str, PathLike), "a name or a path"),
    "annotators": (Collection, "a name, or a list of names"),
    **dict.fromkeys(("mapping", "scores"), (Mapping, "a dictionary")),
    **dict.fromkeys(("budget", "limit", "repeats", "concurrency", "margin", "minimum"), _NUMBER),
}
_CALLED = {"map": "mapping", "score": "scores"}


def checked(function: F) -> F:
    """The function, whose problems name arguments, not options; so do wrong arguments.

    Its first argument is a store.
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def inner(*args, **more):
        try:
            _check(**signature.bind(*args, **more).arguments)
            return function(*args, **more)
        except Problem as problem:
            problem.args = (in_python(str(problem)),)
            raise

    return inner


def _check(store: object, **given: object) -> None:
    """Raise a Problem for an argument of another type than it has."""
    if not isinstance(store, Store):
        raise Problem("store is {value}. Give what open_store returns.", value=ascii(store))
    for name, (kind, what) in _KINDS.items():
        value = given.get(name)
        if value is not None and not isinstance(value, kind):
            raise Problem(
                "{argument} is {value}. Give {what}.",
                argument=name,
                value=ascii(value)[:_SHOWN],
                what=what,
            )


def score_words(scores: Mapping[str, int | str | None] | None) -> list[str]:
    """Return the argument `scores` as the texts of the option --score."""
    return [f"{word}={'' if to is None else to}" for word, to in (scores or {}).items()]


def in_python(text: str) -> str:
    """Return a sentence with the options of the command line as arguments of Python."""
    if FRAME in text:
        text = re.sub(r"\b(the|this) file\b", FRAME, text)
        text = re.sub(r"(^|\. )the D", r"\1The D", text)
    text = _MAP.sub(lambda found: f'mapping={{"{_from(found)}": "{_to(found)}"}}', text)
    text = _SCORE.sub(lambda found: f'scores={{"{_from(found)}": {_score(_to(found))}}}', text)
    text = text.replace('"} mapping={"', '", "')
    text = _ON_COMMAND_LINE.sub(
        lambda found: (
            f"{' with' if found['under'] else '' if found['where'] else ':'} {found['option']}"
        ),
        text,
    )
    text = _SCALE.sub(lambda found: f"scale=range({found[1]}, {int(found[2]) + 1})", text)
    text = _CONFLICT.sub(r'on_conflict="\1"', text)
    text = _FLAGS.sub(lambda found: f"{found[1].replace('-', '_')}=True", text)
    return _VALUED.sub(lambda found: f"{_CALLED.get(found[1], found[1])}=", text)


def _from(found: re.Match) -> str:
    return found["quoted"] or found["plain"]


def _to(found: re.Match) -> str:
    # A column that ends the sentence is followed by its full stop.
    return found["to"] if found["quoted"] else found["word"].rstrip(".")


def _score(to: str) -> str:
    return "None" if not to else f'"{to}"' if re.fullmatch(r"\d+-\d+", to) else to


if TYPE_CHECKING:
    import pandas as pd


def table(frame: "pd.DataFrame") -> Table:
    """The table of a DataFrame; its index is not read.

    Raises:
        Problem: It is no DataFrame, two columns have one name, or values of one column differ in
            type.
    """
    if not hasattr(frame, "to_parquet"):
        raise Problem(
            "Answers and grades are imported from a file or a DataFrame, not from {kind}. Name a "
            "file, or make a DataFrame with pandas.DataFrame(...).",
            kind=type(frame).__name__,
        )
    return open_table(_parquet(frame), FRAME)


def tables(join: Iterable[tuple[object, str]]) -> list[tuple[str | PathLike | Table, str]]:
    """The argument `join`, with DataFrames as tables."""
    return [(one if isinstance(one, (str, PathLike)) else table(one), on) for one, on in join]


def _parquet(frame: "pd.DataFrame") -> bytes:
    """Return a DataFrame as a file, so that one reader checks both."""
    import pyarrow

    held = io.BytesIO()
    try:
        frame.to_parquet(held, index=False, engine="pyarrow")
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, ValueError) as error:
        raise Problem(
            "The DataFrame cannot be read: {reason}. Give every column a name of its own, and "
            "values of one type.",
            reason=str(error).partition("\n")[0].rstrip("."),
        ) from error
    return held.getvalue()
