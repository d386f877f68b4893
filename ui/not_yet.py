"""What a screen of reports says where people or judges have not graded yet, and what to do."""

from data.sheets import Sheet
from data.store import Store
from reports import unit_labels
from reports.panel import Panel
from reports.study import listed
from rubrics.model import Rubric
from ui.widgets import empty


def missing(store: Store, sheet: Sheet, panel: Panel) -> bool:
    """Whether people's or judges' grades are missing; the screen says so and what to do."""
    units = panel.rubric.plural if panel.rubric.units else ""
    if not panel.people:
        _nobody_labelled(sheet, panel.rubric) if units else nobody_graded(store, sheet)
        return True
    if not panel.judges and units:
        empty(
            f"People have labelled {units} of {sheet.name}, no judge has yet",
            f"Run a judge for measures: what it says of {units} is held against people's labels.",
            "pages/judges.py",
            "To the judges",
        )
        return True
    if not panel.judges:
        empty(
            f"People have graded {sheet.name}, no judge has yet",
            "Run a judge. The baseline needs neither a key nor a network and shows what every "
            "judge has to beat.",
            "pages/judges.py",
            "To the judges",
        )
        return True
    return False


def nobody_graded(store: Store, sheet: Sheet) -> None:
    """Nobody has graded whole answers; where parts of them were labelled, where that is shown."""
    labelled = unit_labels.of_sheet(store, sheet).labelled
    if labelled:
        empty(
            f"No person has graded whole answers of {sheet.name} yet",
            f"This screen is about whole answers. People have labelled {listed([*labelled])} of "
            "the sheet: how far judges agree with them is on the screen Agreement.",
            "pages/agreement.py",
            "To Agreement",
        )
        return
    empty(
        f"No person has graded {sheet.name} yet",
        "Judges are held against people, so somebody has to grade first: draw a grading set and "
        "grade it, or import grades made elsewhere.",
        "pages/grading.py",
        "To the grading sets",
    )


def _nobody_labelled(sheet: Sheet, rubric: Rubric) -> None:
    empty(
        f"No person has labelled {rubric.plural} of {sheet.name} yet",
        "Judges are held against people, so somebody has to label first: draw a grading set under "
        f"the rubric “{rubric.title}”.",
        "pages/grading.py",
        "To the grading sets",
    )
