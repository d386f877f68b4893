"""Provenance: one line on how a figure was computed, sufficient to reproduce it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from concord.messages import counted, quoted
from concord.model import BASELINE, Grader
from concord.reports.panel.panel import REWEIGHTED, Panel
from concord.reports.panel.unit_words import words

T = TypeVar("T")
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
