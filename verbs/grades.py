"""The verb `grades`."""

from contextlib import nullcontext

import click

from verbs.frame import (
    as_json,
    encoding_option,
    map_option,
    partial_option,
    rubric_option,
    say,
    tell,
    verb,
    worksheet_option,
)


@verb
@click.argument("file")
@rubric_option
@map_option
@encoding_option
@worksheet_option
@partial_option
@click.option(
    "--who", multiple=True, metavar="KNOWN=NAME", help="Who is who in a platform's export."
)
@click.option("--on-conflict", type=click.Choice(["keep", "replace"]), help="Where grades differ.")
@as_json
def grades(store, sheet_name, file, rubric, said, encoding, worksheet, partial, **more):
    """Import grades made elsewhere, one row per grade of an answer or per verdict on a part of it.

    A pack that comes back is told by its row codes. Without --rubric other grades are taken under
    the rubric the sheet is graded under, else under the only rubric that has the file's criteria;
    where several have them, you are asked for one.
    """
    from data import pack_intake
    from data.files.formats import open_table

    table = open_table(file, encoding=encoding, worksheet=worksheet)
    pack = pack_intake.table_of(
        table, lambda other: open_table(file, encoding=encoding, worksheet=other)
    )
    if pack:
        _take_pack(store, pack, sheet_name, partial, rubric or said, **more)
    else:
        _take_rows(store, table, sheet_name, rubric, said, partial, **more, file=file)


def _take_pack(store, table, sheet_name, partial, needless, who, on_conflict, json_out):
    from data import pack_intake, sheets
    from data.files.refusal import faults
    from problems import Problem

    coming = pack_intake.read(store, table, dict(map(_known_as, who)))
    if sheet_name and sheets.chosen(store, sheet_name).id != coming.sheet.id:
        raise Problem(f"The pack is of the sheet {coming.sheet.name}, not of {sheet_name}.")
    if needless:
        tell("A pack knows its rubric and its columns, so --rubric and --map are not needed.")
    warn_of(coming.read, partial)
    for sentence in (*coming.read.beside(), *(faults(coming.read.bad_rows) if partial else ())):
        tell(sentence)
    taken = pack_intake.take(store, coming, partial, on_conflict)
    document = {
        "sheet": coming.sheet.name,
        "rubric": coming.rubric.name,
        "packs": [one.grader for one in coming.read.packs],
        **taken.as_json(),
    }
    say(document, json_out, taken.sentence(coming.sheet.name))


def _known_as(said: str) -> tuple[str, str]:
    from problems import Problem

    known, equals, name = said.partition("=")
    if not (equals and known.strip() and name.strip()):
        raise Problem(f"“{said}” does not say who is who. Write --who KNOWN=NAME.")
    return known.strip(), name.strip()


def _take_rows(store, table, sheet_name, rubric, said, partial, who, on_conflict, json_out, file):
    from data import list_intake, rubric_versions, sheets
    from data.files.columns import column_map
    from data.files.fields import GRADE_FIELDS
    from data.sheet_rubric import of_file

    sheet = sheets.chosen(store, sheet_name)
    chosen = rubric_versions.argument(store, rubric)[1] if rubric else None
    columns = column_map(table.columns, said, GRADE_FIELDS)
    under = chosen or of_file(store, sheet, table, columns)
    rubrics = under if isinstance(under, list) else [under]
    names = ", ".join(one.name for one in rubrics)
    if chosen is None:
        tell(f"The grades are taken under rubric {names}.")
    folder = list_intake.folder_of(file) if rubrics[0].units else None
    with store.write() if folder else nullcontext():  # refused verdicts leave no lists behind
        lists = list_intake.take(store, sheet, folder) if folder else list_intake.NONE
        taken = _checked(store, sheet, table, columns, rubrics, partial, on_conflict)
    document = {"sheet": sheet.name, "rubric": names, **taken.as_json(), "lists": lists._asdict()}
    told = filter(None, (lists.sentence(), taken.sentence(sheet.name)))
    say(document, json_out, "\n".join(told))


def _checked(store, sheet, table, columns, rubrics, partial, on_conflict):
    """Take the rows in, every one of them checked."""
    from data import check_intake, contents, gradesheet, intake, unit_names
    from reports import taking_apart

    kinds = {one.units for one in rubrics if one.units}
    for kind in kinds:
        taking_apart.sheet_by_rule(store, sheet, kind)
    units = {kind: unit_names.of_sheet(store, sheet.id, kind) for kind in kinds}
    keys = contents.item_keys(store, sheet.id)
    lists = {kind: check_intake.of_sheet(store, sheet.id, kind) for kind in kinds}
    read = gradesheet.read(table, columns, rubrics, keys, units, lists)
    warn_of(read, partial)
    for sentence in read.beside():
        tell(sentence)
    return intake.take_grades(store, sheet, read, rubrics, partial, on_conflict)


def warn_of(read, partial: bool) -> None:
    """Say on standard error how a file was read and what is odd about it."""
    guess = read.table.encoding
    if guess is not None and (guess.rivals or guess.chosen or guess.encoding != "utf-8-sig"):
        tell(f"{read.table.source.name}: {guess.sentence()}")
    for note in read.table.joins:
        tell(note)
    for flag in getattr(read, "flags", ()):
        tell(f"{read.table.source.name}: {flag.sentence}")
    for warning in read.warnings() if partial else ():
        tell(warning)
