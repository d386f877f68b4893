"""Unit words: nouns and labels of what a report row counts, where units are graded."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from concord.messages import Problem, counted, joined, listed, spoken
from concord.metrics import available
from concord.rubrics.model import Rubric, of_units
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

T = TypeVar("T")


@dataclass(frozen=True)
class UnitWords:
    """Nouns of the graded unit: singular, plural, criterion title, and label by score."""

    unit: str
    plural: str
    title: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)


ANSWER = UnitWords("answer", "answers")


def words(rubric: Rubric) -> UnitWords:
    """Return what the units of a rubric and their labels are called; answers have no labels."""
    if not rubric.units:
        return ANSWER
    (criterion,) = rubric.criteria
    return UnitWords(
        unit=singular(rubric.plural),
        plural=rubric.plural,
        title=criterion.heading(),
        labels={str(level.score): level.label for level in criterion.levels},
    )


def singular(plural: str) -> str:
    """The singular: `claim` of `claims`, `sentence of the contexts` of `sentences of ...`."""
    first, *rest = plural.split(" ")
    first = f"{first[:-3]}y" if first.endswith("ies") else first.removesuffix("s")
    return " ".join([first, *rest])


def heading(rubric: Rubric, name: str) -> str:
    """Return a criterion's heading in a table: its title, else its name.

    `composite`, which is not a criterion of the rubric, is unchanged.
    """
    return next((one.title or one.name for one in rubric.criteria if one.name == name), name)


def criterion_of(rubric: Rubric, name: str) -> str:
    """A criterion in a sentence: its name, or its title where that says anything else.

    A title in Chinese, for one, has no letters that a name could be made of.
    """
    title, as_said = heading(rubric, name), spoken(name)
    is_name = title.casefold() in (name, as_said) and not rubric.units
    return as_said if is_name else f"“{title}”"


def how_many(units: UnitWords, count: int) -> str:
    """A count of what is graded: `26 claims`, `1 answer`."""
    return counted(count, units.unit, units.plural)


def score(units: UnitWords, given: int) -> str:
    """A score as sentences say it: the label of units, else the number."""
    return f"“{units.labels[str(given)]}”" if units.labels else str(given)


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
    units, found = of_units(), {}
    for name in names:
        if name not in units:
            found[name] = f"{rubric_versions.named(store, name)[1].title} ({name})"
            continue
        titles = [one.title for one in available().values() if name in one.rubrics]
        more = [f"{len(titles) - NAMED} more"] if len(titles) > NAMED else []
        served = f"for {listed([*titles[:NAMED], *more])}" if titles else ""
        found[name] = joined(" · ", [units[name].title, served])
    return found
