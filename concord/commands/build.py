"""The command `build`."""

import sys
from pathlib import Path

import click

from concord.commands import options
from concord.commands.frame import confirm, progress_line, say_documents, tell_document, verb


@verb
@click.argument("folder", type=click.Path(), required=False)
@click.option(
    "--judge",
    "name",
    required=True,
    metavar="NAME_OR_PATH",
    help="The judge file whose model and endpoint to use.",
)
@options.model
@options.base_url
@click.option(
    "--questions",
    type=click.IntRange(1, 20),
    default=1,
    show_default=True,
    help="Maximum number of questions per document.",
)
@click.option("--minimum", type=click.IntRange(1), help="Minimum letters and digits of a document.")
@options.encoding
@options.concurrency
@options.budget
@options.estimate
@options.again
@options.yes
@options.as_json
def build(
    store, sheet_name, folder, name, model, questions, minimum, encoding, base_url, json_out, **how
):
    """Draft questions about documents.

    FOLDER contains Markdown, text, HTML or PDF files. --sheet names the sheet to build (default:
    the folder's name). Without FOLDER, the documents that the sheet has already are used. Each
    draft has a question, a reference answer and a quote that occurs word for word in its document.
    A reviewer approves each draft with the command drafts, or on Data, Build from documents, before
    any model answers it.
    """
    from concord.building import drafts
    from concord.judges.building import drafting
    from concord.judges.definition import registry
    from concord.judges.running.job import Options
    from concord.reports.workflow import building as words

    sheet, read = _read(store, sheet_name, folder, minimum, encoding)
    (judge,) = registry.with_models(store, [name], [model] if model else [], base_url)
    new = drafts.add_documents(store, sheet, read.documents)
    if folder and not json_out:
        tell_document(words.intake_summary(read, new))
    options = Options(base_url=base_url, **how)
    progress = progress_line(json_out)
    outcome = drafting.draft(store, sheet, judge, questions, options, confirm, progress)
    counts = drafts.counts(store, sheet)
    document = {
        "sheet": sheet,
        "documents": len(drafts.document_ids(store, sheet)),
        "excluded": [one._asdict() for one in read.excluded],
        "run": outcome.as_json(),
        "drafts": counts,
    }
    say_documents(document, json_out, words.built(outcome, counts))
    if outcome.failed:
        sys.exit(1)


def _read(store, sheet_name, folder, minimum, encoding):
    """Return the sheet's name and the contents of the folder, empty where none is given."""
    from concord.building import drafts
    from concord.importing.readers import documents

    if not folder:
        return drafts.chosen(store, sheet_name), documents.Reading([], [])
    name = " ".join((sheet_name or Path(folder).resolve().stem).split())
    return name, documents.read(folder, minimum or documents.MINIMUM, encoding)
