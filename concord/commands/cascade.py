"""The command `cascade`."""

import click

from concord.commands import options
from concord.commands.frame import panel_of, say_documents, verb


@verb
@options.text("--cheap", "J", "The cheap judge, accepted where it is confident.")
@options.text("--second", "J", "A second cheap judge; confident means both give the same score.")
@options.text(
    "--confidence",
    click.Choice(("native", "stated", "logprobs", "imported", "two_judges", "repeats")),
    "Source of confidence; default: the first available.",
)
@options.text("--to", "J", "Where the rest goes: a judge, or annotators.", default="annotators")
@options.criterion
@options.text("--at-most", options.SHARE, "Maximum error rate of accepted answers.", default=0.2)
@options.flag("--within-one", "Count only scores off by two or more as errors.")
@options.rubric
@options.annotators
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
):
    """Replay selective prediction (a cascade) on stored grades.

    A cheap judge's grades are accepted where it is confident. The other answers go to a more
    expensive judge or to annotators. Confidence is the probability that the judge gave its score,
    whether a second judge gives the same score, or the share of repeats that do.
    """
    from concord.reports import cascade as report
    from concord.reports.agreement.judge_probabilities import read
    from concord.reports.decision.cost import costs
    from concord.reports.document import as_json as plain
    from concord.reports.document import sentences
    from concord.reports.panel.choice import judge_of

    panel = panel_of(store, sheet_name, rubric, annotators, of_answers=True)
    criterion = (panel.rubric.criterion(criterion) if criterion else panel.rubric.heaviest()).name
    prices, given = costs(store, panel.sheet, panel.judges.values()), read(store, panel)
    every = report.sources(panel, given, criterion, prices)
    named = (None if one in (None, report.ANNOTATORS) else one for one in (cheap, second, to))
    cheap, second, to = (one and judge_of(store, panel, one).id for one in named)
    source = report.choose_source(panel, every, cheap, second, confidence, to)
    agreement = report.WITHIN_ONE if within_one else report.EXACT
    found = report.report(panel, given, source, to, prices, criterion, at_most, agreement)
    shown = report.document(found)
    values = {"cascade": plain(found) | {"sentences": sentences(shown)}}
    say_documents(values | {"synthetic": panel.sheet.synthetic}, shown)
