"""Whether a sheet can be certified at all: nothing simulated is, whatever the verdict."""

from typing import NamedTuple

from concord.messages import Said, joined, said
from concord.model import BASELINE
from concord.reports.panel.panel import Panel


class Impossible(NamedTuple):
    """Why nothing on a sheet can be certified, with the remedy in the same sentence.

    Attributes:
        why: The sentence.
        lacks: What has to be supplied: `annotators`, `judge`, or `everything`.
    """

    why: Said
    lacks: str


def impossible(panel: Panel) -> Impossible | None:
    """Return why no judge on the sheet can be certified as long as its grades are simulated.

    None where one can be, and where there is no judge but the baseline.
    """
    judges = [one.simulated for one in panel.judges.values() if one.name != BASELINE]
    people = [one.name for one in panel.annotators.values() if one.simulated]
    if not judges or not (people or all(judges)):
        return None
    sheet = panel.sheet.name
    if not all(judges):
        why = said(
            "“{sheet}” cannot be certified while simulated annotators are included ({names}): let "
            "annotators grade it, or exclude these under Annotate, Progress.",
            sheet=sheet,
            names=joined(", ", people),
        )
        return Impossible(why, "annotators")
    if people:
        why = said(
            "“{sheet}” cannot be certified, because its judges and annotators are simulated: "
            "import your own answers, let annotators grade them, and run your own judge.",
            sheet=sheet,
        )
        return Impossible(why, "everything")
    why = said(
        "“{sheet}” cannot be certified, because its judges are simulated: run your own judge "
        "and choose it.",
        sheet=sheet,
    )
    return Impossible(why, "judge")
