"""The command `import`."""

import click

from concord.commands.frame import (
    as_json,
    encoding_option,
    map_option,
    partial_option,
    rubric_option,
    say,
    verb,
    worksheet_option,
)
from concord.commands.grades import warn_of
from concord.problems import Problem


@verb
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@map_option
@rubric_option
@encoding_option
@worksheet_option
@click.option("--qrels", metavar="FILE", help="TREC qrels file: the relevant documents.")
@click.option("--relevant-from", type=int, help="Minimum relevance that counts; default: 1.")
@click.option("--run", metavar="FILE", help="TREC run file: the retrieved documents.")
@partial_option
@as_json
def import_(
    store, sheet_name, files, said, rubric, encoding, worksheet, qrels, relevant_from, run,
    partial, json_out,
):  # fmt: skip
    """Import answer sheets: csv, tsv, jsonl, json, parquet, xlsx.

    --sheet names the new sheet (default: the file's name); an existing sheet of that name receives
    the new rows. --map FIELD=COLUMN maps a column; --map answer:MODEL=COLUMN imports an answering
    model from a column of its own; --map score:annotator:GRADER:CRITERION=COLUMN (or
    score:judge:...) imports grades from the sheet, with --rubric. --qrels and --run join TREC files
    by question id; with --run, FILE may contain questions only. Either all files are imported, or
    none.
    """
    from concord.importing import answer_file as answers
    from concord.importing import sheet_import, trec
    from concord.store.rubrics import rubric_versions

    chosen = rubric_versions.argument(store, rubric)[1] if rubric else None
    reading = {"said": said, "rubric": chosen, "encoding": encoding, "worksheet": worksheet}
    if relevant_from is not None and not qrels:
        raise Problem("--relevant-from says which relevance of --qrels counts. Name the file.")
    least = trec.RELEVANT_FROM if relevant_from is None else relevant_from
    reading["qrels"] = trec.read_qrels(qrels, least) if qrels else None
    reading["run"] = trec.read_run(run) if run else None
    read = [answers.load(file, **reading) for file in files]
    named = [(sheet_import.sheet_name(sheet_name, found), found) for found in read]
    for found in read:
        warn_of(found, partial)
    with store.write():
        done = [
            (name, sheet_import.take_sheet(store, f, name, chosen, partial)) for name, f in named
        ]
    document = {"sheets": [{"sheet": name, **taken.as_json()} for name, taken in done]}
    say(document, json_out, "\n".join(taken.sentence(name) for name, taken in done))
