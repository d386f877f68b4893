"""The verb `recheck`."""

import sys

import click

from verbs.frame import as_json, confirm, say, tell, verb, yes_option


@verb
@click.argument("file", metavar="CERTIFICATE.json")
@click.option(
    "--repeat",
    "replies",
    type=click.IntRange(1, 8),
    help="Replies to each anchor (as many as were certified).",
)
@click.option("--concurrency", type=click.IntRange(1), default=16, show_default=True)
@click.option(
    "--budget", type=click.FloatRange(0), metavar="USD", help="Stop before this is spent."
)
@click.option("--estimate", "only_estimate", is_flag=True, help="Say what it would take and stop.")
@yes_option
@as_json
def recheck(store, sheet_name, file, replies, json_out, **options):
    """Ask a certificate's anchors again; exit 1 unless the judge still scores alike."""
    from judges.session import Options
    from reports import rechecking, verification

    body = verification.load(file)
    if sheet_name not in (None, body["sheet"]["name"]):
        tell(f"The certificate is of sheet “{body['sheet']['name']}”; --sheet changes nothing.")
    found = rechecking.recheck(store, body, Options(**options), confirm, replies)
    say(found, json_out, found["sentence"])
    if found["verdict"] not in ("renewed", "estimated"):
        sys.exit(1)
