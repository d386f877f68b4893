"""The verb `gate`."""

import sys

import click

from problems import Problem
from verbs.frame import Share, as_json, panel_of, people_option, rubric_option, say, verb


@verb
@click.option("--judge", "name", metavar="J", help="The judge, a grader's name.")
@click.option("--certificate", "file", metavar="FILE", help="A certificate, instead of grades.")
@click.option("--metric", metavar="M", help="A metric's own mean, instead of agreement.")
@click.option("--at-least", type=float, metavar="X", help="What its lower limit must reach.")
@click.option("--at-most", type=float, metavar="X", help="What its upper limit must not exceed.")
@click.option("--judge-file", "path", metavar="TOML", help="What the certified judge's file says.")
@click.option("--exact", type=Share(), metavar="X", help="The least share of exact agreement.")
@click.option("--within-one", type=Share(), metavar="Y", help="... of agreement within one point.")
@click.option("--caught", type=Share(), metavar="Z", help="... of failing answers it fails too.")
@click.option("--criterion", metavar="C", help="Only this criterion; every one otherwise.")
@rubric_option
@people_option
@as_json
def gate(
    store,
    sheet_name,
    name,
    file,
    metric,
    at_least,
    at_most,
    path,
    criterion,
    rubric,
    people,
    json_out,
    **wanted,
):
    """Exit 1 unless the lower limit of every criterion clears; what is undefined does not.

    With --metric it is the mean of a metric's own values that must clear, without annotators.

    With --certificate nothing is reckoned: exit 1 unless it certifies the judge, is neither expired
    nor void, and its lower limits clear; --judge-file holds the judge's file against it.
    """
    from reports import gate as report

    wanted = {figure: least for figure, least in wanted.items() if least is not None}
    if metric is None and (at_least is not None or at_most is not None):
        raise Problem("--at-least and --at-most are bounds of a metric. Name it with --metric.")
    if metric is not None:
        others = {"--certificate": file, "--criterion": criterion, "--rubric": rubric, **wanted}
        _refuse(others | {"--judge-file": path, "--people": people})
        found = _of_metric(store, sheet_name, metric, at_least, at_most, name)
    elif file:
        found = _of_certificate(store, file, path, wanted, criterion)
    elif name:
        report.check_wanted(wanted)
        panel = panel_of(store, sheet_name, rubric, people)
        found = report.gate(panel, report.judge_of(store, panel, name), wanted, criterion)
        found = {**found, "synthetic": panel.sheet.synthetic}
    else:
        raise Problem(
            "The gate needs to know whom: give --judge NAME, --certificate FILE or --metric NAME."
        )
    lines = [*found.get("reasons", ()), *(check["sentence"] for check in found["checks"])]
    say(found, json_out, "\n".join(lines or ["The certificate holds."]))
    if not found["holds"]:
        sys.exit(1)


def _refuse(given: dict) -> None:
    """A Problem where an option was given that says nothing of a metric's mean."""
    for option, value in given.items():
        if value not in (None, ()):
            name = option if option.startswith("--") else f"--{option.replace('_', '-')}"
            raise Problem(f"{name} says nothing of a metric's mean. Leave it out.")


def _of_metric(store, sheet_name, metric, at_least, at_most, judge) -> dict:
    from data import sheets
    from reports import measured, metric_gate

    sheet = sheets.chosen(store, sheet_name)
    found = metric_gate.gate(measured.read(store, sheet), metric, at_least, at_most, judge)
    return {**found, "sheet": sheet.name, "synthetic": sheet.synthetic}


def _of_certificate(store, file, path, wanted, criterion) -> dict:
    """The gate of a certificate's file, and of the judge's file where one is named."""
    from data.clock import today
    from judges import model
    from reports import gate as report
    from reports import verification
    from reports.standing import Standing, standing

    body = verification.load(file)
    judge = model.load(path) if path else None
    found = standing(store, body, today(), judge)
    if not verification.unchanged(body):
        found = Standing("void", [verification.CHANGED, *found.reasons])
    return report.of_certificate(body, found, wanted, criterion)
