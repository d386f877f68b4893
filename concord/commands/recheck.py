"""The command `recheck`."""

import sys

import click

from concord.commands import options
from concord.commands.frame import confirm, say_documents, verb
from concord.messages import Problem


@verb
@click.argument("file", metavar="CERTIFICATE.json")
@options.text("--repeat", "replies", click.IntRange(2, 8), "New replies to each answer.", default=3)
@options.concurrency
@options.budget
@options.estimate
@options.yes
def recheck(store, sheet_name, file, replies, **options):
    """Ask a certified judge about 30 answers again; exit 1 if its scores changed.

    The exit code is also 1 if the result is inconclusive.
    """
    from concord.judges.run.job import Options
    from concord.reports.certificate import certificate_status as rechecks
    from concord.reports.certificate.certificate import load

    certificate = load(file)
    if sheet_name not in (None, certificate.sheet.name):
        raise Problem("It is of sheet “{name}”. Leave --sheet out.", name=certificate.sheet.name)
    found = rechecks.recheck(store, certificate, Options(**options), confirm, replies)
    say_documents(found, rechecks.document(found))
    if found.verdict not in ("renewed", "estimated"):
        sys.exit(1)
