"""The command `cascade`."""

import click

from concord.commands import options
from concord.commands.frame import panel_of, say_documents, verb


@verb
@options.text("--cheap", "J", "The cheap judge, accepted where it is confident.")
@options.text("--second", "J", "A second cheap judge; confident means both give the same score.")
@click.option(
    "--confidence",
    type=click.Choice(("native", "stated", "logprobs", "imported", "two_judges", "repeats")),
    help="Source of confidence; default: the first available.",
)
@options.text("--to", "J", "Where the rest goes: a judge, or annotators.", default="annotators")
@options.criterion
@click.option(
    "--at-most", type=options.Share(), default=0.2, help="Maximum error rate of accepted answers."
)
@options.flag("--within-one", "Count only scores off by two or more as errors.")
@options.rubric
@options.annotators
@options.as_json
def cascade(
    store,
    sheet_name,
    cheap,
    second,
    confidence,
    to,
    criterion,
    at_most,
    within_one,
    rubric,
    annotators,
    json_out,
):
    """Replay selective prediction (a cascade) on stored grades.

    A cheap judge's grades are accepted where it is confident. The other answers go to a more
    expensive judge or to annotators. Confidence is the probability that the judge gave its score,
    whether a second judge gives the same score, or the share of repeats that do.
    """
    from concord.reports import cascade as report
    from concord.reports.agreement.judge_probabilities import read
    from concord.reports.cascade import cheaper_first, choose_source, document
    from concord.reports.decision.cost import costs
    from concord.reports.document import as_json as plain
    from concord.reports.document import sentences

    panel = panel_of(store, sheet_name, rubric, annotators, of_answers=True)
    criterion = (panel.rubric.criterion(criterion) if criterion else panel.rubric.heaviest()).name
    prices = costs(store, panel.sheet, panel.judges.values())
    given = read(store, panel)
    source = choose_source(panel, given, criterion, cheap, second, confidence, to)
    source = source if cheap else cheaper_first(source, prices)
    agreement = report.WITHIN_ONE if within_one else report.EXACT
    dearer = report.dearer(panel, source, to)
    limits = (at_most, 0.95, agreement)
    found = report.report(panel, given, source, dearer, prices, criterion, *limits)
    shown = document(found)
    values = {"cascade": plain(found) | {"sentences": sentences(shown)}}
    say_documents(values | {"synthetic": panel.sheet.synthetic}, json_out, shown)
