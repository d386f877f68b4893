"""The command `answers`."""

import click

from concord.commands import options
from concord.commands.frame import say_documents, sheet_of, verb
from concord.messages import Problem

GRADED = ("annotated", "unannotated", "judged", "unjudged", "gold")
MOST = 10**9


@verb
@options.text("--search", "TEXT", options.ONLY, default="")
@options.text("--model", "NAME", options.ONLY, default="")
@options.text("--graded", click.Choice(GRADED), options.ONLY)
@options.many(
    "--where", "COLUMN=VALUE", "Only this value of a column; nothing after = means missing."
)
@options.text("--sort", "ORDER", "file, question, model, length or column:NAME.", default="file")
@options.flag("--descending", "Reverse.")
@options.text("--limit", click.IntRange(1, MOST), "How many to list.", default=50)
@options.text("--offset", click.IntRange(0, MOST), "Skip.", default=0)
def answers(store, sheet_name, search, model, graded, where, sort, descending, limit, offset):
    """Search the answers of a sheet: question, answer and own ids.

    Filters and order are applied to all rows; only the listed ones are read. No grades are shown.
    """
    from concord.reports import lists
    from concord.store import answer_search

    sheet = sheet_of(store, sheet_name)
    wanted = answer_search.AnswerFilter(
        search, model, graded or "", tuple(map(_pair, where)), sort, descending
    )
    named = [column for column, _ in wanted.where]
    if sort.startswith(answer_search.COLUMN):
        named.append(sort.removeprefix(answer_search.COLUMN))
    for column in {*named} - {*(answer_search.columns(store, sheet.id) if named else ())}:
        raise Problem("There is no column “{column}”. Correct the name.", column=column)
    found = answer_search.find(store, sheet.id, wanted, limit, offset)
    document = {"sheet": sheet.name, **found._asdict()}
    say_documents(document, lists.answers(found))


def _pair(given: str) -> tuple[str, str]:
    column, equals, value = given.partition("=")
    if not equals or not column:
        raise Problem("“{given}” is not of the form COLUMN=VALUE.", given=given)
    return column, value
