"""Signature: one line that says how a figure was made, so that it can be made again."""

from collections.abc import Sequence

from concord.reports.panel.panel import REWEIGHTED, Panel
from concord.reports.panel.simulated import named
from concord.store.graders import Grader

SHORT = 8


def signature(panel: Panel, row: dict, people: Sequence[Grader]) -> str:
    """Reference, people by name, counts, method and versions of one row of a report."""
    method = next((row[name]["method"] for name in ("exact", "mae") if row[name]["method"]), "")
    parts = {
        "judge": named(row["judge"], row["simulated"]),
        "fingerprint": row["fingerprint"][:SHORT] or "none",
        "reference": row["reference"],
        "people": ", ".join(named(p.name, p.simulated) for p in people) or "none",
        panel.rubric.plural or "answers": row["n"],
        "questions": row["questions"],
        "clusters": row["clusters"],
        "rubric": row["rubric"],
        "versions": versions(panel, row["criterion"]),
        "interval": method or "none",
        **synthetic(panel),
        **({"answers drawn unequally": REWEIGHTED} if panel.reweighted else {}),
        "seed": "none, nothing is drawn",
    }
    return " | ".join(f"{key}: {value}" for key, value in parts.items())


def synthetic(panel: Panel) -> dict[str, str]:
    """How many answers of the whole sheet are synthetic, as a part of a signature; or nothing."""
    said = panel.sheet.synthetic_words()
    return {"of the sheet": said} if said else {}


def versions(panel: Panel, criterion: str) -> str:
    """The short hashes of the criterion versions that a row rests on."""
    every = panel.rubric.versions()
    used = {criterion: every[criterion]} if criterion in every else every
    return ", ".join(f"{name} {version[:SHORT]}" for name, version in used.items())
