"""The verb `cascade`."""

import click

from verbs.frame import Share, as_json, panel_of, people_option, rubric_option, say, verb


@verb
@click.option("--cheap", metavar="J", help="The judge that is believed where it is sure.")
@click.option("--second", metavar="J", help="A second judge; sure is where both say the same.")
@click.option("--to", default="people", metavar="J", help="Who gets the rest: a judge, or people.")
@click.option("--criterion", metavar="C", help="The criterion; the heaviest otherwise.")
@click.option("--at-most", type=Share(), default=0.2, help="Believed answers that may be in error.")
@click.option("--certainty", type=Share(), default=0.95, help="How sure the guarantee is to be.")
@click.option("--within-one", is_flag=True, help="In error is only what is off by two or more.")
@rubric_option
@people_option
@as_json
def cascade(
    store,
    sheet_name,
    cheap,
    second,
    to,
    criterion,
    at_most,
    certainty,
    within_one,
    rubric,
    people,
    json_out,
):
    """Replay a cheap judge that hands what it is unsure of to a dearer judge, or to people.

    Without --cheap it takes the first judge that was asked more than once, else two judges that
    graded the same answers.
    """
    from reports import cascade as report
    from reports import cascade_words
    from reports.confidence import cheaper_first, choose_source
    from reports.cost import costs

    panel = panel_of(store, sheet_name, rubric, people, "A cascade is")
    criterion = (panel.rubric.criterion(criterion) if criterion else panel.rubric.heaviest()).name
    prices = costs(store, panel.sheet, panel.judges.values())
    source = choose_source(panel, criterion, cheap, second)
    source = source if cheap else cheaper_first(source, prices)
    agreement = report.WITHIN_ONE if within_one else report.EXACT
    limits = report.Limits(at_most, certainty, agreement)
    dearer = report.dearer(panel, source, to)
    found = report.report(panel, source, dearer, prices, criterion, limits)
    sentences = cascade_words.every_sentence(found)
    document = {"cascade": found | {"sentences": sentences}, "synthetic": panel.sheet.synthetic}
    say(document, json_out, cascade_words.text(found))
