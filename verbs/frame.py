"""What all verbs share: the store and `--sheet`, common options, and how a verb says its result."""

import functools
import json
import math
import os
import sys

import click

from problems import Problem

BY = "command line"  # who a change is noted under that is made there


class Share(click.FloatRange):
    """A number from 0 to 1."""

    def __init__(self):
        super().__init__(0, 1)

    def convert(self, value, param, ctx):
        """The number; nan is none."""
        number = super().convert(value, param, ctx)
        return self.fail(f"{value} is not a share.", param, ctx) if math.isnan(number) else number


def verb(function) -> click.Command:
    """A verb of the function's name that gets an open store first, and `--sheet`."""

    @click.command(function.__name__.strip("_"))
    @click.option("--sheet", "sheet_name", metavar="NAME", help="The sheet, if there are several.")
    @click.pass_obj
    @functools.wraps(function)
    def opened(db, *args, **options):
        from data.store import open_store

        _check_text(options)
        with open_store(db) as store:
            return function(store, *args, **options)

    return opened


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


def say(document: object, json_out: bool, text: str) -> None:
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


def tell(text: str) -> None:
    """Say something beside the output, on standard error."""
    try:
        click.echo(text, err=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def progress_line(json_out: bool):
    """Writes the progress of a run on one line of standard error, for people."""
    if json_out or not sys.stderr.isatty():
        return lambda sentence: None
    return lambda sentence: click.echo(f"\r\033[K{sentence}", nl=False, err=True)


def confirm(sentence: str) -> bool:
    """Ask a person at a terminal; a Problem where there is none."""
    if not _at_a_terminal():
        raise Problem(f"{sentence} Add --yes to go ahead without a terminal.")
    return click.confirm(f"{sentence} Go ahead?", err=True)


def _at_a_terminal() -> bool:
    return sys.stdin.isatty()


def lines(things) -> str:
    """Each thing's sentence on a line of its own."""
    return "\n".join(thing.sentence() for thing in things)


def sheet_of(store, sheet_name):
    """The sheet that the option names; how many of its answers are synthetic is said beside it."""
    from data import sheets

    sheet = sheets.chosen(store, sheet_name)
    if sheet.synthetic:
        tell(f"{sheet.name}: {sheet.synthetic_words()}.")
    return sheet


def panel_of(store, sheet_name, rubric, people, of_answers=""):
    """The panel of the sheet and rubric that the options name.

    `of_answers` begins the sentence that refuses a rubric of units, where whole answers are meant.
    """
    from data import rubric_versions, sheet_rubric
    from reports import panel_reading, whole_answers

    sheet = sheet_of(store, sheet_name)
    named = rubric_versions.argument(store, rubric)[1] if rubric else None
    chosen = named or sheet_rubric.of_sheet(store, sheet)
    if of_answers:
        whole_answers.of_answers(chosen, of_answers)
    return panel_reading.read(store, sheet, chosen, people or None)


def names_of(ctx, param, value: str | None) -> tuple[str, ...]:
    """The names in a list with commas; none where nothing is said."""
    return tuple(name.strip() for name in (value or "").split(",") if name.strip())


def _check_text(options: dict) -> None:
    """Refuse what is no text; only the names of files may be any bytes."""
    for name, value in options.items():
        words = value if isinstance(value, tuple) else (value,)
        for word in words if name not in _PATHS else ():
            if isinstance(word, str) and _repaired(word) != word:
                raise Problem(f"“{_repaired(word)}” is not text in UTF-8. Correct it there.")


def _repaired(word: str) -> str:
    return word.encode(errors="surrogateescape").decode(errors="replace")


_PATHS = ("files", "file", "folder", "names", "path", "qrels", "run")
