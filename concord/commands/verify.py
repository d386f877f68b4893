"""The command `verify`."""

import sys

import click

from concord.commands import options
from concord.commands.frame import say_documents, verb
from concord.messages import Problem


@verb
@click.argument("file", metavar="CERTIFICATE.json")
@options.text("--from", "folder", "DIR", "Folder.", required=True)
def verify(store, sheet_name, file, folder):
    """Recompute a certificate from an export.

    Exit 1 if any figure differs.
    """
    from concord.reports.certificate import certification
    from concord.reports.certificate.certificate import load

    certificate = load(file)
    if sheet_name not in (None, certificate.sheet.name):
        raise Problem("It is of sheet “{name}”. Leave --sheet out.", name=certificate.sheet.name)
    found = certification.verify(certificate, folder)
    say_documents(found, certification.verification_document(found))
    if not found["holds"]:
        sys.exit(1)
