"""Provenance: one line on how a figure was computed, sufficient to reproduce it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from concord.messages import counted, quoted, said, with_nouns
from concord.model import BASELINE, Grader
from concord.reports.panel.panel import REWEIGHTED, Panel
from concord.reports.panel.unit_words import with_reasons, words

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


NOTHING = "none"
VERSIONS, REFERENCE, CLUSTERS, SEED, OF_INTERVALS = (
    *("versions", "reference", "clusters", "seed"),
    "intervals",
)


def in_one_line(entries: Mapping[str, Any]) -> str:
    """Return entries by name as one line."""
    return " | ".join(f"{name}: {what}" for name, what in entries.items())


def synthetic(panel: Panel) -> dict[str, str]:
    """Return the number of synthetic answers of the sheet as a provenance entry; {} without any."""
    share = panel.sheet.synthetic_words()
    return {"of the sheet": share} if share else {}


def reweighted(panel: Panel) -> dict[str, str]:
    """Return how unequally sampled answers are weighted as an entry; {} for equal ones."""
    return {"answers drawn unequally": REWEIGHTED} if panel.reweighted else {}


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
    return said(
        "The {units} of {sets} were sampled with known, unequal inclusion probabilities. Each "
        "{unit} is weighted by the inverse of its probability, so the figures apply to the whole "
        "sheet.",
        sets=quoted(unequal),
        **words(panel.rubric).nouns,
    )


def resamples(count: int) -> str:
    """Return how many resamples were drawn."""
    return f"{count} resamples"


def signature(panel: Panel, row: Any, annotators: Sequence[Grader]) -> str:
    """Return in one line how a row of the agreement report was made."""
    methods = (row.statistics[name].method for name in ("exact", "mae"))
    entries = {
        "judge": named(row.judge, row.simulated),
        "fingerprint": row.fingerprint[:8] or NOTHING,
        REFERENCE: row.reference,
        "annotators": ", ".join(named(p.name, p.simulated) for p in annotators) or NOTHING,
        words(panel.rubric).plural: row.n,
        "questions": row.questions,
        CLUSTERS: row.clusters,
        "rubric": row.rubric,
        VERSIONS: versions(panel, row.criterion),
        "interval": next(filter(None, methods), NOTHING),
        **synthetic(panel),
        **reweighted(panel),
        SEED: "none, nothing is drawn",
    }
    return in_one_line(entries)
