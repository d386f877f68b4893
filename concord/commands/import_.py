"""The command `import`."""

import click

from concord.commands import options
from concord.commands.frame import print_note, say_documents, verb, warn_of
from concord.messages import Problem


@verb
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@options.mapping
@options.join
@options.rubric
@options.score
@options.text("--scale", "LOW-HIGH", "Scale of a new rubric, such as 1-5.")
@options.encoding
@options.worksheet
@options.text("--spec", "FILE", "Import as this spec says; --map adds to it.")
@options.flag("--number-answers", "Number several answers of a question without a model.")
@options.flag("--as-proposed", "Map columns and grades as the dry run proposes.")
@options.text("--save-spec", "FILE", "Save the column map as a spec (.toml).")
@options.flag("--dry-run", "Show what would be imported; store nothing.")
@options.partial
def import_(
    store,
    sheet_name,
    files,
    dry_run,
    partial,
    spec,
    save_spec,
    rubric,
    mapped,
    words,
    scale,
    encoding,
    worksheet,
    **how,
):
    """Import answer sheets: CSV, TSV, JSONL, JSON, Parquet or XLSX.

    Exports of other tools, such as promptfoo results or MLflow traces, are recognised: what they
    hold is shown, and their grades are imported too (see docs/interop.md).

    --sheet names the new sheet (default: the file's name). If it exists, only new rows are added.
    Either all files are imported, or none.

    --map FIELD=COLUMN maps a column, or a path into nested JSON such as metrics.f1.
    answer=answers.{model}.text imports one answer per key, answer:MODEL=COLUMN an answering model
    from a column of its own. FIELD:=VALUE is a constant.

    --map score:annotator:GRADER:CRITERION=COLUMN (or score:judge:..., score:mean:...) imports
    grades. {COLUMN} as GRADER reads the grader from a column. The grades come in under --rubric,
    else under a rubric that fits, else under a new one made from them.
    """
    from concord.importing import sheet_import
    from concord.importing import spec as specs
    from concord.importing.faults import kinds
    from concord.importing.recognition import open_file
    from concord.reports.document import Document
    from concord.reports.workflow.import_preview import report
    from concord.rubrics.model import read_text
    from concord.store.rubrics import rubric_versions

    if save_spec and len(files) > 1:
        raise Problem(
            "A spec describes one file. Name only one file with --save-spec.",
            fault_code="not_a_map",
        )
    saved = specs.parse(read_text(spec), spec) if spec else specs.Spec(map=())
    mapped = specs.replaced_words(saved.map, mapped)
    words = (*(f"{word}={score}" for word, score in saved.scores.items()), *words)
    encoding = encoding or saved.encoding
    if not rubric and not specs.makes_rubric(store, saved):
        rubric = saved.rubric
    if scale and rubric:
        raise Problem("Rubric {name} has a scale. Leave --scale out.", name=rubric)
    scale = "" if rubric else scale or saved.scale
    chosen = rubric_versions.argument(store, rubric)[1] if rubric else None
    number = how["number_answers"] or saved.number_answers
    how |= {"scale": specs.scale_of(scale) if scale else (), "rubric_name": saved.rubric}
    how |= {"encoding": encoding, "number_answers": number}
    read = []
    for file in files:
        table = open_file(file, encoding=encoding, worksheet=worksheet or saved.worksheet)
        for sentence in table.origin.sentences() if table.origin else ():
            print_note(f"{table.source.name}: {sentence}")
        made = [rubric.name for _, one in read for rubric in one.rubrics if one.is_new]
        one = sheet_import.read_answers(
            store, table, sheet_name, mapped, chosen, words, made=made, **how
        )
        for note in one.notes:
            print_note(note)
        read.append((sheet_import.sheet_name(sheet_name, one.sheet), one))
    for _, one in read:
        warn_of(one.sheet, partial)
    if save_spec:
        is_new = one.is_new or bool(saved.scale)
        columns = one.sheet.columns
        made = specs.of(one.sheet.table, columns, one.rubrics, is_new, one.scores, encoding, number)
        specs.save(made, save_spec)
    if dry_run:
        found = [report(store, name, one.sheet, one.rubrics, one.found) for name, one in read]
        made = {"dry_run": True, "sheets": [plain for plain, _ in found]}
        return say_documents(made, *(document for _, document in found))
    with store.write():
        done = [
            sheet_import.take_sheet(store, one.sheet, name, one.rubrics, partial)
            for name, one in read
        ]
    results = [
        {"sheet": name, "rubric": one.rubric_names, "found": one.found and one.found.to_json()}
        | {"joins": [join._asdict() for join in one.joins], **taken.as_json()}
        | {"faults": kinds(one.sheet.bad_rows), "flags": one.sheet.flags}
        for (name, one), taken in zip(read, done, strict=True)
    ]
    sentences = (taken.sentence(name) for (name, _), taken in zip(read, done, strict=True))
    say_documents({"sheets": results}, Document("", (*sentences,)))
