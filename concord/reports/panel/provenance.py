"""Provenance: one line on how a figure was computed, sufficient to reproduce it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from concord.messages import Said, counted, joined, quoted, said, with_nouns
from concord.model import BASELINE, Grader
from concord.reports.panel import unit_words
from concord.reports.panel.criterion_comparison import CONSENSUS, EACH
from concord.reports.panel.panel import REWEIGHTED, Panel
from concord.reports.panel.unit_words import with_reasons

T = TypeVar("T")
_REST = re.compile(r"(?<=@[0-9a-f]{6})[0-9a-f]{10}$")  # of a fingerprint of 16 letters


@dataclass(frozen=True)
class Annotator:
    """An annotator whose grades count."""

    name: str
    simulated: bool


def counted_annotators(annotators: Iterable[Grader]) -> tuple[Annotator, ...]:
    """Return the annotators whose grades count, as results name them."""
    return tuple(Annotator(one.name, one.simulated) for one in annotators)


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
    return said("{name} (simulated)", name=name)


def annotators_sentence(simulated: int, annotators: int) -> str:
    """Return how many of the annotators are simulated; '' where none are."""
    if not simulated:
        return ""
    return said(
        "Simulated: {n} of {annotators}.", n=simulated, annotators=counted(annotators, "annotator")
    )


def worded(found: T, simulated: bool) -> T:
    """Return a result with every reason in it said of simulated annotators where they are."""
    nouns = {"graders": "simulated annotators"}
    return with_reasons(found, lambda why: with_nouns(why, nouns)) if simulated else found


SHORT = 8
NOTHING = "none"
# Where a word of the screens names an entry well in other languages, that word is taken.
INTERVAL, VERSIONS = "interval", "versions"
REFERENCE = "reference"
CLUSTERS, SEED = "clusters", "seed"
_UNEQUAL = "answers drawn unequally"
_REFERENCES = {EACH: "each", CONSENSUS: "consensus"}
_SHEET = "of the sheet"
OF_INTERVALS = "intervals"


def in_one_line(entries: Mapping[Said, Any]) -> Said:
    """Return entries by name as one line, whose words a screen shows in its language."""
    parts = (said("{name}: {what}", name=name, what=what) for name, what in entries.items())
    return joined(" | ", parts)


def synthetic(panel: Panel) -> dict[Said, str]:
    """Return the number of synthetic answers of the sheet as a provenance entry; {} without any."""
    share = panel.sheet.synthetic_words()
    return {_SHEET: share} if share else {}


def reweighted(panel: Panel) -> dict[Said, str]:
    """Return how unequally sampled answers are weighted as an entry; {} for equal ones."""
    return {_UNEQUAL: REWEIGHTED} if panel.reweighted else {}


def versions(panel: Panel, criterion: str) -> Said:
    """The short hashes of the criterion versions that a row rests on."""
    every = panel.rubric.versions()
    used = {criterion: every[criterion]} if criterion in every else every
    return joined(
        ", ",
        (
            said("{name} {number}", name=panel.rubric.named(name), number=version[:SHORT])
            for name, version in used.items()
        ),
    )


def reference_name(kind: str) -> str:
    """Return what annotators' scores a judge is compared with."""
    return _REFERENCES.get(kind, kind)


def weighting(panel: Panel) -> str | None:
    """Return a sentence on how answers are weighted; None for equal weights."""
    unequal = [draw.name for draw in panel.draws if draw.unequal]
    if not unequal:
        return None
    return said(
        "The {units} of {sets} were sampled with known, unequal inclusion probabilities. Each "
        "{unit} is weighted by the inverse of its probability, so the figures apply to the whole "
        "sheet.",
        sets=quoted(unequal),
        **unit_words.words(panel.rubric).nouns,
    )


def resamples(count: int) -> Said:
    """Return how many resamples were drawn."""
    return said("{n} resamples", n=count)


def signature(panel: Panel, row: Any, annotators: Sequence[Grader]) -> str:
    """Return in one line how a row of the agreement report was made."""
    methods = (row.statistics[name].method for name in ("exact", "mae"))
    names = joined(", ", [named(p.name, p.simulated) for p in annotators])
    entries = {
        "judge": named(row.judge, row.simulated),
        "fingerprint": row.fingerprint[:SHORT] or NOTHING,
        REFERENCE: reference_name(row.reference),
        "annotators": names or NOTHING,
        unit_words.words(panel.rubric).plural: row.n,
        "questions": row.questions,
        CLUSTERS: row.clusters,
        "rubric": row.rubric,
        VERSIONS: versions(panel, row.criterion),
        INTERVAL: next(filter(None, methods), NOTHING),
        **synthetic(panel),
        **reweighted(panel),
        SEED: "none, nothing is drawn",
    }
    return in_one_line(entries)
