"""Wording of results: what is graded and who graded it, and one line on how a figure was made."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from concord.messages import Problem, counted, joined, listed, quoted, spoken
from concord.metrics import available
from concord.model import BASELINE, Grader
from concord.reports.panel.panel import REWEIGHTED, Panel
from concord.rubrics.model import Rubric, of_units
from concord.store.database import Store
from concord.store.rubrics import rubric_versions


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


_REST = re.compile(r"(?<=@[0-9a-f]{6})[0-9a-f]{10}$")  # of a fingerprint of 16 letters


def counted_annotators(annotators: Iterable[Grader]) -> tuple[dict[str, Any], ...]:
    """Return the annotators whose grades count, as results name them."""
    return tuple({"name": one.name, "simulated": one.simulated} for one in annotators)


def short_label(label: str) -> str:
    """A judge's label with the first 6 letters of its fingerprint, as on the screen Judges."""
    return _REST.sub("", label)


def named(name: str, simulated: bool) -> str:
    """A grader's name to read, with the beginning of its fingerprint; a simulated one says so.

    The embedded judge is called what it is, as the majority-class baseline is another thing.
    """
    name = short_label(name)
    if name.partition("@")[0] == BASELINE:
        return "text model"
    if not simulated or "simulated" in name:
        return name
    return f"{name} (simulated)"


def annotators_sentence(simulated: int, annotators: int) -> str:
    """Return how many of the annotators are simulated; '' where none are."""
    if not simulated:
        return ""
    return f"Simulated: {simulated} of {counted(annotators, 'annotator')}."


def in_one_line(entries: Mapping[str, Any]) -> str:
    """Return entries by name as one line."""
    return " | ".join(f"{name}: {what}" for name, what in entries.items())


def synthetic(panel: Panel) -> dict[str, str]:
    """Return the number of synthetic answers of the sheet as a provenance entry; {} without any."""
    share = panel.sheet.synthetic_words()
    return {"of the sheet": share} if share else {}


def versions(panel: Panel, criterion: str) -> str:
    """The short hashes of the criterion versions that a row rests on."""
    every = panel.rubric.versions()
    used = {criterion: every[criterion]} if criterion in every else every
    return ", ".join(f"{name} {version[:8]}" for name, version in used.items())


def weighting(panel: Panel) -> str | None:
    """Return a sentence on how answers are weighted; None for equal weights."""
    unequal = [draw.name for draw in panel.draws if draw.unequal]
    if not unequal:
        return None
    return (
        f"The items of {quoted(unequal)} were sampled with known, unequal inclusion probabilities. "
        "Each is weighted by the inverse of its probability, so the figures apply to the whole "
        "sheet."
    )


def signature(panel: Panel, row: Any, annotators: Sequence[Grader]) -> str:
    """Return in one line how a row of the agreement report was made."""
    methods = (row.statistics[name].method for name in ("exact", "mae"))
    entries = {
        "judge": named(row.judge, row.simulated),
        "fingerprint": row.fingerprint[:8] or "none",
        "reference": row.reference,
        "annotators": ", ".join(named(p.name, p.simulated) for p in annotators) or "none",
        words(panel.rubric).plural: row.n,
        "questions": row.questions,
        "clusters": row.clusters,
        "rubric": row.rubric,
        "versions": versions(panel, row.criterion),
        "interval": next(filter(None, methods), "none"),
        **synthetic(panel),
        **({"answers drawn unequally": REWEIGHTED} if panel.reweighted else {}),
        "seed": "none, nothing is drawn",
    }
    return in_one_line(entries)
