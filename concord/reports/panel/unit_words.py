"""Unit words: nouns and labels of what a report row counts, where units are graded."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import TypeVar

from concord.messages import Problem, counted, joined, listed, said, spoken, with_nouns
from concord.metrics import available
from concord.rubrics.model import Criterion, Rubric, of_units
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

T = TypeVar("T")

# Nouns for the units of the shipped rubrics; any other rubric names its own.
_NOUNS = {
    noun: noun
    for noun in (
        said("answer"),
        said("answers"),
        said("claim"),
        said("claims"),
        said("claim of the reference"),
        said("claims of the reference"),
        said("context"),
        said("contexts"),
        said("entity of the reference"),
        said("entities of the reference"),
        said("fact"),
        said("facts"),
        said("sentence"),
        said("sentences"),
        said("sentence of the contexts"),
        said("sentences of the contexts"),
        said("sentence of the reference"),
        said("sentences of the reference"),
    )
}


@dataclass(frozen=True)
class UnitWords:
    """Nouns of the graded unit: singular, plural, criterion title, and label by score."""

    unit: str
    plural: str
    title: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def nouns(self) -> dict[str, str]:
        """The nouns by the name of the argument that a message has for them."""
        return {"unit": self.unit, "units": self.plural}


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


def words(rubric: Rubric) -> UnitWords:
    """Return what a rubric's graded units are called, answers included."""
    return of_rubric(rubric) or ANSWER


def in_units(rubric: Rubric, message: str) -> str:
    """Return a message with the rubric's nouns as its arguments `unit` and `units`."""
    return with_nouns(message, words(rubric).nouns)


def in_units_throughout(rubric: Rubric, found: T) -> T:
    """Return a result with every reason in it given the rubric's nouns."""
    return with_reasons(found, lambda why: in_units(rubric, why)) if rubric.units else found


def with_reasons(found: T, change: Callable[[str], str]) -> T:
    """Return a result with `change` applied to every `why_none` in it, however deep."""
    if isinstance(found, dict):
        return {
            key: change(one) if key == "why_none" and one else with_reasons(one, change)
            for key, one in found.items()
        }
    if hasattr(found, "_asdict"):
        return found._replace(**with_reasons(found._asdict(), change))
    if isinstance(found, list | tuple):
        return type(found)(with_reasons(one, change) for one in found)
    if is_dataclass(found):
        own = {one.name: getattr(found, one.name) for one in fields(found)}
        return replace(found, **with_reasons(own, change))
    return found


def one(rubric: Rubric) -> str:
    """Return the graded unit with its article: `a claim`, `an answer`."""
    unit = words(rubric).unit
    return said("an {unit}" if unit[0] in "aeiou" else "a {unit}", unit=unit)


def noun(name: str) -> str:
    """Return the noun of a unit in the reader's language; the user's own one unchanged."""
    return _NOUNS.get(name, name)


def heading(rubric: Rubric, name: str) -> str:
    """Return a criterion's heading in a table: its title, else its name.

    `composite`, which is not a criterion of the rubric, is unchanged.
    """
    found = _of_name(rubric, name)
    return found.title or found.name if found else name


def how_many(units: UnitWords | None, count: int) -> str:
    """A count of what is graded: `26 claims`, `1 answer`; `units` from `of_rubric`."""
    if not units:
        return counted(count, "answer")
    named = units.unit if count == 1 else units.plural
    return said("{n:,} {units}", n=count, units=named)


def out_of(units: UnitWords | None, count: int, whole: int) -> str:
    """Return a count, and of how many where these are more: `12 of 32 answers`."""
    every = how_many(units, whole)
    return every if count == whole else said("{n:,} of {answers}", n=count, answers=every)


def plural(units: UnitWords | None) -> str:
    """Return the plural of the graded unit: `claims`, else `answers`."""
    return (units or ANSWER).plural


def criterion_of(rubric: Rubric, name: str) -> str:
    """A criterion in a sentence: its name, or its title where that says anything else.

    A title in Chinese, for one, has no letters that a name could be made of.
    """
    found = _of_name(rubric, name)
    title, as_said = heading(rubric, name), spoken(found.name if found else name)
    is_name = title.casefold() in (name, as_said) and not rubric.units
    return as_said if is_name else said("“{title}”", title=title)


def _of_name(rubric: Rubric, name: str) -> Criterion | None:
    return next((one for one in rubric.criteria if one.name == name), None)


def score(units: UnitWords | None, given: int) -> str:
    """A score as sentences say it: the label of units, else the number."""
    return said("“{title}”", title=units.labels[str(given)]) if units else str(given)


def singular(plural: str) -> str:
    """The singular: `claim` of `claims`, `sentence of the contexts` of `sentences of ...`."""
    first, *rest = plural.split(" ")
    first = f"{first[:-3]}y" if first.endswith("ies") else first.removesuffix("s")
    return noun(" ".join([first, *rest]))


def of_answers(rubric: Rubric) -> Rubric:
    """The rubric; a Problem that says where units are reported if it is one of units."""
    if not rubric.units:
        return rubric
    raise Problem(
        "This report is about whole answers, and rubric {rubric} grades units ({units}). Use "
        "`agreement --rubric {rubric}`, `disagreements --contradicted` or Review, or name a "
        "rubric of answers with --rubric.",
        rubric=rubric.name,
        units=rubric.plural,
    )


NAMED = 2  # of the metrics that share a rubric; a list of choices is narrow


def called(store: Store, names: Iterable[str]) -> dict[str, str]:
    """Return each rubric's display name: for units title and metrics, else title and name."""
    units = of_units()
    return {
        name: joined(" · ", [units[name].title, _serves(name)])
        if name in units
        else said("{title} ({name})", title=rubric_versions.named(store, name)[1].title, name=name)
        for name in names
    }


def metrics(name: str) -> list[str]:
    """The titles of the metrics that are available from verdicts by that rubric of units."""
    return [one.title for one in available().values() if name in one.rubrics]


def _serves(name: str) -> str:
    titles = metrics(name)
    if len(titles) > NAMED:
        names = joined(", ", titles[:NAMED])
        return said("for {names} and {n} more", names=names, n=len(titles) - NAMED)
    return said("for {names}", names=listed(titles)) if titles else ""
