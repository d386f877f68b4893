"""Loading the bundled sample, through the same readers and checks as any import."""

from concord.importing import answer_file, grade_file, sheet_import
from concord.model import Sheet
from concord.resources import SAMPLES
from concord.store import items, sheets
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

NAME = "sample"
RUBRIC = "doc-qa-0-3"
ANSWERS = SAMPLES / "sample.jsonl"
GRADES = SAMPLES / "sample_grades.csv"


def load_sample(store: Store, again: bool = False) -> bool:
    """Load the sample with its grades as one sheet; whether it was loaded now.

    It is left alone where it is there, and where the user removed it before, unless `again`.
    """
    if sheets.find(store, NAME) or (sheets.was_removed(store, NAME) and not again):
        return False
    _, rubric = rubric_versions.named(store, RUBRIC)
    with store.write():
        sheet_import.take_sheet(store, answer_file.load(ANSWERS), NAME)
        loaded = sheets.find(store, NAME)
        read = grade_file.load(GRADES, rubric=rubric, known=items.item_keys(store, loaded.id))
        sheet_import.take_grades(store, loaded, read, rubric)
    return True


def answers_in(store: Store, sheet: Sheet, language: str) -> set[int]:
    """Return the sample's answers in a language, for its readers to grade first; else none."""
    if sheet.name != NAME:
        return set()
    languages = items.column_values(store, sheet.id, "language")
    return {item_id for item_id, one in languages.items() if one == language}
