"""The verb `composites`."""

import math
import sys

import click

from problems import Problem
from verbs.frame import as_json, people_option, progress_line, rubric_option, say, verb


@verb
@click.option(
    "--weight",
    "said",
    multiple=True,
    metavar="MEASURE=W",
    help="A measure and its weight; may be repeated. Without, VERA's measures weigh alike.",
)
@click.option("--judge", metavar="JUDGE", help="Whose numbers count, where several found some.")
@click.option(
    "--cross-encoder",
    "place",
    metavar="PLACE",
    help="Score with the cross-encoder of this folder, or of this name on a hub.",
)
@click.option("--new", metavar="MODEL", help="The answering model of the new run.")
@click.option("--baseline", metavar="MODEL", help="The answering model it is held against.")
@click.option("--baseline-sheet", metavar="SHEET", help="The sheet of the baseline, if another.")
@click.option(
    "--by",
    type=click.Choice(["weights", "cross-encoder"]),
    default="weights",
    help="Which composite the new run is held against the baseline by.",
)
@click.option(
    "--margin",
    type=click.FloatRange(min=0),
    default=0.05,
    show_default=True,
    help="How far apart two runs may be and count as the same.",
)
@rubric_option
@people_option
@as_json
def composites(store, sheet_name, said, judge, place, rubric, people, json_out, **gate):
    """Make one number of several measures, and hold a new run against the one before.

    By weights of your own, by weights fitted to people, and by a cross-encoder.
    """
    from data import rubric_versions
    from reports import composites as report
    from reports import composites_words, measured, measures_document
    from reports.composite_table import columns
    from verbs.frame import sheet_of

    weights = parsed(said)
    sheet = sheet_of(store, sheet_name)
    found = measured.read(store, sheet)
    document = {}
    if place:
        chosen = columns(found, list(weights), judge)
        document["run"] = _encode(store, sheet, chosen, place, json_out)
        found = measured.read(store, sheet)
    named = rubric_versions.argument(store, rubric)[1].name if rubric else None
    panel = measures_document.panel(store, sheet, named)
    if panel and people:
        panel = panel.choosing(people)
    whole = report.report(found, panel, weights, judge)
    document |= report.named(store, sheet, whole)
    document["gate"] = _gate(store, sheet, weights, judge, **gate)
    parts = [composites_words.text(document)]
    if document["gate"]:
        parts.append(composites_words.regression(document["gate"]))
    say(document, json_out, "\n\n".join(parts))
    if document["gate"] and document["gate"]["verdict"] == "worse":
        sys.exit(1)


def parsed(said) -> dict[str, float]:
    """Weights by measure, from texts like `faithfulness=2`."""
    found = {}
    for one in said:
        name, equals, weight = one.partition("=")
        try:
            number = float(weight)
        except ValueError:
            number = math.nan
        if not equals or math.isnan(number):
            raise Problem(f"“{one}” is not of the form MEASURE=WEIGHT.")
        found[name.strip()] = number
    return found


def _encode(store, sheet, chosen, place, json_out) -> dict:
    from judges import cross_encoder
    from reports.encoding import encode

    done = encode(store, sheet, chosen, cross_encoder.load(place), progress_line(json_out))
    return done._asdict()


def _gate(store, sheet, weights, judge, new, baseline, baseline_sheet, by, margin) -> dict | None:
    """The regression gate, where two runs are named."""
    from data import sheets
    from reports import runs_compared

    if not (new or baseline or baseline_sheet):
        return None
    other = sheets.chosen(store, baseline_sheet) if baseline_sheet else sheet
    sides = runs_compared.Sides(sheet, new, other, baseline)
    return runs_compared.compare(store, sides, weights, judge, by, margin)
