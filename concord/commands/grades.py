"""The command `grades`."""

from contextlib import nullcontext

import click

from concord.commands import options
from concord.commands.frame import print_note, say_documents, verb, warn_of
from concord.messages import Problem


@verb
@click.argument("file")
@options.rubric
@options.mapping
@options.join
@options.score
@options.encoding
@options.worksheet
@options.partial
@options.text(
    "--on-conflict",
    click.Choice(["keep", "replace"]),
    "Which grade to keep where stored and imported ones differ.",
)
def grades(
    store, sheet_name, file, rubric, mapped, joins, encoding, worksheet, partial, words,
    on_conflict,
):  # fmt: skip
    """Import grades: one row per grade, or per verdict on a unit.

    grader_kind is annotator, judge, metric, or mean for the mean of several annotators. Judges,
    metrics and means may give any number; it is kept as it is.

    --map score:annotator:NAME:CRITERION=COLUMN (or score:judge:..., score:mean:...) maps a column
    that holds one grader's scores.

    The results file of a tool that `import` recognises gives the grades of answers in the sheet.

    A returned package (see pack) is recognised by its row codes. Without --rubric, other grades are
    imported under the rubric the sheet is graded under, or else under the only rubric with the
    file's criteria. If several match, name one.
    """
    from concord.grading import package_return
    from concord.importing import sheet_import, unit_rows
    from concord.importing.columns import column_map
    from concord.importing.faults import kinds
    from concord.importing.fields import GRADE_FIELDS
    from concord.importing.grade_scales import of_file, readings
    from concord.importing.joining import joined
    from concord.importing.readers.formats import open_table
    from concord.importing.recognition import open_grades_of
    from concord.reports.document import Document
    from concord.reports.units import decomposition
    from concord.store import sheets
    from concord.store.rubrics import rubric_versions

    how = {"encoding": encoding, "worksheet": worksheet}
    table = open_grades_of(store, lambda: sheets.chosen(store, sheet_name), file, **how)
    name, found = table.source.name, table.origin
    table, done = joined(table, joins, encoding)
    for sentence in (*(found.sentences() if found else ()), *(one.sentence() for one in done)):
        print_note(f"{name}: {sentence}")
    pack = package_return.table_of(table, lambda one: open_table(file, **how | {"worksheet": one}))
    if pack:
        coming = package_return.read(store, pack)
        sheet, rubrics, read = coming.sheet, [coming.rubric], coming.read
        if sheet_name and sheets.chosen(store, sheet_name).id != sheet.id:
            raise Problem("It is of sheet “{name}”. Leave --sheet out.", name=sheet.name)
        if rubric or mapped or words:
            print_note("A package has its own rubric: --rubric, --map and --score are ignored.")
        warn_of(read, partial)
        taken = package_return.store_grades(store, coming, partial, on_conflict)
        more = {"annotator": coming.pack.grader}
    else:
        sheet = sheets.chosen(store, sheet_name)
        columns = column_map(table.columns, mapped, GRADE_FIELDS)
        if rubric:
            rubrics = [rubric_versions.argument(store, rubric)[1]]
        else:
            rubrics = of_file(store, sheet, table, columns)
            names = ", ".join(one.name for one in rubrics)
            print_note(f"{sheet.name}: graded under rubric {names}.")
        folder = unit_rows.folder_of(file) if rubrics[0].units else None
        with store.write() if folder else nullcontext():  # refused verdicts leave no lists behind
            lists = unit_rows.take(store, sheet, folder)
            scores, spread, notes = readings(table, columns, rubrics, words)
            for sentence in notes:
                print_note(sentence)
            read = decomposition.read(store, sheet, rubrics, table, columns, scores, spread)
            warn_of(read, partial)
            taken = sheet_import.take_grades(store, sheet, read, rubrics, partial, on_conflict)
        joins = [one._asdict() for one in done]
        more = {"found": found and found.to_json(), "joins": joins, "lists": lists}
    document = {
        "sheet": sheet.name,
        "rubric": ", ".join(one.name for one in rubrics),
        **more,
        **taken.as_json(),
        "faults": kinds(read.bad_rows),
    }
    say_documents(document, Document(taken.sentence(sheet.name)))
