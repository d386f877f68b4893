"""Provenance: one line on how a figure was computed, sufficient to reproduce it."""

from collections.abc import Sequence
from typing import Any

from concord.messages import joined, said
from concord.model import Grader
from concord.reports.panel import unit_words
from concord.reports.panel.panel import REWEIGHTED, Panel
from concord.reports.panel.simulated import named

SHORT = 8


def synthetic(panel: Panel) -> dict[str, str]:
    """Return the number of synthetic answers of the sheet as a provenance entry; {} without any."""
    share = panel.sheet.synthetic_words()
    return {"of the sheet": share} if share else {}


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
    return said(
        "The {units} of {sets} were sampled with known, unequal inclusion probabilities. Each "
        "{unit} is weighted by the inverse of its probability, so the figures apply to the whole "
        "sheet.",
        sets=joined(", ", [f"“{name}”" for name in unequal]),
        **unit_words.words(panel.rubric).nouns,
    )


def signature(panel: Panel, row: Any, annotators: Sequence[Grader]) -> str:
    """Return in one line how a row of the agreement report was made."""
    methods = (row.statistics[name].method for name in ("exact", "mae"))
    parts = {
        "judge": named(row.judge, row.simulated),
        "fingerprint": row.fingerprint[:SHORT] or "none",
        "reference": row.reference,
        "annotators": ", ".join(named(p.name, p.simulated) for p in annotators) or "none",
        panel.rubric.plural or "answers": row.n,
        "questions": row.questions,
        "clusters": row.clusters,
        "rubric": row.rubric,
        "versions": versions(panel, row.criterion),
        "interval": next(filter(None, methods), "none"),
        **synthetic(panel),
        **({"answers drawn unequally": REWEIGHTED} if panel.reweighted else {}),
        "seed": "none, nothing is drawn",
    }
    return " | ".join(f"{key}: {value}" for key, value in parts.items())
