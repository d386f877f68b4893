"""Loading the bundled sample, through the same readers and checks as any import."""

from pathlib import Path

from data import contents, gradesheet, intake, rubric_versions, sheet, sheets
from data.store import Store

NAME = "sample"
RUBRIC = "doc-qa-0-3"
ANSWERS = Path(__file__).parent / "sample.jsonl"
GRADES = Path(__file__).parent / "sample_grades.csv"


def load_sample(store: Store, again: bool = False) -> bool:
    """Load the sample with its grades as one sheet; whether it was loaded now.

    It is left alone where it is there, and where the user removed it before, unless `again`.
    """
    if sheets.find(store, NAME) or (sheets.was_removed(store, NAME) and not again):
        return False
    _, rubric = rubric_versions.named(store, RUBRIC)
    with store.write():
        intake.take_sheet(store, sheet.load(ANSWERS), NAME)
        loaded = sheets.find(store, NAME)
        read = gradesheet.load(GRADES, rubric=rubric, known=contents.item_keys(store, loaded.id))
        intake.take_grades(store, loaded, read, rubric)
    return True
