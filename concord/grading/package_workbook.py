"""A pack as a workbook: the rubric on the first worksheet, the answers to grade on the second.

The spreadsheet itself refuses a score that is not on the scale. Texts are text, also where they
begin with an equals sign, and their cells are locked; those to fill in are open.
"""

import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import Alignment, Font, PatternFill, Protection
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation

from concord.exporting.exported_tables import naming
from concord.grading import packages
from concord.grading.grading_sets import GradingSet
from concord.grading.packages import (
    ANSWERS,
    CODE,
    HEADINGS,
    NOTE,
    TEXTS,
    Blank,
    Pack,
    allowed,
    clean,
    guide,
    part_heading,
    score_headings,
)
from concord.messages import Problem, joined
from concord.rubrics.model import Rubric
from concord.store import graders
from concord.store.database import Store

RUBRIC = "Rubric"
ROWS = 1_048_575  # below the header
# A cell holds 32,767 units of UTF-16, of which a character may take two.
_CHARACTERS = 16_000
_LIST_CHARACTERS = 255
SCORE = "score"
_WIDTHS = {CODE: 24, "question": 40, "contexts": 80, SCORE: 18, NOTE: 40}
_LITERAL = re.compile("_(?=x[0-9A-Fa-f]{4}_)")
_NO_NAME = re.compile(r"[^\w .()@+-]+")
_TOP = Alignment(wrap_text=True, vertical="top")
_BOLD, _FILL = Font(bold=True), PatternFill("solid", fgColor="FFF7E0")


class Made(NamedTuple):
    """Packages with their rows, and files as bytes by name.

    `finished` are graders with nothing left to grade, who get no package.
    """

    packs: list[tuple[Pack, int]]
    files: dict[str, bytes]
    finished: list[str]


def make(store: Store, grading_set: GradingSet, names: Sequence[str], by: str) -> Made:
    """Make a package and its file, in memory, for each grader with answers left to grade.

    A Problem where none has answers left. They count as having begun the set.
    """
    rubric = packages.of_answers(store, grading_set)
    with store.write():  # who has nothing to grade leaves no new names behind
        people = packages.annotators(store, grading_set, names)
        laid = {one: packages.remaining(store, grading_set, one) for one in people}
        finished = [graders.get(store, one).name for one, left in laid.items() if not left]
        if len(finished) == len(laid):
            raise Problem(
                "Nothing is left to grade in “{set}” for {names}.",
                set=grading_set.name,
                names=joined(", ", finished),
            )
        made = [
            packages.keep(store, grading_set, one, left, by) for one, left in laid.items() if left
        ]
    files: dict[str, bytes] = {}
    for pack, rows in made:
        # A name as every system takes it for a file's, numbered where it is taken.
        parts = (_NO_NAME.sub("_", name).strip(" .") for name in (grading_set.name, pack.grader))
        stem = name = " - ".join(part or "pack" for part in parts)
        while f"{name}.xlsx".casefold() in map(str.casefold, files):
            name = f"{stem} ({len(files) + 1})"
        files[f"{name}.xlsx"] = workbook(Blank(rubric, rows))
    return Made([(pack, len(rows)) for pack, rows in made], files, finished)


def write(store: Store, grading_set: GradingSet, names: Sequence[str], out: str, by: str) -> Made:
    """The same, written into a new or empty folder, which is looked at before anything is made."""
    folder = Path(out)
    with naming(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise Problem(
                "{folder} is not an empty folder. Name a new one for the packages.", folder=folder
            )
        made = make(store, grading_set, names, by)
        for name, content in made.files.items():
            (folder / name).write_bytes(content)
    return made


def workbook(pack: Blank) -> bytes:
    """The workbook of a pack; a Problem where it has more rows than a worksheet."""
    if len(pack.rows) > ROWS:
        raise Problem("A worksheet holds at most {n:,} rows. Make smaller sets.", n=ROWS)
    book = Workbook(write_only=True)
    book.properties.creator = "Concord"
    first_allowed = _rubric(book.create_sheet(RUBRIC), pack.rubric)
    _answers(book.create_sheet(ANSWERS), pack, first_allowed)
    held = io.BytesIO()
    book.save(held)
    return held.getvalue()


def _rubric(sheet, rubric: Rubric) -> int:
    """Write the rubric; returns in which row the list of what may be given begins."""
    for column, width in zip("ABCD", (28, 60, 14, 80), strict=True):
        sheet.column_dimensions[column].width = width
    sheet.protection.sheet = True
    parts = [rubric.title, *filter(None, [rubric.about]), *guide(rubric)]
    lines = [[text] for text in parts]
    head = ["Criterion", "What to decide", "Score", "Meaning"]
    levels = [
        [criterion.heading(), criterion.question, level.score, level.meaning]
        for criterion in rubric.criteria
        for level in criterion.levels
    ]
    values = [["Allowed", "", value] for value in allowed(rubric)]
    for row in (*lines, [], head, *levels, [], *values):
        sheet.append([_cell(sheet, value, row is head) for value in row])
    return len(lines) + 1 + 1 + len(levels) + 1 + 1


def _answers(sheet, pack: Blank, first_allowed: int) -> None:
    columns = list(_columns(pack))
    headings = score_headings(pack.rubric)
    open_ones = [*headings.values(), HEADINGS[NOTE]]
    sheet.freeze_panes = "B2"
    names = [name for _, name, _ in columns] + [*(SCORE for _ in headings), NOTE]
    for place, name in enumerate(names, 1):
        sheet.column_dimensions[get_column_letter(place)].width = _WIDTHS.get(name, 60)
    sheet.protection.sheet = True
    # False allows it: annotators may widen columns to read long texts.
    sheet.protection.formatColumns = sheet.protection.formatRows = False
    _validate(sheet, pack, len(columns) + 1, first_allowed)
    heads = [heading for heading, *_ in columns] + open_ones
    sheet.append([_cell(sheet, heading, True) for heading in heads])
    for row in pack.rows:
        texts = {CODE: row.code} | {name: clean(text) for name, text in row.texts.items()}
        cells = [
            _cell(sheet, texts.get(name, "")[part * _CHARACTERS : (part + 1) * _CHARACTERS])
            for _, name, part in columns
        ]
        sheet.append(cells + [_open(sheet, row.given.get(name)) for name in (*headings, NOTE)])


def _columns(pack: Blank) -> Iterator[tuple[str, str, int]]:
    """Yield heading, content key and part; a text too long for a cell takes several columns."""
    yield HEADINGS[CODE], CODE, 0
    used = {name for row in pack.rows for name in row.texts}
    for name in (name for name in TEXTS if name in used):
        longest = max(len(row.texts.get(name, "")) for row in pack.rows)
        for part in range(max(1, -(-longest // _CHARACTERS))):
            yield part_heading(name, part), name, part


def _validate(sheet, pack: Blank, first: int, first_allowed: int) -> None:
    """Let the spreadsheet itself accept valid scores only."""
    values = allowed(pack.rubric)
    listed = f'"{",".join(values)}"'
    # A list inside the rule may have 255 characters; a longer one refers to cells.
    if len(listed) > _LIST_CHARACTERS:
        listed = f"{RUBRIC}!$C${first_allowed}:$C${first_allowed + len(values) - 1}"
    rule = DataValidation("list", formula1=listed, allow_blank=True, showErrorMessage=True)
    rule.errorTitle = "Not on the scale"
    rule.error = f"Scores: {', '.join(values)}"
    last = get_column_letter(first + len(pack.rubric.criteria) - 1)
    rule.add(f"{get_column_letter(first)}2:{last}{len(pack.rows) + 1}")
    sheet.data_validations.append(rule)


def _cell(sheet, value, bold: bool = False) -> WriteOnlyCell:
    """Return a locked cell; text stays text, whatever it begins with."""
    # Excel reads `_x0041_` in a cell as the character of that number.
    text = _LITERAL.sub("_x005F_", clean(value)) if isinstance(value, str) else value
    cell = WriteOnlyCell(sheet, value=text)
    if isinstance(value, str):
        cell.data_type = "s"
        # Without it Excel turns a text that begins with `=` into a formula as soon as it is edited.
        cell.quotePrefix = True
    cell.alignment = _TOP
    if bold:
        cell.font = _BOLD
    return cell


def _open(sheet, value: str | int | None = None) -> WriteOnlyCell:
    cell = WriteOnlyCell(sheet, value=value)
    cell.protection, cell.alignment, cell.fill = Protection(locked=False), _TOP, _FILL
    return cell
