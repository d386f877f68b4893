"""Signature: one line that says how a figure was made, so that it can be made again."""

from concord.reports.panel.panel import Panel

SHORT = 8


def synthetic(panel: Panel) -> dict[str, str]:
    """How many answers of the whole sheet are synthetic, as a part of a signature; or nothing."""
    said = panel.sheet.synthetic_words()
    return {"of the sheet": said} if said else {}


def versions(panel: Panel, criterion: str) -> str:
    """The short hashes of the criterion versions that a row rests on."""
    every = panel.rubric.versions()
    used = {criterion: every[criterion]} if criterion in every else every
    return ", ".join(f"{name} {version[:SHORT]}" for name, version in used.items())
