"""Common parts of all commands: the store and `--sheet`, and output."""

import functools
import json
import os
import sys
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from concord.commands import options
from concord.messages import Problem

if TYPE_CHECKING:
    from concord.reports.document import Document

BY = "command line"  # who a change is noted under that is made there
UNCHANGED = "Nothing was changed."
_LEFT_OUT, _IS_JSON = "concord.left_out", "concord.json"  # in a command's context


def verb(
    function=None, *, cls: type[click.Command] = click.Command, keeps: bool = True
) -> click.Command:
    """A verb of the function's name with `--json` that gets an open store first, and `--sheet`.

    Unless it `keeps` what it does, the store is an empty one that is gone with its end.
    """
    if function is None:
        return functools.partial(verb, cls=cls, keeps=keeps)

    @click.command(function.__name__.strip("_").replace("_", "-"), cls=cls)
    @options.text("--sheet", "sheet_name", "NAME", "The sheet, if there are several.")
    @options.flag("--json", "json_out", "Print one JSON document instead of text.")
    @click.pass_obj
    @functools.wraps(function)
    def opened(db, *args, json_out, **options):
        from concord.store.database import open_store

        click.get_current_context().meta[_IS_JSON] = json_out
        _check_text(options)
        with (
            nullcontext() if keeps else TemporaryDirectory() as folder,
            open_store(db if keeps else Path(folder, "concord.db")) as store,
        ):
            return function(store, *args, **options)

    return opened


def is_json() -> bool:
    """Return whether one JSON document is to be printed."""
    return click.get_current_context().meta[_IS_JSON]


def say(document: object, text: str, codes: bool = True) -> None:
    """Print the document as JSON (without `why_code` unless `codes`), or the text."""
    if is_json():
        from concord.reports.document import as_json as plain
        from concord.reports.document import with_codes

        document = with_codes(_naming_left_out(plain(document))) if codes else plain(document)
        plain = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
        text = json.dumps(document, ensure_ascii=plain, indent=2, allow_nan=False)
    if text:
        _print(text)


def _print(text: str, err: bool = False) -> None:
    try:
        click.echo(text, err=err)
    except BrokenPipeError:  # the reader closed the pipe, as `head` does; the work goes on
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1 + err)


def _naming_left_out(document: object) -> object:
    """Add `uncounted`, the annotators a command left out, to a result that does not name them."""
    left_out = click.get_current_context().meta.get(_LEFT_OUT)
    if left_out and isinstance(document, dict) and "uncounted" not in document:
        from concord.reports.document import as_json as plain

        document["uncounted"] = plain(left_out)
    return document


def say_documents(result: object, *documents: "Document", codes: bool = True) -> None:
    """Print a result as JSON, or its documents as text.

    JSON has their headlines and facts as `summary`; neither that nor a `why_code` unless `codes`.
    """
    from concord.reports import terminal
    from concord.reports.document import as_json

    if is_json() and codes:
        texts = [text for part in documents for text in (part.headline, *part.facts) if text]
        result = {"summary": texts} | as_json(result)
    texts = () if is_json() else map(terminal.text, documents)
    say(result, "\n\n".join(filter(None, texts)), codes)


def print_note(text: str) -> None:
    """Print a message to standard error."""
    _print(text, err=True)


def tell_document(document: "Document") -> None:
    """Print a document to standard error."""
    from concord.reports import terminal

    if text := terminal.text(document):
        print_note(text)


def warn_of(read, partial: bool) -> None:
    """Print to standard error how a file was read, with warnings."""
    from concord.text.encoding import LABELS

    codec = read.table.encoding
    if codec not in (None, "utf-8-sig"):
        print_note(f"{read.table.source.name}: Read as {LABELS[codec]}.")
    for note in read.table.skipped:
        print_note(note)
    for sentence in read.remarks():
        print_note(f"{read.table.source.name}: {sentence}")
    if partial:
        from concord.importing.faults import faults

        for sentence in faults(read.bad_rows):
            print_note(sentence)


def write_new(path: Path, text: str) -> None:
    """Write a file that is not there yet, and its folder; a Problem where that cannot be done."""
    from concord.messages import system_fault

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise Problem(
            "{file} cannot be written: {error}.", file=path, error=system_fault(error)
        ) from None


def progress_line():
    """Write the progress of a run on one line of standard error, for a reader."""
    if is_json() or not sys.stderr.isatty():
        return lambda sentence: None
    return lambda sentence: click.echo(f"\r\033[K{sentence}", nl=False, err=True)


def confirm(sentence: str) -> bool:
    """Ask for confirmation at a terminal; a Problem without one."""
    if not at_a_terminal():
        raise Problem("{asked} Add --yes to go ahead without a terminal.", asked=sentence)
    return click.confirm(sentence, err=True)


def at_a_terminal() -> bool:
    """True where a person can be asked."""
    return sys.stdin.isatty()


def sheet_of(store, sheet_name):
    """Return the sheet of the option; a note says how many of its answers are synthetic."""
    from concord.store import sheets

    sheet = sheets.chosen(store, sheet_name)
    if sheet.synthetic:
        print_note(f"{sheet.name}: {sheet.synthetic_words()}.")
    return sheet


def rubric_of(store, sheet, rubric, of_answers=False):
    """Return id and content of the rubric in the options, else the annotators', which a note says.

    With `of_answers` a rubric of units is a Problem.
    """
    from concord.reports.panel import wording
    from concord.store.rubrics import rubric_versions

    rubric_id, chosen = rubric_versions.of_sheet(store, sheet, rubric, of_answers)
    if of_answers:
        wording.of_answers(chosen)
    if not rubric:
        print_note(f"{sheet.name}: graded under rubric {chosen.name}.")
    return rubric_id, chosen


def panel_of(store, sheet_name, rubric, annotators, of_answers=False):
    """Return the panel of the sheet and rubric in the options, as in `rubric_of`.

    It names the annotators that the panel leaves out.
    """
    panel = read_panel(store, sheet_name, rubric, annotators, of_answers)
    name_left_out(panel.not_included)
    return panel


def read_panel(store, sheet_name, rubric, annotators, of_answers=False):
    """Return what `panel_of` does, without naming anyone."""
    from concord.reports.panel.panel import read

    sheet = sheet_of(store, sheet_name)
    _, chosen = rubric_of(store, sheet, rubric, of_answers)
    return read(store, sheet, chosen, annotators or None)


def name_left_out(left_out):
    """Name the annotators a command leaves out, in a note and in its JSON."""
    from concord.reports.panel.panel import without_note

    click.get_current_context().meta[_LEFT_OUT] = left_out
    if note := without_note(left_out):
        print_note(note)


def signed(by: str | None) -> str:
    """Return the name that a review or tag is stored with; a Problem without one."""
    if not by:
        raise Problem("A review has a name: add --by NAME.")
    return by


def _check_text(options: dict) -> None:
    """Reject invalid text; only file names may be arbitrary bytes."""
    for name, value in options.items():
        words = value if isinstance(value, tuple) else (value,)
        for word in words if name not in _PATHS else ():
            if isinstance(word, str) and _repaired(word) != word:
                raise Problem("“{word}” is not text in UTF-8. Correct it.", word=_repaired(word))


def _repaired(word: str) -> str:
    return word.encode(errors="surrogateescape").decode(errors="replace")


_PATHS = ("files", "file", "folder", "names", "path")
