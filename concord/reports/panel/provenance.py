"""Provenance: one line on how a figure was computed, sufficient to reproduce it."""

from concord.messages import joined, said
from concord.reports.panel import unit_words
from concord.reports.panel.panel import Panel

SHORT = 8


def synthetic(panel: Panel) -> dict[str, str]:
    """Return the number of synthetic answers of the sheet as a provenance entry; {} without any."""
    said = panel.sheet.synthetic_words()
    return {"of the sheet": said} if said else {}


def versions(panel: Panel, criterion: str) -> str:
    """The short hashes of the criterion versions that a row rests on."""
    every = panel.rubric.versions()
    used = {criterion: every[criterion]} if criterion in every else every
    return ", ".join(f"{name} {version[:SHORT]}" for name, version in used.items())


def weighting(panel: Panel) -> str | None:
    """Return a sentence on how answers are weighted; None for equal weights."""
    unequal = [draw.name for draw in panel.draws if draw.unequal]
    if not unequal:
        return None
    drawn = said(
        "The answers of {sets} were drawn with unequal, known chances, so each answer counts by "
        "one over its chance: the figures hold for the whole sheet.",
        sets=joined(", ", [f"“{name}”" for name in unequal]),
    )
    return unit_words.said(panel.rubric, drawn)
