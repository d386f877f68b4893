"""The command `build`."""

import sys
from pathlib import Path

import click

from concord.commands import options
from concord.commands.frame import (
    confirm,
    is_json,
    progress_line,
    say_documents,
    tell_document,
    verb,
)
from concord.messages import Problem

EDITED = ("question", "reference", "quote")
EDITS = "Approve one with this text."


@verb
@click.argument("folder", type=click.Path(), required=False)
@options.many("--judge", "names", "JUDGE", "The judge file whose model is asked.")
@options.many("--model", "models", "MODEL", "Ask this model instead.")
@options.base_url
@options.text(
    "--per-document", click.IntRange(1, 20), "Maximum number of questions per document.", default=1
)
@options.many("--approve", int, "Draft.")
@options.many("--reject", int, "Draft.")
@options.text("--question", str, EDITS)
@options.text("--reference", str, EDITS)
@options.text("--quote", str, EDITS)
@options.by
@options.why
@options.text("--state", click.Choice(["waiting", "approved", "rejected", "faulty"]), options.ONLY)
@options.flag("--answer", "Have the models answer the questions.")
@options.text("--questions", "file", click.Path(), "Have them answer those of this file.")
@options.mapping
@options.encoding
@options.worksheet
@options.concurrency
@options.budget
@options.estimate
@options.again
@options.yes
def build(store, sheet_name, folder, names, models, answer, file, **given):
    """Build a sheet: documents, drafted questions, a review, answers by models.

    With FOLDER (Markdown, text, HTML or PDF files) and --judge, a model drafts questions about the
    documents, each with a reference answer and a quote that occurs word for word there. Without
    --judge, the drafts are listed; --approve and --reject decide on them by number. With --answer,
    models answer the approved drafts, or else the questions of the sheet; with --questions, those
    of a file. --sheet names the sheet (default: the folder's or file's name).
    """
    from concord.judges.run.job import Options

    reading = {key: given.pop(key) for key in ("mapped", "encoding", "worksheet")}
    review = {key: given.pop(key) for key in ("approve", "reject", "by", "why", "state")}
    edited = {key: text for key in EDITED if (text := given.pop(key)) is not None}
    per_document = given.pop("per_document")
    if not names:
        if folder or answer or file:
            raise Problem("Name the judge file whose model is asked: --judge JUDGE.")
        _review(store, sheet_name, edited, **review)
        return
    how = Options(**given)
    asked = names, models, how, progress_line()
    if answer or file:
        document, shown, failed = _answer(store, sheet_name, file, reading, *asked)
    else:
        read = sheet_name, folder, reading["encoding"]
        document, shown, failed = _draft(store, *read, per_document, *asked)
    say_documents(document, shown)
    if failed:
        sys.exit(1)


def _draft(store, sheet, folder, encoding, per_document, names, models, how, progress):
    """Have a model draft questions about the documents; the result, its document, if any failed."""
    from concord.building import drafts
    from concord.importing.readers import documents
    from concord.judges.building import drafting
    from concord.judges.definition import registry
    from concord.reports.workflow import building

    if len(names) > 1 or len(models) > 1:
        raise Problem("Name one --judge and one --model to draft.")
    read = documents.Reading([], [])
    if folder:
        sheet = " ".join((sheet or Path(folder).resolve().stem).split())
        read = documents.read(folder, documents.MINIMUM, encoding)
    else:
        sheet = drafts.chosen(store, sheet)
    (judge,) = registry.with_models(store, names, models, how.base_url)
    new = drafts.add_documents(store, sheet, read.documents)
    if folder and not is_json():
        tell_document(building.intake_summary(read, new))
    outcome = drafting.draft(store, sheet, judge, per_document, how, confirm, progress)
    counts = drafts.counts(store, sheet)
    document = {
        "sheet": sheet,
        "documents": len(drafts.document_ids(store, sheet)),
        "excluded": [one._asdict() for one in read.excluded],
        "run": outcome.as_json("model"),
        "drafts": counts,
    }
    return document, building.built(outcome, counts), outcome.failed


def _review(store, sheet_name, edited, approve, reject, by, why, state):
    """List the drafts of a sheet, after the decisions on some."""
    from concord.building import drafts
    from concord.reports.workflow import building

    sheet = drafts.chosen(store, sheet_name)
    if edited and (len(approve) != 1 or reject):
        raise Problem("Editing takes exactly one --approve NUMBER, and no --reject.")
    with store.write():
        for number in (*approve, *reject):
            draft = drafts.get(store, number)
            if draft.sheet_name != sheet:
                raise Problem("Draft {n} is of another sheet. Name it with --sheet.", n=number)
            if number in approve:
                drafts.approve(store, number, by or "", draft.words._replace(**edited))
            else:
                drafts.reject(store, number, by or "", why)
    found, counts = drafts.of_sheet(store, sheet, state), drafts.counts(store, sheet)
    document = {"sheet": sheet, "counts": counts, "drafts": [building.drafted(d) for d in found]}
    say_documents(document, building.listed(sheet, counts, found))


def _answer(store, sheet_name, file, reading, names, models, how, progress):
    """Have models answer questions; the result, its document, and whether a request failed."""
    from concord.judges.building import answering
    from concord.judges.definition import registry
    from concord.reports.workflow import building

    sheet, questions = _questions(store, sheet_name, file, reading)
    judges = registry.with_models(store, names, models, how.base_url)
    by_model = {judge.model: judge for judge in judges}
    asked = questions, how, confirm, progress
    done = [answering.answer(store, sheet, judge, *asked) for judge in by_model.values()]
    runs = [one.outcome.as_json("model") | {"added": one.added, "there": one.there} for one in done]
    document = {
        "sheet": sheet,
        "questions": len(questions),
        "synthetic": sum(question.synthetic for question in questions),
        "runs": runs,
    }
    shown = building.answered(sheet, questions, done)
    return document, shown, any(one.outcome.failed for one in done)


def _questions(store, sheet_name, file, reading):
    """The sheet's name and the questions to answer."""
    from concord.building import drafts, open_questions
    from concord.store import sheets

    if file:
        name = " ".join((sheet_name or Path(file).stem).split())
        found = open_questions.of_file(file, **reading)
        open_questions.add(store, name, found, Path(file).name)
        return name, found
    if sheet_name not in sheets.being_built(store) and sheets.all_sheets(store):
        name = sheets.chosen(store, sheet_name).name
    else:
        name = drafts.chosen(store, sheet_name)
    found = open_questions.answerable_questions(store, name)
    if not found:
        raise Problem("No draft for “{name}” is approved yet. Use --approve.", name=name)
    return name, found
