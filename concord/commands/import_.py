"""The command `import`."""

import click

from concord.commands.frame import (
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
@click.option("--spec", metavar="FILE", help="Import as this spec says; --map adds to it.")
@click.option("--save-spec", metavar="FILE", help="Save the column map as a spec (.toml).")
@click.option("--dry-run", is_flag=True, help="Show what would be imported; store nothing.")
@partial_option
@as_json
def import_(store, sheet_name, files, qrels, relevant_from, run, dry_run, partial, json_out, **how):
    """Import answer sheets: csv, tsv, jsonl, json, parquet, xlsx.

    --sheet names the new sheet (default: the file's name); an existing sheet of that name receives
    the new rows. --map FIELD=COLUMN maps a column, or a path into nested JSON such as metrics.f1;
    answer=answers.{model}.text imports one answer per key; FIELD:=VALUE is a constant. --map
    answer:MODEL=COLUMN imports an answering model from a column of its own; --map
    score:annotator:GRADER:CRITERION=COLUMN (or score:judge:...) imports grades from the sheet, with
    --rubric; {COLUMN} as GRADER reads the grader from a column. --qrels and --run join TREC files
    by question id; with --run, FILE may contain questions only. Either all files are imported, or
    none.
    """
    from concord.importing import sheet_import, trec

    if relevant_from is not None and not qrels:
        raise Problem("--relevant-from says which relevance of --qrels counts. Name the file.")
    least = trec.RELEVANT_FROM if relevant_from is None else relevant_from
    how["qrels"] = trec.read_qrels(qrels, least) if qrels else None
    how["run"] = trec.read_run(run) if run else None
    saved = how.pop("save_spec")
    how, rubric_name = _with_spec(store, **how)
    if saved and len(files) > 1:
        raise Problem("A spec is of one file. Name one file with --save-spec.")
    read = [_read(file, **how) for file in files]
    named = [(sheet_import.sheet_name(sheet_name, found), found) for found, _ in read]
    for found, _ in read:
        warn_of(found, partial)
    if saved:
        _save(saved, *read[0], rubric_name, how)
    if dry_run:
        _show([(name, *found) for (name, _), found in zip(named, read, strict=True)], json_out)
        return
    rubric = how["rubric"]
    with store.write():
        done = [
            (name, sheet_import.take_sheet(store, f, name, rubric, partial)) for name, f in named
        ]
    told = [
        {"sheet": name, **taken.as_json(), **found.faults_as_json({c.row for c in taken.conflicts})}
        for (name, taken), found in zip(done, read, strict=True)
    ]
    document = {"sheets": told}
    say(document, json_out, "\n".join(taken.sentence(name) for name, taken in done))


def _with_spec(store, spec, said, rubric, encoding, worksheet, **how):
    """How the files are read, as the spec says where no option does, and the rubric by name."""
    from concord.importing import spec as specs
    from concord.store.rubrics import rubric_versions

    given = specs.load(spec) if spec else None
    if given:
        made = given.new_rubric.name if given.new_rubric else None
        rubric, said = rubric or given.rubric or made, given.with_words(said)
        encoding, worksheet = encoding or given.encoding, worksheet or given.worksheet
    chosen = rubric_versions.argument(store, rubric)[1] if rubric else None
    more = {"said": said, "rubric": chosen, "encoding": encoding, "worksheet": worksheet}
    return {**how, **more}, rubric


def _read(file, said, rubric, encoding, worksheet, qrels, run):
    """A file as it is read, and the words of its map; without any, they may be proposed."""
    from concord.importing import answer_file, trec
    from concord.importing.columns import column_map
    from concord.importing.proposals.propose import propose
    from concord.importing.proposals.unambiguous import unambiguous
    from concord.importing.readers.formats import open_table

    table = open_table(file, encoding=encoding, worksheet=worksheet)
    if qrels or run:
        table = trec.joined(table, said, qrels, run)
    proposal = None if said else unambiguous(table)
    if proposal:
        said = proposal.spoken(with_grades=False)
        tell(f"{table.source.name}: the columns are read as {', '.join(said)}.")
        for grade in proposal.grades:
            tell(f'“{grade.column}” may hold grades: --map "{grade.text}" with --rubric.')
    try:
        return answer_file.read(table, column_map(table.columns, said), rubric), said
    except Problem:
        _hint(table.source.name, propose(table))
        raise


def _hint(name, proposal):
    """Say what the values of a file suggest, before its columns are refused."""
    if proposal.of == "grades":
        tell(f"{name} seems to hold grades of answers that are imported already: use `grades`.")
    for doubt in proposal.doubts:
        if doubt.columns and doubt.field in ("question", "answer"):
            tell(f"{name}: {doubt.field}: {', '.join(doubt.columns)}? {doubt.reason}.")


def _save(path, read, words, rubric, how):
    from concord.importing import spec as specs

    reading = {"encoding": how["encoding"], "worksheet": how["worksheet"]}
    specs.save(specs.of(read.columns, words, rubric=rubric, **reading), path)


def _show(read, json_out):
    """Show what would be imported."""
    from concord.importing.preview import preview
    from concord.importing.proposals.propose import propose

    shown = [(name, preview(found), propose(found.table)) for name, found, _ in read]
    document = {
        "dry_run": True,
        "sheets": [
            {"sheet": name, **seen.as_json(), "proposal": proposed.as_json()}
            for name, seen, proposed in shown
        ],
    }
    say(document, json_out, "\n\n".join(_lines(*one) for one in shown))


def _lines(name, seen, proposed):
    """A preview as text: the counts, the map, the first answers, and what cannot be taken."""
    lines = [f"{name}: {seen.sentence()} Nothing was imported.", "", "Columns"]
    lines += [f"  {word}" for word in seen.map]
    mapped = {word.rpartition("=")[2] for word in seen.map}
    hints = [one for one in proposed.grades if one.column not in mapped]
    lines += [f"  may be grades: {one.text} ({one.reason})" for one in hints]
    lines += [f"  {d.field}? {', '.join(d.columns)}: {d.reason}" for d in proposed.doubts]
    for title, counts in (
        ("Answers by answering model", seen.answer_models),
        ("Grades by criterion", seen.grades),
        ("Grades by annotator", seen.annotators),
        ("Grades by judge", seen.judges),
        ("Values by metric", seen.metrics),
    ):
        counts = {name: n for name, n in counts.items() if name}
        lines += ["", title, *(f"  {name}: {n:,}" for name, n in counts.items())] if counts else []
    lines += ["", f"First {len(seen.first)} answers" if seen.first else "No answers"]
    lines += [_answer_line(one) for one in seen.first]
    lines += (
        ["", "Cannot be taken", *(f"  {fault}" for fault in seen.faults)] if seen.faults else []
    )
    return "\n".join(lines)


def _answer_line(one):
    model = f" [{one.answer_model}]" if one.answer_model else ""
    contexts = f" ({one.contexts} contexts)" if one.contexts else ""
    return f"  {one.row}. {one.question[:70]} ->{model} {one.answer[:70]}{contexts}"
