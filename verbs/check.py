"""The verb `check`."""

import sys

import click

from verbs.frame import as_json, lines, rubric_option, say, verb


@verb
@click.argument("names", nargs=-1, required=True, metavar="NAME_OR_PATH...")
@click.option("--model", help="Another model than the judge file says.")
@click.option("--base-url", help="Another endpoint than the judge file says.")
@rubric_option
@as_json
def check(store, sheet_name, names, model, base_url, rubric, json_out):
    """Ask each judge once about a built-in answer, and say what works and what to change."""
    from judges import check as checking

    asked = [checking.named(store, name, model, base_url, rubric, sheet_name) for name in names]
    done = [checking.send(one) for one in asked]
    say({"checks": [report.as_json() for report in done]}, json_out, lines(done))
    if not all(report.holds for report in done):
        sys.exit(1)
