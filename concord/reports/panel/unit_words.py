"""Unit words: nouns and labels of what a report row counts, where units are graded."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, TypeVar

from concord import messages as spelt
from concord.messages import Renamed, counted, is_message
from concord.rubrics.model import Rubric

T = TypeVar("T")

# What the rubrics of units that come with Concord grade; a rubric of one's own says its own noun.
_NOUNS = {
    noun: noun
    for noun in (
        spelt.said("answer"),
        spelt.said("answers"),
        spelt.said("claim"),
        spelt.said("claims"),
        spelt.said("claim of the reference"),
        spelt.said("claims of the reference"),
        spelt.said("context"),
        spelt.said("contexts"),
        spelt.said("entity of the reference"),
        spelt.said("entities of the reference"),
        spelt.said("fact"),
        spelt.said("facts"),
        spelt.said("sentence"),
        spelt.said("sentences"),
        spelt.said("sentence of the contexts"),
        spelt.said("sentences of the contexts"),
        spelt.said("sentence of the reference"),
        spelt.said("sentences of the reference"),
    )
}
_ANSWERING_MODEL = spelt.said("answering model")
_ANSWERS = re.compile(r"\b([Aa])nswer(s?)\b")


@dataclass(frozen=True)
class UnitWords:
    """Nouns of the graded unit: singular, plural, criterion title, and label by score."""

    unit: str
    plural: str
    title: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)


ANSWER = UnitWords(_NOUNS["answer"], _NOUNS["answers"])


def of_rubric(rubric: Rubric) -> UnitWords | None:
    """Return what the units of a rubric and their labels are called; None for answers."""
    if not rubric.units:
        return None
    (criterion,) = rubric.criteria
    return UnitWords(
        unit=singular(rubric.plural),
        plural=noun(rubric.plural),
        title=criterion.heading(),
        labels={str(level.score): level.label for level in criterion.levels},
    )


def said(rubric: Rubric, sentence: str) -> str:
    """Return a sentence about answers for the rubric's unit: `no claim was graded twice`.

    For fixed sentences in which "answer" always means the graded unit; unchanged under a rubric of
    answers.
    """
    words = of_rubric(rubric)
    if not words:
        return sentence

    def named(found: re.Match) -> str:
        called = words.plural if found[2] else words.unit
        return called.capitalize() if found[1] == "A" else called

    english = _ANSWERS.sub(named, sentence)
    if not is_message(sentence):
        return english
    nouns = {"old": ANSWER.plural, "new": words.plural, "kept": _ANSWERING_MODEL}
    return Renamed(english, None, {"text": sentence, **nouns})


def worded(rubric: Rubric, found: T) -> T:
    """Return a result with every reason in it phrased for the rubric's unit."""
    return with_reasons(found, lambda why: said(rubric, why)) if rubric.units else found


def with_reasons(found: T, change: Callable[[str], str]) -> T:
    """Return a result with `change` applied to every `why_none` in it, however deep."""
    if isinstance(found, dict):
        return {key: _changed(key, one, change) for key, one in found.items()}
    if hasattr(found, "_asdict"):
        return found._replace(**with_reasons(found._asdict(), change))
    if isinstance(found, list | tuple):
        return type(found)(with_reasons(one, change) for one in found)
    if is_dataclass(found):
        own = {one.name: getattr(found, one.name) for one in fields(found)}
        return replace(found, **with_reasons(own, change))
    return found


def _changed(key: Any, value: Any, change: Callable[[str], str]) -> Any:
    if key == "why_none" and isinstance(value, str):
        return change(value)
    return with_reasons(value, change)


def one(rubric: Rubric) -> str:
    """Return the graded unit with its article: `a claim`, `an answer`."""
    unit = (of_rubric(rubric) or ANSWER).unit
    return spelt.said("an {unit}" if unit[0] in "aeiou" else "a {unit}", unit=unit)


def noun(name: str) -> str:
    """Return the noun of a unit in the reader's language; the user's own one unchanged."""
    return _NOUNS.get(name, name)


def heading(rubric: Rubric, name: str) -> str:
    """Return a criterion's heading in a table: its title, else its name.

    `composite`, which is not a criterion of the rubric, is unchanged.
    """
    titles = {criterion.name: criterion.title for criterion in rubric.criteria}
    return titles.get(name) or name


def how_many(units: UnitWords | None, count: int) -> str:
    """A count of what is graded: `26 claims`, `1 answer`; `units` from `of_rubric`."""
    if not units:
        return counted(count, "answer")
    named = units.unit if count == 1 else units.plural
    return spelt.said("{n:,} {units}", n=count, units=named)


def plural(units: UnitWords | None) -> str:
    """Return the plural of the graded unit: `claims`, else `answers`."""
    return (units or ANSWER).plural


def criterion_of(units: UnitWords | None, criterion: str) -> str:
    """A criterion in a sentence: the title of units, else the name."""
    return f"“{units.title}”" if units else criterion


def score(units: UnitWords | None, given: int) -> str:
    """A score as sentences say it: the label of units, else the number."""
    return f"“{units.labels[str(given)]}”" if units else str(given)


def singular(plural: str) -> str:
    """The singular: `claim` of `claims`, `sentence of the contexts` of `sentences of ...`."""
    first, *rest = plural.split(" ")
    first = f"{first[:-3]}y" if first.endswith("ies") else first.removesuffix("s")
    return noun(" ".join([first, *rest]))
