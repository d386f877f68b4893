"""Empty states of report screens without grades of annotators or judges, with the next step."""

from concord.messages import listed, said
from concord.reports.panel import unit_labels
from concord.reports.panel.panel import Panel
from concord.reports.panel.unit_words import noun
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.store.sheets import Sheet
from concord.ui.widgets import empty

_TO_THE_JUDGES = "pages/judges.py", said("To the judges")
_TO_THE_SETS = "pages/grading.py", said("To the grading sets")


def missing(store: Store, sheet: Sheet, panel: Panel) -> bool:
    """Show an empty state and return True where annotators' or judges' grades are missing."""
    units = noun(panel.rubric.plural) if panel.rubric.units else ""
    if not panel.annotators:
        _nobody_labelled(sheet, panel.rubric) if units else nobody_graded(store, sheet)
        return True
    name = sheet.name
    if not panel.judges and units:
        empty(
            said(
                "Annotators have labelled {units} of {sheet}, no judge has yet",
                units=units,
                sheet=name,
            ),
            said(
                "Run a metric judge: its verdicts on {units} are compared with annotators' labels.",
                units=units,
            ),
            *_TO_THE_JUDGES,
        )
        return True
    if not panel.judges:
        empty(
            said("Annotators have graded {sheet}, no judge has yet", sheet=name),
            said(
                "Run a judge. The baseline needs neither a key nor a network and shows what every "
                "judge has to beat."
            ),
            *_TO_THE_JUDGES,
        )
        return True
    return False


def nobody_graded(store: Store, sheet: Sheet) -> None:
    """Show that no whole answer is graded yet, with a link to labelled units if any."""
    labelled = unit_labels.of_sheet(store, sheet).labelled
    if labelled:
        empty(
            said("No annotator has graded whole answers of {sheet} yet", sheet=sheet.name),
            said(
                "This screen is about whole answers. Annotators have labelled {units} of the "
                "sheet: "
                "how far judges agree with them is on the screen Agreement.",
                units=listed([*labelled]),
            ),
            "pages/agreement.py",
            said("To Agreement"),
        )
        return
    empty(
        said("No annotator has graded {sheet} yet", sheet=sheet.name),
        said(
            "Judges are compared with annotators, so an annotator has to grade first: create a "
            "grading set and grade it, or import existing grades."
        ),
        *_TO_THE_SETS,
    )


def _nobody_labelled(sheet: Sheet, rubric: Rubric) -> None:
    empty(
        said(
            "No annotator has labelled {units} of {sheet} yet",
            units=noun(rubric.plural),
            sheet=sheet.name,
        ),
        said(
            "Judges are compared with annotators, so an annotator has to label first: create a "
            "grading set under the rubric “{rubric}”.",
            rubric=rubric.title,
        ),
        *_TO_THE_SETS,
    )
