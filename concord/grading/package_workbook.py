"""A pack as a workbook: the rubric on the first worksheet, the answers to grade on the second.

The spreadsheet itself refuses a score that is not on the scale. Texts are text, also where they
begin with an equals sign, and their cells are locked; those to fill in are open.
"""

import io
import re
from collections.abc import Iterator

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import Alignment, Font, PatternFill, Protection
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation

from concord.grading.packages import (
    ANSWERS,
    CODE,
    HEADINGS,
    NOTE,
    TEXTS,
    Blank,
    allowed,
    clean,
    guide,
    part_heading,
    score_headings,
)
from concord.messages import Problem
from concord.rubrics.model import Rubric

RUBRIC = "Rubric"
ROWS = 1_048_575  # below the header
# A cell holds 32,767 units of UTF-16, of which a character may take two.
_CHARACTERS = 16_000
_LIST_CHARACTERS = 255
SCORE = "score"
_WIDTHS = {CODE: 24, "question": 40, "contexts": 80, SCORE: 18, NOTE: 40}
_LITERAL = re.compile("_(?=x[0-9A-Fa-f]{4}_)")
_TOP = Alignment(wrap_text=True, vertical="top")
_BOLD, _FILL = Font(bold=True), PatternFill("solid", fgColor="FFF7E0")


def write(pack: Blank) -> bytes:
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
    scale = pack.rubric.scale
    rule.error = f"Give a whole score from {scale[0]} to {scale[-1]}, or choose “{values[-1]}”."
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
