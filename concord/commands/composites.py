"""The command `composites`."""

import math
import sys

import click

from concord.commands import options
from concord.commands.frame import name_left_out, progress_line, say_documents, verb
from concord.messages import Problem


@verb
@click.option(
    "--weight",
    "said",
    multiple=True,
    metavar="METRIC=W",
    help="A metric and its weight; repeatable. Default: VERA's metrics with equal weights.",
)
@click.option(
    "--judge", metavar="JUDGE", help="The judge whose values count, if there are several."
)
@click.option(
    "--cross-encoder",
    "place",
    metavar="FOLDER_OR_NAME",
    help="Score with this cross-encoder: a folder, or a name on a model hub.",
)
@click.option("--new", metavar="MODEL", help="The answering model of the new run.")
@click.option("--baseline", metavar="MODEL", help="The answering model to compare it with.")
@click.option("--baseline-sheet", metavar="SHEET", help="The sheet of the baseline, if different.")
@click.option(
    "--by",
    type=click.Choice(["weights", "cross-encoder"]),
    default="weights",
    help="The composite to compare the new run and the baseline by.",
)
@click.option(
    "--margin",
    type=click.FloatRange(min=0),
    default=0.05,
    show_default=True,
    help="Difference up to which two runs count as equivalent.",
)
@options.rubric
@options.annotators
@options.as_json
def composites(store, sheet_name, said, judge, place, rubric, annotators, json_out, **gate):
    """Combine metrics into one number, and compare runs by it.

    Combine by given weights, by weights fitted to the annotators' grades, or with a cross-encoder.
    """
    from concord.commands.frame import sheet_of
    from concord.reports.composites import composites as report
    from concord.reports.composites import document
    from concord.reports.composites.composite_table import columns
    from concord.reports.document import as_json as plain
    from concord.reports.metrics import against_annotators, metric_records
    from concord.store.rubrics import rubric_versions

    weights = parsed(said)
    sheet = sheet_of(store, sheet_name)
    found = metric_records.read(store, sheet)
    run = {}
    if place:
        chosen = columns(found, list(weights), judge)
        run["run"] = _encode(store, sheet, chosen, place, json_out)
        found = metric_records.read(store, sheet)
    named = rubric_versions.argument(store, rubric)[1].name if rubric else None
    panel = against_annotators.panel(store, sheet, named)
    if panel:
        panel = panel.choosing(annotators) if annotators else panel
        name_left_out(panel.not_included)
    whole = report.named(store, sheet, report.report(found, panel, weights, judge))
    gated = _gate(store, sheet, weights, judge, **gate)
    shown = [*document.documents(whole), *([document.regression(gated)] if gated else [])]
    values = run | plain(whole) | {"gate": plain(gated)}
    say_documents(values, json_out, *shown)
    if gated and gated.verdict == "worse":
        sys.exit(1)


def parsed(said) -> dict[str, float]:
    """Weights by metric, from texts like `faithfulness=2`."""
    found = {}
    for one in said:
        name, equals, weight = one.partition("=")
        try:
            number = float(weight)
        except ValueError:
            number = math.nan
        if not equals or math.isnan(number):
            raise Problem(f"“{one}” is not of the form METRIC=WEIGHT.")
        found[name.strip()] = number
    return found


def _encode(store, sheet, chosen, place, json_out) -> dict:
    from concord.judges.transport import cross_encoder
    from concord.reports.composites.cross_encoding import encode

    done = encode(store, sheet, chosen, cross_encoder.load(place), progress_line(json_out))
    return done._asdict()


def _gate(store, sheet, weights, judge, new, baseline, baseline_sheet, by, margin):
    """Compare two runs, where they are named."""
    from concord.reports.composites import system_runs
    from concord.store import sheets

    if not (new or baseline or baseline_sheet):
        return None
    other = sheets.chosen(store, baseline_sheet) if baseline_sheet else sheet
    sides = system_runs.ComparedRuns(sheet, new, other, baseline)
    return system_runs.compare(store, sides, weights, judge, by, margin)
