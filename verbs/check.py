"""The verb `check`."""

import sys

import click

from problems import Problem
from verbs.frame import as_json, confirm, lines, names_of, rubric_option, say, verb, yes_option


@verb
@click.argument("names", nargs=-1, required=True, metavar="NAME_OR_PATH...")
@click.option("--model", help="Another model than the judge file says.")
@click.option("--base-url", help="Another endpoint than the judge file says.")
@click.option("--canaries", is_flag=True, help="Ask about items whose right verdict is known.")
@click.option(
    "--measures", callback=names_of, metavar="A,B", help="With --canaries: only these measures."
)
@rubric_option
@yes_option
@as_json
def check(store, sheet_name, names, model, base_url, canaries, measures, rubric, yes, json_out):
    """Ask each judge once about a built-in answer, and say what works and what to change."""
    from judges import check as checking
    from reports import judge_check

    overrides = model, base_url, rubric, sheet_name
    if measures and not canaries:
        raise Problem("--measures says which canaries are asked. Give --canaries too.")
    if canaries:
        done = [_tried(store, name, (*overrides, measures), yes) for name in names]
        say({"canaries": [one.as_json() for one in done]}, json_out, lines(done))
    else:
        asked = [judge_check.named(store, name, *overrides) for name in names]
        done = [checking.send(one) for one in asked]
        say({"checks": [report.as_json() for report in done]}, json_out, lines(done))
    if not all(one.holds for one in done):
        sys.exit(1)


def _tried(store, name, overrides, yes):
    """What a judge makes of its canaries, after its price was said; a Problem where nobody agrees.

    `overrides` are model, base URL, rubric, sheet and measures.
    """
    from judges import canary
    from reports import canaries

    judge, trials, untried = canaries.of_named(store, name, *overrides)
    free = yes or canary.is_free(trials)
    if not free and not confirm(f"{judge.name}: {canary.offer(trials)}."):
        raise Problem(f"{judge.name}: nothing was asked.")
    return canary.send(judge, trials, untried)
