"""Concord on the command line: the same jobs as the app, for scripts and for large files.

`python cli.py [--db FILE] VERB ...`. Text for people by default; `--json` prints one JSON document
and nothing else. Exit codes: 0 done; 1 a gate did not hold, or a run left items failed; 2 the user
can put it right; 130 interrupted. Each verb imports what it needs, so that the help comes at once.
"""

import functools
import json
import sys
from pathlib import Path

import click

from problems import Problem


class _Verbs(click.Group):
    """Shows a Problem as it is, on standard error, and ends with exit code 2."""

    def invoke(self, ctx):
        try:
            return super().invoke(ctx)
        except Problem as problem:
            click.echo(str(problem), err=True)
            ctx.exit(2)
        except KeyboardInterrupt:
            click.echo("Interrupted. What was saved stays; repeat the command to go on.", err=True)
            ctx.exit(130)


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--db", metavar="FILE", help="The database (else CONCORD_DB, else data/concord.db).")
@click.pass_context
def cli(ctx: click.Context, db: str | None) -> None:
    """Calibrate LLM judges against people."""
    ctx.obj = db


def verb(function):
    """A verb of the function's name that gets an open store first, and `--sheet`."""

    @cli.command(function.__name__.strip("_"))
    @click.option("--sheet", "sheet_name", metavar="NAME", help="The sheet, if there are several.")
    @click.pass_obj
    @functools.wraps(function)
    def opened(db, *args, **options):
        from data.store import open_store

        with open_store(db) as store:
            return function(store, *args, **options)

    return opened


as_json = click.option("--json", "json_out", is_flag=True, help="Print one JSON document.")
rubric_option = click.option("--rubric", metavar="NAME", help="The rubric, a name or a .toml file.")
people_option = click.option("--people", multiple=True, metavar="NAME", help="Who counts.")


def _say(document, json_out: bool, text: str) -> None:
    """Print the JSON document or the text."""
    click.echo(json.dumps(document, ensure_ascii=False, indent=2) if json_out else text)


@verb
@click.option("--again", is_flag=True, help="Load it even if it was removed before.")
@as_json
def demo(store, sheet_name, again, json_out):
    """Load the bundled sample and run the baseline over it."""
    from judges.demo import demo as load

    said = load(store, again)
    _say({"said": said}, json_out, said)


@verb
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--map", "said", multiple=True, metavar="FIELD=COLUMN", help="Map a column.")
@rubric_option
@click.option("--encoding", help="The encoding, where the guess is wrong.")
@click.option("--worksheet", help="The worksheet of an XLSX file.")
@click.option("--partial", is_flag=True, help="Import the good rows without the bad ones.")
@as_json
def import_(store, sheet_name, files, said, rubric, encoding, worksheet, partial, json_out):
    """Import answer sheets: csv, tsv, jsonl, json, parquet, xlsx."""
    from data import intake, rubric_versions
    from data import sheet as answer_sheet

    chosen = rubric_versions.argument(store, rubric)[1] if rubric else None
    done = []
    for file in files:
        read = answer_sheet.load(
            file, said=said, rubric=chosen, encoding=encoding, worksheet=worksheet
        )
        _warn_of(read)
        name = sheet_name or Path(file).stem
        taken = intake.take_sheet(store, read, name, chosen, partial)
        done.append({"sheet": name, **taken._asdict(), "conflicts": _dicts(taken.conflicts)})
        if not json_out:
            click.echo(taken.sentence(name))
    if json_out:
        _say({"sheets": done}, True, "")


@verb
@click.argument("file")
@rubric_option
@click.option("--map", "said", multiple=True, metavar="FIELD=COLUMN", help="Map a column.")
@click.option("--encoding", help="The encoding, where the guess is wrong.")
@click.option("--partial", is_flag=True, help="Import the good rows without the bad ones.")
@click.option("--on-conflict", type=click.Choice(["keep", "replace"]), help="Where grades differ.")
@as_json
def grades(store, sheet_name, file, rubric, said, encoding, partial, on_conflict, json_out):
    """Import grades made elsewhere, one row per grade."""
    from data import gradesheet, intake, rubric_versions, sheets

    sheet = sheets.chosen(store, sheet_name)
    _, chosen = rubric_versions.argument(store, rubric or "doc-qa-0-3")
    known = sheets.item_keys(store, sheet.id)
    read = gradesheet.load(file, rubric=chosen, known=known, said=said, encoding=encoding)
    _warn_of(read)
    taken = intake.take_grades(store, sheet, read, chosen, partial, on_conflict)
    document = {"sheet": sheet.name, **taken._asdict(), "conflicts": _dicts(taken.conflicts)}
    _say(document, json_out, taken.sentence(sheet.name))


def _warn_of(read) -> None:
    """Say on standard error what the user should know of a file that was read."""
    guess = read.table.encoding
    if guess is not None and (guess.rivals or guess.encoding not in ("utf-8", "utf-8-sig")):
        click.echo(f"Read as {guess.label}.", err=True)
    for flag in getattr(read, "flags", ()):
        click.echo(f"{flag.count:,} {flag.sentence}", err=True)
    for warning in read.warnings():
        click.echo(warning, err=True)


def _dicts(rows) -> list[dict]:
    return [row._asdict() for row in rows]


@verb
@click.argument("names", nargs=-1, required=True, metavar="NAME_OR_PATH...")
@click.option("--model", help="Another model than the judge file says: a new judge.")
@click.option("--base-url", help="Another endpoint than the judge file says: a new judge.")
@rubric_option
@click.option("--concurrency", type=click.IntRange(1), default=16, show_default=True)
@click.option("--repeat", "repeats", type=click.IntRange(1), default=1, help="Replies in all.")
@click.option("--limit", type=click.IntRange(1), help="Only the first so many answers.")
@click.option(
    "--budget", type=click.FloatRange(0), metavar="USD", help="Stop before this is spent."
)
@click.option("--estimate", "only_estimate", is_flag=True, help="Say what it would take and stop.")
@click.option("--yes", is_flag=True, help="Do not ask about money.")
@click.option("--retry-unscored", is_flag=True, help="Ask again where a reply gave no score.")
@as_json
def judge(store, names, json_out, **options):
    """Run judges over a sheet; repeating the command does only what is missing."""
    from judges import session

    done = [
        session.judge(store, name, session.Options(**options), _confirm, _progress(json_out))
        for name in names
    ]
    _say({"runs": [outcome.as_json() for outcome in done]}, json_out, _lines(done))
    if any(outcome.failed for outcome in done):
        sys.exit(1)


def _confirm(sentence: str) -> bool:
    """Ask a person at a terminal; a Problem where there is none."""
    if not sys.stdin.isatty():
        raise Problem(f"{sentence} Add --yes to go ahead without a terminal.")
    return click.confirm(f"{sentence} Go ahead?", err=True)


def _progress(json_out: bool):
    """Writes the progress of a run on one line of standard error, for people."""
    if json_out or not sys.stderr.isatty():
        return lambda sentence: None
    return lambda sentence: click.echo(f"\r\033[K{sentence}", nl=False, err=True)


def _lines(things) -> str:
    return "\n".join(thing.sentence() for thing in things)


@verb
@rubric_option
@click.option("--reference", type=click.Choice(["each", "consensus"]), default="each")
@click.option("--by", type=click.Choice(["answer_model"]), help="Also by answering model.")
@people_option
@as_json
def agreement(store, sheet_name, rubric, reference, by, people, json_out):
    """Say how far each judge agrees with people."""
    from reports import agreement as report
    from reports import sentence, text

    panel = _panel(store, sheet_name, rubric, people)
    found = report.report(panel, reference, bool(by))
    said = [sentence.of_row(row) for row in found["rows"]] if not json_out else []
    _say(found, json_out, "\n".join([text.agreement(found["rows"]), *said]))


@verb
@rubric_option
@people_option
@as_json
def ranking(store, sheet_name, rubric, people, json_out):
    """Rank the answering models by the weighted composite, by people and by each judge."""
    from reports import ranking as report
    from reports import text

    found = report.report(_panel(store, sheet_name, rubric, people))
    _say(found, json_out, text.ranking(found))


@verb
@click.option("--judge", "name", required=True, metavar="J")
@click.option("--exact", type=click.FloatRange(0, 1), metavar="X")
@click.option("--within-one", type=click.FloatRange(0, 1), metavar="Y")
@click.option("--caught", type=click.FloatRange(0, 1), metavar="Z")
@click.option("--criterion", metavar="C")
@rubric_option
@people_option
@as_json
def gate(store, sheet_name, name, exact, within_one, caught, criterion, rubric, people, json_out):
    """Exit 1 unless the lower limit of every criterion clears; what is undefined does not."""
    from reports import gate as report

    wanted = {"exact": exact, "within_one": within_one, "caught": caught}
    panel = _panel(store, sheet_name, rubric, people)
    found = report.gate(panel, name, {k: v for k, v in wanted.items() if v is not None}, criterion)
    _say(found, json_out, "\n".join(check["sentence"] for check in found["checks"]))
    if not found["holds"]:
        sys.exit(1)


def _panel(store, sheet_name, rubric, people):
    from data import sheets
    from reports import panel

    sheet = sheets.chosen(store, sheet_name)
    return panel.read(store, sheet, panel.rubric_for(store, sheet, rubric), people or None)


@verb
@click.argument("folder", metavar="DIR")
@as_json
def export(store, sheet_name, folder, json_out):
    """Write every table in long form as CSV and Parquet, and the report."""
    from data import export as tables
    from reports import agreement as report

    files = tables.export(store, folder)
    files += report.write(store, Path(folder))
    _say({"files": [str(file) for file in files]}, json_out, f"{len(files)} files in {folder}.")


@verb
@click.argument("file")
@as_json
def backup(store, sheet_name, file, json_out):
    """Copy the whole database into a new file, also while others are at work."""
    store.backup(file)
    _say({"file": file}, json_out, f"The database is copied to {file}.")


@verb
@click.option("--delete", "gone", metavar="NAME", help="Delete a sheet with all its grades.")
@click.option("--yes", is_flag=True, help="Do not ask before deleting.")
@as_json
def sheets(store, sheet_name, gone, yes, json_out):
    """List the sheets, or delete one."""
    from data import sheets as stored

    if gone:
        sheet = stored.chosen(store, gone)
        going = ", ".join(f"{n:,} {noun}" for noun, n in stored.would_go(store, sheet).items())
        if yes or _confirm(f"Deleting “{gone}” takes along {going}."):
            stored.delete(store, sheet)
        return _say({"deleted": gone}, json_out, f"“{gone}” is deleted: {going}.")
    found = stored.all_sheets(store)
    lines = [
        f"{s.name}: {s.items:,} answers, {s.questions:,} questions, "
        f"{len(s.answer_models)} answering models (from {s.source_name})"
        for s in found
    ]
    _say({"sheets": _dicts(found)}, json_out, "\n".join(lines) or "There is no sheet yet.")


@verb
@as_json
def rubrics(store, sheet_name, json_out):
    """List the rubrics."""
    from data import rubric_versions

    found = [rubric_versions.named(store, name)[1] for name in rubric_versions.names(store)]
    lines = [f"{r.name}: {r.title}, {', '.join(c.name for c in r.criteria)}" for r in found]
    document = {"rubrics": [json.loads(rubric.body()) for rubric in found]}
    _say(document, json_out, "\n".join(lines))


@verb
@as_json
def judges(store, sheet_name, json_out):
    """List the judges that ship and those that have graded."""
    from data import graders as stored
    from judges.model import presets

    shipped = presets()
    used = stored.of_kind(store, "judge")
    document = {
        "presets": [judge.model_dump(mode="json", exclude_none=True) for judge in shipped.values()],
        "used": _dicts(used),
    }
    lines = [f"{name}: {j.about or j.model or j.kind}" for name, j in shipped.items()]
    lines += [f"{g.label()} has graded{' (simulated)' if g.simulated else ''}" for g in used]
    _say(document, json_out, "\n".join(lines))


@verb
@click.option("--rename", nargs=2, metavar="OLD NEW", help="Give a person another name.")
@click.option("--merge", nargs=2, metavar="FROM INTO", help="Let one person's grades be another's.")
@click.option("--delete", "gone", metavar="NAME", help="Delete a person with all grades.")
@click.option("--yes", is_flag=True, help="Do not ask before deleting.")
@as_json
def graders(store, sheet_name, rename, merge, gone, yes, json_out):
    """List who has graded; rename, merge or delete a person."""
    from data import graders as stored

    if rename:
        stored.rename(store, stored.named(store, "person", rename[0]).id, rename[1])
    if merge:
        source, target = (stored.named(store, "person", name) for name in merge)
        stored.merge(store, source.id, target.id)
    if gone:
        grader = stored.named(store, "person", gone)
        if yes or _confirm(f"Deleting {gone} takes all grades of theirs along."):
            stored.delete(store, grader.id)
    found = [dict(row) for row in stored.counted(store)]
    lines = [f"{g['kind']} {g['name']}: {g['grades']:,} grades of {g['answers']:,}" for g in found]
    _say({"graders": found}, json_out, "\n".join(lines) or "Nobody has graded yet.")


@verb
@click.option("--set", "role", type=click.Choice(["examples", "evaluation", "sealed"]))
@click.option("--question", "ids", multiple=True, metavar="ID", help="The sheet's own question id.")
@click.option("--why", default="", help="Why, for the record.")
@as_json
def roles(store, sheet_name, role, ids, why, json_out):
    """List or set the roles of questions."""
    from data import roles as stored
    from data import sheets

    sheet = sheets.chosen(store, sheet_name)
    if role:
        own = {row["own_id"]: row["id"] for row in stored.of_sheet(store, sheet.id)}
        unknown = [question for question in ids if question not in own]
        if unknown or not ids:
            raise Problem(f"Name questions of “{sheet.name}” by their ids; unknown: {unknown}.")
        stored.assign(store, [own[question] for question in ids], role, why)
    found = [dict(row) for row in stored.of_sheet(store, sheet.id)]
    lines = [f"{row['own_id'] or row['id']}: {row['role']}" for row in found]
    _say({"questions": found}, json_out, "\n".join(lines))


if __name__ == "__main__":
    cli(prog_name="cli.py")
