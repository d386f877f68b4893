"""The command `import`."""

import re

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
        made = [rubric.name for one in read for rubric in one.rubrics if one.is_new]
        read.append(_read(store, file, **how, sheet=sheet_name, made=made))
    named = [(sheet_import.sheet_name(sheet_name, one.sheet), one) for one in read]
    for one in read:
        warn_of(one.sheet, partial)
    if saved:
        _save(saved, read[0], spec, how)
    if dry_run:
        found = [
            report.report(store, name, one.sheet, one.rubrics, one.found) for name, one in named
        ]
        made = {"dry_run": True, "sheets": [report.as_json(one) for one in found]}
        return say_documents(made, json_out, *map(report.document, found))
    with store.write():
        done = [
            (name, sheet_import.take_sheet(store, one.sheet, name, one.rubrics, partial))
            for name, one in named
        ]
    results = [
        {
            "sheet": name,
            "rubric": one.rubric_names,
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


def _read(store, file, mapped, rubric, words, encoding, worksheet, sheet, **how):
    """Read a file, and note what was assumed."""
    from concord.importing.recognition.recognise import open_mapped
    from concord.importing.sheet_import import read_answers

    table = open_mapped(file, encoding, worksheet, mapped)
    for sentence in table.origin.sentences() if table.origin else ():
        print_note(f"{table.source.name}: {sentence}")
    read = read_answers(store, table, sheet, mapped, rubric, words, encoding=encoding, **how)
    for note in read.notes:
        print_note(note)
    return read


def _save(path, read, spec, how):
    from concord.importing import spec as specs
    from concord.rubrics import fit

    # Of several rubrics the next file shows the scales again.
    rubric = read.rubrics[0] if len(read.rubrics) == 1 else None
    of_grades = {"rubric": rubric.name} if rubric else {}
    if rubric and (read.is_new or (spec and spec.new_rubric)):
        of_grades = {"new_rubric": specs.NewRubric.model_validate(fit.as_table(rubric))}
    spelt = {word: "" if score is None else score for word, score in how["words"].items()}
    of_grades["scores"] = {**(spec.scores if spec else {}), **spelt}
    reading = {"encoding": how["encoding"], "worksheet": how["worksheet"]}
    specs.save(specs.of(read.sheet.columns, read.words, **of_grades, **reading), path)
