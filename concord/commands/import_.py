"""The command `import`."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import click

from concord.commands import options
from concord.commands.frame import print_note, say, say_documents, verb, warn_of
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
@options.flag("--as-proposed", "Map the columns as the dry run proposes, grades included.")
@options.text("--save-spec", "FILE", "Save the column map as a spec (.toml).")
@options.flag("--dry-run", "Show what would be imported; store nothing.")
@options.partial
@options.as_json
def import_(store, sheet_name, files, dry_run, partial, json_out, **how):
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
    from concord.reports.workflow import import_preview as report

    saved = how.pop("save_spec")
    how, spec = _with_spec(store, **how)
    if saved and len(files) > 1:
        raise Problem(
            "A spec describes one file. Name only one file with --save-spec.",
            fault_code="not_a_map",
        )
    read = []
    for file in files:
        made = [one.rubric.name for one in read if one.is_new]
        read.append(_read(store, file, **how, sheet=sheet_name, made=made))
    named = [(sheet_import.sheet_name(sheet_name, one.sheet), one) for one in read]
    for one in read:
        warn_of(one.sheet, partial)
    if saved:
        _save(saved, read[0], spec, how)
    if dry_run:
        found = [
            report.report(store, name, one.sheet, one.rubric, one.found) for name, one in named
        ]
        made = {"dry_run": True, "sheets": [report.as_json(one) for one in found]}
        return say_documents(made, json_out, *map(report.document, found))
    with store.write():
        done = [
            (name, sheet_import.take_sheet(store, one.sheet, name, one.rubric, partial))
            for name, one in named
        ]
    results = [
        {
            "sheet": name,
            "rubric": one.rubric.name if one.sheet.grades else None,
            "found": one.found and one.found.to_json(),
            "joins": [join._asdict() for join in one.joins],
            **taken.as_json(),
            **one.sheet.faults_as_json({conflict.row for conflict in taken.conflicts}),
            "flags": {flag.kind: flag.count for flag in one.sheet.flags},
        }
        for (name, taken), one in zip(done, read, strict=True)
    ]
    document = {"sheets": results}
    say(document, json_out, "\n".join(taken.sentence(name) for name, taken in done))


class _Read(NamedTuple):
    """A file as it was read: an `AnswerSheet`, its column map and a `Rubric` where it has grades.

    `found` is what there is in a recognised export of another tool. Untyped, since a command loads
    what it needs only when it is run.
    """

    sheet: Any
    mapped: Sequence[str]
    rubric: Any
    is_new: bool
    found: Any = None
    joins: Sequence[Any] = ()


def _with_spec(store, spec, mapped, rubric, words, scale, encoding, worksheet, **how):
    """Return how the files are read, by the spec where no option says it, and the spec."""
    from concord.importing import scores
    from concord.importing import spec as specs
    from concord.rubrics import fit
    from concord.store.rubrics import rubric_versions

    given = specs.load(spec) if spec else None
    chosen = None
    if given:
        mapped = given.with_words(mapped)
        words = (*(f"{word}={score}" for word, score in given.scores.items()), *words)
        encoding, worksheet = encoding or given.encoding, worksheet or given.worksheet
        made = given.new_rubric
        if made and not rubric and given.rubric in (None, made.name):
            rubrics = [rubric_versions.named(store, n)[1] for n in rubric_versions.names(store)]
            chosen, is_new = fit.stored_or_new(fit.of_table(made.model_dump(), spec), rubrics)
            if is_new and chosen.name != made.name:
                print_note(
                    f"There is another rubric {made.name}, so the one of {spec} is made as "
                    f"{chosen.name}."
                )
        else:
            rubric = rubric or given.rubric
    if rubric:
        chosen = rubric_versions.argument(store, rubric)[1]
    if scale and chosen:
        raise Problem(f"The rubric {chosen.name} has a scale. Leave --scale or the rubric out.")
    reading = {
        "mapped": mapped,
        "rubric": chosen,
        "words": scores.words_to_scores(words),
        "scale": _scale(scale) if scale else (),
    }
    return {**how, **reading, "encoding": encoding, "worksheet": worksheet}, given


def _scale(text):
    """The scores of a scale such as 1-5."""
    ends = re.fullmatch(r"(-?\d{1,4})-(-?\d{1,4})", text.strip())
    low, high = map(int, ends.groups()) if ends else (0, 0)
    if not low < high <= low + 100:
        raise Problem(
            f"“{text}” is not a scale. Give its ends, as in --scale 1-5.", fault_code="not_a_scale"
        )
    return range(low, high + 1)


def _read(
    store,
    file,
    mapped,
    rubric,
    words,
    scale,
    encoding,
    worksheet,
    sheet,
    made,
    joins,
    as_proposed,
    number_answers,
):
    """Read a file; its column map and the rubric of its grades may be proposed."""
    from concord.importing import answer_file, numbering
    from concord.importing.columns import column_map
    from concord.importing.default_rubric import under
    from concord.importing.joining import joined
    from concord.importing.recognition.recognise import open_found, refuse_grades

    table, found = open_found(file, encoding, worksheet, mapped)
    for sentence in found.sentences() if found else ():
        print_note(f"{table.source.name}: {sentence}")
    refuse_grades(table)
    table, joins = joined(table, joins, encoding)
    for one in joins:
        print_note(f"{table.source.name}: {one.sentence()}")
    mapped = _words(table, mapped, as_proposed)
    columns, is_new = column_map(table.columns, mapped), False
    if rubric:
        columns = under(columns, rubric)
    elif scale and not (columns.scores or columns.column("score")):
        raise Problem(
            "--scale is that of grades, and no column is mapped to grades. Map one.",
            fault_code="no_column",
        )
    elif columns.scores or columns.column("score"):
        grades = table, columns, words, scale
        rubric, columns, words, is_new = _proposed(store, sheet, made, *grades)
    if found and (sentence := (found := found.mapped(words)).mapping()):
        print_note(f"{table.source.name}: {sentence}")
    numbers = numbering.of_sheet(store, sheet or table.source.stem) if number_answers else None
    sheet = answer_file.read(table, columns, rubric, words, numbers)
    return _Read(sheet, mapped, rubric, is_new, found, joins)


def _words(table, mapped, as_proposed):
    """The words of the column map, and notes on what is proposed and what is undecided."""
    from concord.importing.proposals import decided

    if table.origin:
        return table.origin.with_words(mapped)
    words, proposal = decided(table, mapped, as_proposed)
    if words != mapped:
        print_note(f"{table.source.name}: the columns are read as {', '.join(words)}.")
    if proposal.grades and not as_proposed:
        named = " ".join(f'--map "{word}"' for word in proposal.grades)
        print_note(f"Grades, imported with --as-proposed: {named}")
    if proposal.undecided:
        print_note("Not mapped, and kept with each answer:")
        for one in proposal.undecided:
            print_note(f"  {one.sentence()}")
    return words


def _proposed(store, sheet, made, table, columns, words, scale):
    """The rubric of a file's grades where none was named; `made` are names of those made before."""
    from concord.importing.default_rubric import grade_rubric
    from concord.store.rubrics import rubric_versions

    stored = rubric_versions.of_import(store, sheet or table.source.stem)
    taken = [*rubric_versions.names(store), *made]
    found = grade_rubric(table, columns, stored, words, scale, taken)
    if found is None:
        return None, columns, words, False
    print_note(f"{table.source.name}: {found.sentence()}")
    return found.fit.rubric, found.columns, found.words, found.fit.is_new


def _save(path, read, spec, how):
    from concord.importing import spec as specs
    from concord.rubrics import fit

    of_grades = {"rubric": read.rubric.name} if read.rubric else {}
    if read.rubric and (read.is_new or (spec and spec.new_rubric)):
        of_grades = {"new_rubric": specs.NewRubric.model_validate(fit.as_table(read.rubric))}
    spelt = {word: "" if score is None else score for word, score in how["words"].items()}
    of_grades["scores"] = {**(spec.scores if spec else {}), **spelt}
    reading = {"encoding": how["encoding"], "worksheet": how["worksheet"]}
    specs.save(specs.of(read.sheet.columns, read.mapped, **of_grades, **reading), path)
