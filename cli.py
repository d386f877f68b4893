"""Concord on the command line: the same jobs as the app, for scripts and for large files.

`python cli.py [--db FILE] VERB ...`. Text for people by default; `--json` prints one JSON document
and nothing else. Exit codes: 0 done; 1 a gate or check did not hold, or a run left items failed;
2 the user can put it right; 130 interrupted. Each verb imports what it needs, so that the help
comes at once.
"""

import functools
import json
import math
import os
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
            _tell(str(problem))
            ctx.exit(2)
        except (KeyboardInterrupt, click.Abort):
            _tell("Interrupted. What was saved stays; repeat the command to go on.")
            ctx.exit(130)


class _Share(click.FloatRange):
    """A number from 0 to 1."""

    def __init__(self):
        super().__init__(0, 1)

    def convert(self, value, param, ctx):
        number = super().convert(value, param, ctx)
        return self.fail(f"{value} is not a share.", param, ctx) if math.isnan(number) else number


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

        _check_text(options)
        with open_store(db) as store:
            return function(store, *args, **options)

    return opened


def _check_text(options: dict) -> None:
    """Refuse what is no text; only the names of files may be any bytes."""
    for name, value in options.items():
        words = value if isinstance(value, tuple) else (value,)
        for word in words if name not in _PATHS else ():
            if isinstance(word, str) and _repaired(word) != word:
                raise Problem(f"“{_repaired(word)}” is not text in UTF-8. Correct it there.")


def _repaired(word: str) -> str:
    return word.encode(errors="surrogateescape").decode(errors="replace")


_PATHS = ("files", "file", "folder", "names")
as_json = click.option("--json", "json_out", is_flag=True, help="Print one JSON document.")
rubric_option = click.option("--rubric", metavar="R", help="A rubric's name, or its .toml file.")
people_option = click.option(
    "--people", multiple=True, metavar="NAME", help="Who counts as people; may be repeated."
)
map_option = click.option(
    "--map", "said", multiple=True, metavar="FIELD=COLUMN", help="Say which column a field is."
)
encoding_option = click.option("--encoding", help="The encoding, where the guess is wrong.")
worksheet_option = click.option("--worksheet", help="The worksheet of an XLSX file.")
partial_option = click.option(
    "--partial", is_flag=True, help="Import the good rows without the bad ones."
)
yes_option = click.option("--yes", is_flag=True, help="Do not ask.")


def _say(document: object, json_out: bool, text: str) -> None:
    """Print the JSON document, or the text where there is any."""
    if json_out:
        plain = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
        text = json.dumps(document, ensure_ascii=plain, indent=2, allow_nan=False)
    if not text:
        return
    try:
        click.echo(text)
    except BrokenPipeError:  # whoever read the output has heard enough; the work goes on
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _tell(text: str) -> None:
    """Say something beside the output, on standard error."""
    try:
        click.echo(text, err=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


@verb
@click.option("--again", is_flag=True, help="Load it even if it was removed before.")
@as_json
def demo(store, sheet_name, again, json_out):
    """Load the bundled sample and run the baseline over it."""
    from data.samples.load import NAME
    from judges.demo import demo as load

    if sheet_name not in (None, NAME):
        raise Problem(f"The sample is always called “{NAME}”. Leave --sheet out.")
    said = load(store, again)
    _say({"sheet": NAME, "said": said}, json_out, said)


@verb
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@map_option
@rubric_option
@encoding_option
@worksheet_option
@partial_option
@as_json
def import_(store, sheet_name, files, said, rubric, encoding, worksheet, partial, json_out):
    """Import answer sheets: csv, tsv, jsonl, json, parquet, xlsx.

    --sheet names the new sheet (default: the file's name); a sheet of that name takes in what is
    new. --map FIELD=COLUMN names a column; --map answer:MODEL=COLUMN takes an answering model from
    a column of its own; --map score:person:GRADER:CRITERION=COLUMN (or score:judge:...) takes
    grades from the sheet, with --rubric. All files are imported, or none.
    """
    from data import intake, rubric_versions
    from data import sheet as answers

    chosen = rubric_versions.argument(store, rubric)[1] if rubric else None
    reading = {"said": said, "rubric": chosen, "encoding": encoding, "worksheet": worksheet}
    read = [answers.load(file, **reading) for file in files]
    named = [(intake.sheet_name(sheet_name, found), found) for found in read]
    for found in read:
        _warn_of(found, partial)
    with store.write():
        done = [(name, intake.take_sheet(store, f, name, chosen, partial)) for name, f in named]
    document = {"sheets": [{"sheet": name, **taken.as_json()} for name, taken in done]}
    _say(document, json_out, "\n".join(taken.sentence(name) for name, taken in done))


@verb
@click.argument("file")
@rubric_option
@map_option
@encoding_option
@worksheet_option
@partial_option
@click.option("--on-conflict", type=click.Choice(["keep", "replace"]), help="Where grades differ.")
@as_json
def grades(store, sheet_name, file, rubric, said, encoding, worksheet, partial, **more):
    """Import grades made elsewhere, one row per grade.

    Without --rubric they are taken under the rubric the sheet is graded under, else under the only
    rubric that has the file's criteria; where several have them, you are asked for one.
    """
    from data import contents, gradesheet, intake, rubric_versions, sheets
    from data.files.columns import GRADE_FIELDS, column_map
    from data.files.formats import open_table
    from data.sheet_rubric import of_file

    sheet = sheets.chosen(store, sheet_name)
    chosen = rubric_versions.argument(store, rubric)[1] if rubric else None
    table = open_table(file, encoding=encoding, worksheet=worksheet)
    columns = column_map(table.columns, said, GRADE_FIELDS)
    if chosen is None:
        chosen = of_file(store, sheet, table, columns)
        _tell(f"The grades are taken under rubric {chosen.name}.")
    read = gradesheet.read(table, columns, chosen, contents.item_keys(store, sheet.id))
    _warn_of(read, partial)
    taken = intake.take_grades(store, sheet, read, chosen, partial, more["on_conflict"])
    document = {"sheet": sheet.name, "rubric": chosen.name, **taken.as_json()}
    _say(document, more["json_out"], taken.sentence(sheet.name))


def _warn_of(read, partial: bool) -> None:
    """Say on standard error how a file was read and what is odd about it."""
    guess = read.table.encoding
    if guess is not None and (guess.rivals or guess.chosen or guess.encoding != "utf-8-sig"):
        _tell(f"{read.table.source.name}: {guess.sentence()}")
    for flag in getattr(read, "flags", ()):
        _tell(f"{read.table.source.name}: {flag.sentence}")
    for warning in read.warnings() if partial else ():
        _tell(warning)


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
@yes_option
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


@verb
@click.argument("names", nargs=-1, required=True, metavar="NAME_OR_PATH...")
@click.option("--model", help="Another model than the judge file says.")
@click.option("--base-url", help="Another endpoint than the judge file says.")
@rubric_option
@as_json
def check(store, sheet_name, names, model, base_url, rubric, json_out):
    """Ask each judge once about a built-in answer, and say what works and what to change."""
    from judges import check as checking

    asked = [checking.named(store, name, model, base_url, rubric, sheet_name) for name in names]
    done = [checking.send(one) for one in asked]
    _say({"checks": [report.as_json() for report in done]}, json_out, _lines(done))
    if not all(report.holds for report in done):
        sys.exit(1)


def _confirm(sentence: str) -> bool:
    """Ask a person at a terminal; a Problem where there is none."""
    if not _at_a_terminal():
        raise Problem(f"{sentence} Add --yes to go ahead without a terminal.")
    return click.confirm(f"{sentence} Go ahead?", err=True)


def _at_a_terminal() -> bool:
    return sys.stdin.isatty()


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
    whole = [] if json_out else [row for row in found["rows"] if not row["answer_model"]]
    said = "\n".join(map(sentence.of_row, whole))
    _say(found, json_out, f"{text.agreement(found['rows'])}\n\n{said}" if said else text.NO_JUDGE)


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
@click.option("--judge", "name", required=True, metavar="J", help="The judge, a grader's name.")
@click.option("--exact", type=_Share(), metavar="X", help="The least share of exact agreement.")
@click.option("--within-one", type=_Share(), metavar="Y", help="... of agreement within one point.")
@click.option("--caught", type=_Share(), metavar="Z", help="... of failing answers it fails too.")
@click.option("--criterion", metavar="C", help="Only this criterion; every one otherwise.")
@rubric_option
@people_option
@as_json
def gate(store, sheet_name, name, criterion, rubric, people, json_out, **wanted):
    """Exit 1 unless the lower limit of every criterion clears; what is undefined does not."""
    from reports import gate as report

    wanted = {figure: least for figure, least in wanted.items() if least is not None}
    report.check_wanted(wanted)
    panel = _panel(store, sheet_name, rubric, people)
    found = report.gate(panel, report.judge_of(store, panel, name), wanted, criterion)
    _say(found, json_out, "\n".join(check["sentence"] for check in found["checks"]))
    if not found["holds"]:
        sys.exit(1)


def _panel(store, sheet_name, rubric, people):
    from data import rubric_versions, sheet_rubric, sheets
    from reports import panel

    sheet = sheets.chosen(store, sheet_name)
    named = rubric_versions.argument(store, rubric)[1] if rubric else None
    return panel.read(store, sheet, named or sheet_rubric.of_sheet(store, sheet), people or None)


@verb
@click.argument("folder", metavar="DIR")
@as_json
def export(store, sheet_name, folder, json_out):
    """Write every table as CSV and Parquet, every rubric as TOML, and the report as JSON.

    --sheet restricts it to what belongs to one sheet.
    """
    from data import export as tables
    from data import sheets
    from reports import export as report

    only = sheets.chosen(store, sheet_name) if sheet_name else None
    files = tables.export(store, folder, only)
    files += report.write(store, Path(folder), [only] if only else sheets.all_sheets(store))
    _say({"files": [str(file) for file in files]}, json_out, f"{len(files)} files in {folder}.")


@verb
@click.argument("file")
@as_json
def backup(store, sheet_name, file, json_out):
    """Copy the whole database into a new file, also while others are at work."""
    from data import sheets

    if sheet_name and sheets.chosen(store, sheet_name):
        _tell("A backup holds every sheet.")
    store.backup(file)
    _say({"file": file}, json_out, f"The database is copied to {file}.")


@verb
@click.option("--delete", "gone", metavar="NAME", help="Delete a sheet with all its grades.")
@yes_option
@as_json
def sheets(store, sheet_name, gone, yes, json_out):
    """List the sheets, or delete one."""
    from data import sheets as stored
    from reports import lists

    if gone:
        sheet = stored.chosen(store, gone)
        going = stored.would_go(store, sheet)
        said = ", ".join(f"{count:,} {noun}" for noun, count in going.items())
        if not (yes or _confirm(f"Deleting “{gone}” takes along {said}.")):
            return _say({"deleted": None}, json_out, "Nothing was deleted.")
        stored.delete(store, sheet)
        return _say({"deleted": gone, "went": going}, json_out, f"“{gone}” is deleted: {said}.")
    found = [stored.chosen(store, sheet_name)] if sheet_name else stored.all_sheets(store)
    _say({"sheets": [sheet._asdict() for sheet in found]}, json_out, lists.sheets(found))


@verb
@as_json
def rubrics(store, sheet_name, json_out):
    """List the rubrics; with --sheet, those the sheet is graded under."""
    from data import rubric_versions
    from data import sheets as stored
    from reports import lists

    sheet = stored.chosen(store, sheet_name) if sheet_name else None
    names = rubric_versions.graded(store, sheet.id) if sheet else rubric_versions.names(store)
    found = [rubric_versions.named(store, name)[1] for name in names]
    document = {"rubrics": [json.loads(rubric.body()) for rubric in found]}
    _say(document, json_out, lists.rubrics(found))


@verb
@as_json
def judges(store, sheet_name, json_out):
    """List the judges that ship and those that have graded; with --sheet, that sheet."""
    from judges.model import presets
    from reports import lists

    shipped = list(presets().values())
    used = [grader for grader in _graders(store, sheet_name) if grader["kind"] != "person"]
    document = {
        "presets": [judge.model_dump(mode="json", exclude_none=True) for judge in shipped],
        "used": used,
    }
    _say(document, json_out, lists.judges(shipped, used))


@verb
@click.option("--rename", nargs=2, metavar="OLD NEW", help="Give a person another name.")
@click.option("--merge", nargs=2, metavar="FROM INTO", help="Let one person's grades be another's.")
@click.option("--delete", "gone", metavar="NAME", help="Delete a person with all grades.")
@yes_option
@as_json
def graders(store, sheet_name, rename, merge, gone, yes, json_out):
    """List who has graded; rename, merge or delete a person."""
    from data import graders as stored
    from reports import lists

    if rename:
        stored.rename(store, stored.named(store, "person", rename[0]).id, rename[1])
    if merge:
        source, target = (stored.named(store, "person", name) for name in merge)
        stored.merge(store, source.id, target.id)
    if gone:
        grader = stored.named(store, "person", gone)
        if yes or _confirm(f"Deleting {gone} takes all grades of theirs along."):
            stored.delete(store, grader.id)
    found = _graders(store, sheet_name)
    _say({"graders": found}, json_out, lists.graders(found))


def _graders(store, sheet_name) -> list[dict]:
    """Everyone who graded, or who graded a sheet, with counts."""
    from data import graders as stored
    from data import sheets

    sheet = sheets.chosen(store, sheet_name) if sheet_name else None
    return [dict(row) for row in stored.counted(store, sheet.id if sheet else None)]


@verb
@click.option("--set", "role", type=click.Choice(["examples", "evaluation", "sealed"]))
@click.option(
    "--question", "ids", multiple=True, metavar="ID", help="A question's id; may be repeated."
)
@click.option("--why", default="", help="Why, for the record.")
@as_json
def roles(store, sheet_name, role, ids, why, json_out):
    """List the roles of questions, or --set the role of some.

    A question goes by the sheet's own id, or where it has none by the number that the list shows.
    """
    from data import roles as stored
    from data import sheets
    from reports import lists

    sheet = sheets.chosen(store, sheet_name)
    if bool(role) != bool(ids):
        raise Problem("Setting a role takes both: --set ROLE, and --question ID for each question.")
    if role:
        stored.assign(store, stored.questions_named(store, sheet, ids), role, why)
    found = [dict(row) for row in stored.of_sheet(store, sheet.id)]
    _say({"sheet": sheet.name, "questions": found}, json_out, lists.roles(found))


def main() -> None:
    """Run the command line; letters the terminal cannot show are spelled out."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")
    cli(prog_name="cli.py")


if __name__ == "__main__":
    main()
