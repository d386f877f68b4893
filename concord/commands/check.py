"""The command `check`."""

import sys

from concord.commands import options
from concord.commands.frame import confirm, say_documents, verb
from concord.messages import Problem


@verb
@options.judges
@options.model
@options.base_url
@options.flag("--canaries", "Test items whose correct verdict is known.")
@options.metrics("With --canaries: only these metrics.")
@options.rubric
@options.yes
def check(store, sheet_name, names, model, base_url, canaries, metrics, rubric, yes):
    """Send each judge a test request, and report problems."""
    from concord.judges.checks import endpoint_check as checking
    from concord.reports.workflow import canaries as trials

    overrides = model, base_url, rubric, sheet_name
    if metrics and not canaries:
        raise Problem("--metrics says which canaries are asked. Give --canaries too.")
    if canaries:
        done = [_tried(store, name, (*overrides, metrics), yes) for name in names]
        found = {"canaries": [one._asdict() | {"holds": one.holds} for one in done]}
        say_documents(found, *map(trials.of_canaries, done))
    else:
        asked = [trials.request_of(store, name, *overrides) for name in names]
        done = [checking.send(one) for one in asked]
        found = {"checks": [one._asdict() | {"holds": one.holds} for one in done]}
        say_documents(found, *map(trials.of_check, done))
    if not all(one.holds for one in done):
        sys.exit(1)


def _tried(store, name, overrides, yes):
    """Run a judge's canaries after confirmation of the price; a Problem where declined.

    `overrides` are model, base URL, rubric, sheet and metrics.
    """
    from concord.judges.checks import canary
    from concord.reports.workflow import canaries

    judge, trials, untried = canaries.of_named(store, name, *overrides)
    offer, free = canary.offer(trials)
    if not (yes or free) and not confirm(f"{judge.name}: {offer}."):
        raise Problem("{judge}: nothing was asked.", judge=judge.name)
    return canary.send(judge, trials, untried)
