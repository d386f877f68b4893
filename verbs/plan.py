"""The verb `plan`."""

import click

from problems import Problem
from verbs.frame import (
    Share,
    as_json,
    confirm,
    people_option,
    rubric_option,
    say,
    sheet_of,
    verb,
    yes_option,
)


@verb
@click.option("--half-width", type=Share(), default=0.05, show_default=True, help="Wanted, +-.")
@click.option("--margin", type=Share(), default=0.1, show_default=True, help="How much worse.")
@click.option("--share", type=Share(), default=0.8, show_default=True, help="Agreement expected.")
@click.option(
    "--discordant", type=Share(), default=0.2, show_default=True, help="Where one judge is right."
)
@click.option("--against", metavar="JUDGE", help="The reference judge; the closest to people.")
@click.option("--criterion", metavar="C", help="The heaviest, unless another is named.")
@click.option("--draw", type=click.IntRange(1), metavar="N", help="Draw the next N questions.")
@click.option(
    "--enrich", type=Share(), default=0.0, show_default=True, help="The part for suspected ones."
)
@click.option(
    "--suspect", multiple=True, metavar="JUDGE", help="Whose failing scores raise suspicion."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Draws the same again.")
@click.option("--name", metavar="NAME", help="Of the grading set; `Set 2` and so on without it.")
@rubric_option
@people_option
@yes_option
@as_json
def plan(store, sheet_name, rubric, people, json_out, criterion, against, **options):
    """Say how many questions and people it takes, before labelling; --draw makes the next set.

    --enrich 0.33 gives a third of the set to questions that judges suspect to hold a failing
    answer; every chance is kept, and the figures are weighted by one over it.
    """
    from data import rubric_versions, sheet_rubric
    from reports import drawing, panel_reading, plan_words, whole_answers
    from reports import plan as report

    sheet = sheet_of(store, sheet_name)
    rubric_id, chosen = rubric_versions.argument(
        store, rubric or sheet_rubric.to_begin_with(store, sheet)
    )
    whole_answers.of_answers(chosen, "A plan is")
    panel = panel_reading.read(store, sheet, chosen, people or None)
    _check(options)
    terms = report.Terms(*(options[name] for name in report.Terms._fields))
    found = report.plan(store, panel, terms, criterion, against)
    said, document = plan_words.text(found), {**found, "synthetic": sheet.synthetic, "drawn": None}
    if options["draw"]:
        wanted = drawing.wanted(
            panel,
            found["criterion"],
            options["draw"],
            options["seed"],
            options["enrich"],
            options["suspect"] or None,
        )
        mind = " ".join(drawing.propose(store, panel, rubric_id, wanted).warnings())
        if mind and not (options["yes"] or confirm(mind)):
            said = f"Nothing was drawn.\n\n{said}"
        else:
            made = drawing.create(store, panel, rubric_id, options["name"], wanted)
            document["drawn"] = made.as_json()
            said = f"{made.sentence()}\n\n{said}"
    say(document, json_out, said)


def _check(options: dict) -> None:
    """Refuse shares that no number of questions could reach."""
    for name in ("half_width", "margin"):
        if not 0 < options[name] < 1:
            flag = name.replace("_", "-")
            raise Problem(f"--{flag} must lie between 0 and 1, as in --{flag} 0.05.")
    if (options["enrich"] or options["suspect"]) and not options["draw"]:
        raise Problem("--enrich and --suspect say how to draw. Add --draw N for N questions.")
