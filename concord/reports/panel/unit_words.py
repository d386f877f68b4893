"""Unit words: what a report row counts, and what its scores are called, where units are graded."""

import re
from collections.abc import Mapping
from typing import Any

from concord import messages as spelt
from concord.language.plurals import counted
from concord.messages import Renamed, is_message
from concord.model import ENTITIES
from concord.rubrics.model import Rubric
from concord.text.entity_names import spoken

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
ANSWER = {"unit": _NOUNS["answer"], "plural": _NOUNS["answers"]}
_ANSWERS = re.compile(r"\b([Aa])nswer(s?)\b")


def of_rubric(rubric: Rubric) -> dict[str, Any] | None:
    """`unit`, `plural`, the criterion's `title` and the `labels` by score; None for answers."""
    if not rubric.units:
        return None
    (criterion,) = rubric.criteria
    return {
        "unit": singular(rubric.plural),
        "plural": noun(rubric.plural),
        "title": criterion.heading(),
        "labels": {str(level.score): level.label for level in criterion.levels},
    }


def said(rubric: Rubric, sentence: str) -> str:
    """A sentence about answers, said of what the rubric grades: `no claim was graded twice`.

    For sentences of fixed words in which an answer is always what is graded, never whose text it
    is; under a rubric of answers they stay as they are.
    """
    words = of_rubric(rubric)
    if not words:
        return sentence

    def named(found: re.Match) -> str:
        called = words["plural" if found[2] else "unit"]
        return called.capitalize() if found[1] == "A" else called

    english = _ANSWERS.sub(named, sentence)
    if not is_message(sentence):
        return english
    nouns = {"old": ANSWER["plural"], "new": words["plural"], "kept": _ANSWERING_MODEL}
    return Renamed(english, None, {"text": sentence, **nouns})


def worded(rubric: Rubric, found: Any) -> Any:
    """What a report found, with every `why_none` in it `said` of what the rubric grades."""
    if not rubric.units:
        return found
    if isinstance(found, list):
        return [worded(rubric, one) for one in found]
    if not isinstance(found, dict):
        return found
    return {
        key: said(rubric, one)
        if key == "why_none" and isinstance(one, str)
        else worded(rubric, one)
        for key, one in found.items()
    }


def one(rubric: Rubric) -> str:
    """What is graded, with its article: `a claim`, `an answer`."""
    unit = (of_rubric(rubric) or ANSWER)["unit"]
    return spelt.said("an {unit}" if unit[0] in "aeiou" else "a {unit}", unit=unit)


def noun(name: str) -> str:
    """What is graded, as each language calls it; what a rubric of one's own calls it as it is."""
    return _NOUNS.get(name, name)


def heading(rubric: Rubric, name: str) -> str:
    """A criterion in a table: its title where it was given one, else its name.

    `composite`, which is none of the rubric's, stays as it is.
    """
    titles = {criterion.name: criterion.title for criterion in rubric.criteria}
    return titles.get(name) or name


def as_read(kind: str, text: str) -> str:
    """A unit as people read it: of an entity the first name, and its other names behind it."""
    return spoken(text) if kind in ENTITIES else text


def how_many(found: Mapping[str, Any], count: int) -> str:
    """A count of what a row or table holds: `26 claims`, `1 answer`."""
    words = found.get("units")
    if not words:
        return counted(count, "answer")
    named = words["unit" if count == 1 else "plural"]
    return spelt.said("{n:,} {units}", n=count, units=named)


def plural(found: Mapping[str, Any]) -> str:
    """What a row or table holds: `claims`, else `answers`."""
    return (found.get("units") or ANSWER)["plural"]


def criterion_of(found: Mapping[str, Any]) -> str:
    """The criterion of a row in a sentence: the title of units, else the name."""
    words = found.get("units")
    return f"“{words['title']}”" if words else found["criterion"]


def score(found: Mapping[str, Any], given: int) -> str:
    """A score as sentences say it: the label of units, else the number."""
    words = found.get("units")
    return f"“{words['labels'][str(given)]}”" if words else str(given)


def singular(plural: str) -> str:
    """The singular: `claim` of `claims`, `sentence of the contexts` of `sentences of ...`."""
    first, *rest = plural.split(" ")
    first = f"{first[:-3]}y" if first.endswith("ies") else first.removesuffix("s")
    return noun(" ".join([first, *rest]))
