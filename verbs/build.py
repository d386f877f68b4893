"""The verb `build`."""

import sys
from pathlib import Path

import click

from verbs.frame import (
    as_json,
    confirm,
    encoding_option,
    progress_line,
    say,
    tell,
    verb,
    yes_option,
)

base_url_option = click.option("--base-url", help="Another endpoint than the judge file says.")
concurrency_option = click.option(
    "--concurrency", type=click.IntRange(1), default=16, show_default=True
)
budget_option = click.option(
    "--budget", type=click.FloatRange(0), metavar="USD", help="Stop before this is spent."
)
estimate_option = click.option(
    "--estimate", "only_estimate", is_flag=True, help="Say what it would take and stop."
)
again_option = click.option(
    "--again", is_flag=True, help="Ask anew what got no usable reply before."
)


@verb
@click.argument("folder", type=click.Path(), required=False)
@click.option(
    "--judge", "name", required=True, metavar="NAME_OR_PATH", help="Whose model and endpoint."
)
@click.option("--model", help="Another model than the judge file says.")
@base_url_option
@click.option("--questions", type=click.IntRange(1, 20), default=1, show_default=True)
@click.option("--minimum", type=click.IntRange(1), help="The fewest letters of a document.")
@encoding_option
@concurrency_option
@budget_option
@estimate_option
@again_option
@yes_option
@as_json
def build(
    store, sheet_name, folder, name, model, questions, minimum, encoding, base_url, json_out, **how
):
    """Draft questions about the documents of a folder: Markdown, text, HTML, PDF.

    --sheet names the sheet that is being built (default: the folder's name); without FOLDER, the
    documents it has already are asked about. Each draft has a question, a reference answer and a
    quote that stands word for word in its document. A person approves each with the verb drafts,
    or on the screen Build, before anyone is asked.
    """
    from data import drafts
    from judges import asking
    from judges import build as building
    from reports import building as words

    sheet, read = _read(store, sheet_name, folder, minimum, encoding)
    (judge,) = asking.models(store, [name], [model] if model else [], base_url)
    tell(words.reading(read)) if folder and not json_out else None
    drafts.add_documents(store, sheet, read.documents)
    options = asking.Options(base_url=base_url, **how)
    progress = progress_line(json_out)
    outcome = building.draft(store, sheet, judge, questions, options, confirm, progress)
    counts = drafts.counts(store, sheet)
    document = {
        "sheet": sheet,
        "documents": len(drafts.document_ids(store, sheet)),
        "passed_over": [one._asdict() for one in read.passed_over],
        "run": outcome._asdict(),
        "drafts": counts,
    }
    say(document, json_out, words.built(outcome, counts))
    if outcome.failed:
        sys.exit(1)


def _read(store, sheet_name, folder, minimum, encoding):
    """The sheet's name and what the folder holds, which is nothing new where none is named."""
    from data import documents, drafts

    if not folder:
        return drafts.chosen(store, sheet_name), documents.Reading([], [])
    name = " ".join((sheet_name or Path(folder).resolve().stem).split())
    return name, documents.read(folder, minimum or documents.MINIMUM, encoding)
