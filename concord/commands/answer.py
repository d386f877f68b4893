"""The command `answer`."""

import sys

import click

from concord.commands import options
from concord.commands.frame import confirm, progress_line, say_documents, verb
from concord.messages import Problem


@verb
@click.argument("names", nargs=-1, required=True, metavar="JUDGE...")
@click.option("--model", "models", multiple=True, help="An answering model; repeatable.")
@click.option("--file", type=click.Path(), help="A file of questions with their contexts.")
@options.mapping
@options.encoding
@options.worksheet
@options.base_url
@options.concurrency
@options.budget
@options.estimate
@options.again
@options.yes
@options.as_json
def answer(store, sheet_name, names, models, file, json_out, base_url, **options):
    """Have models answer questions from their contexts.

    JUDGE names judge files, whose model, settings and endpoint are used; --model uses other models
    with the same settings. The questions are those of --file, which are stored for the sheet.
    Without --file, they are the questions stored before and the approved drafts, or else the
    questions of the sheet. The answers are added to the sheet.
    """
    from concord.judges.building import answering
    from concord.judges.definition import registry
    from concord.judges.running.job import Options
    from concord.reports.workflow import building as words

    reading = {key: options.pop(key) for key in ("mapped", "encoding", "worksheet")}
    sheet, questions = _questions(store, sheet_name, file, reading)
    judges = registry.with_models(store, names, models, base_url)
    named = [judge.model for judge in judges]
    if len(set(named)) < len(named):
        raise Problem(
            "A model is named twice, and a sheet tells answers apart by it. Name it once."
        )
    how = Options(base_url=base_url, **options)
    progress = progress_line(json_out)
    done = [
        answering.answer(store, sheet, judge, questions, how, confirm, progress) for judge in judges
    ]
    document = {
        "sheet": sheet,
        "questions": len(questions),
        "synthetic": sum(question.synthetic for question in questions),
        "runs": [{**one.outcome.as_json(), "added": one.added, "there": one.there} for one in done],
    }
    say_documents(document, json_out, words.answered(sheet, questions, done))
    if any(one.outcome.failed for one in done):
        sys.exit(1)


def _questions(store, sheet_name, file, reading):
    """The sheet's name and the questions to answer."""
    from pathlib import Path

    from concord.building import drafts, open_questions, question_source
    from concord.store import sheets

    if file:
        name = " ".join((sheet_name or Path(file).stem).split())
        found = question_source.of_file(file, **reading)
        open_questions.add(store, name, found, Path(file).name)
        return name, found
    if sheet_name not in sheets.being_built(store) and sheets.all_sheets(store):
        name = sheets.chosen(store, sheet_name).name
    else:
        name = drafts.chosen(store, sheet_name)
    found = open_questions.answerable_questions(store, name)
    if not found:
        raise Problem(f"No draft for “{name}” is approved yet. Approve some with drafts.")
    return name, found
