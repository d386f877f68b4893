"""The command `gate`."""

import sys

import click

from concord.commands import options
from concord.commands.frame import panel_of, say_documents, verb
from concord.messages import Problem


class _OfStatistics(click.Command):
    """A command with an option for each statistic that a gate tests, from the registry.

    They are read when they are first needed: the registry loads NumPy, which the help of other
    commands must not wait for.
    """

    @property
    def params(self) -> list[click.Parameter]:
        """The command's own options, and one for each statistic."""
        from concord.stats.statistics import STATISTICS

        if not self._complete:
            self._complete = True
            self._params += [
                click.Option(
                    [one.key, one.option],
                    type=options.SHARE,
                    metavar="X",
                    help=f"{'Minimum' if one.higher_is_better else 'Maximum'} {one.title}.",
                )
                for one in STATISTICS
                if one.gate
            ]
        return self._params  # the same list each time: click adds --help to it and takes it out

    @params.setter
    def params(self, own: list[click.Parameter]) -> None:
        self._params, self._complete = own, False


@verb(cls=_OfStatistics)
@options.text("--judge", "name", "J", "The judge, as `graders` lists it.")
@options.text("--certificate", "file", "FILE", "Check a certificate instead of grades.")
@options.text("--metric", "M", "Check the mean of a metric instead of agreement.")
@options.text("--at-least", float, "Minimum of its lower confidence limit.")
@options.text("--at-most", float, "Maximum of its upper confidence limit.")
@options.text("--judge-file", "path", "TOML", "The judge file to compare with the certified judge.")
@options.only_criterion
@options.rubric
@options.annotators
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
    annotators,
    **wanted,
):
    """Exit 1 unless every criterion meets its thresholds.

    A criterion passes if its lower confidence limits reach the thresholds, and the upper limit of
    the false-alarm rate does not exceed its own. An undefined limit does not pass. With --metric,
    the mean of a metric's values has to pass, without annotators.

    With --certificate, nothing is recomputed: exit 1 unless the file certifies the judge, is
    neither expired nor void, and its lower limits pass. --judge-file compares the judge's file with
    the certified judge.
    """
    from concord.reports import gate as gates
    from concord.reports.panel.choice import judge_of

    wanted = {figure: least for figure, least in wanted.items() if least is not None}
    if metric is None and (at_least is not None or at_most is not None):
        raise Problem("--at-least and --at-most take --metric.")
    if metric is not None:
        others = {"--certificate": file, "--criterion": criterion, "--rubric": rubric, **wanted}
        _refuse(others | {"--judge-file": path, "--annotators": annotators})
        found = _of_metric(store, sheet_name, metric, at_least, at_most, name)
    elif file:
        found = gates.gate_certificate(store, file, path, wanted, criterion)
    elif name:
        gates.check_wanted(wanted)
        panel = panel_of(store, sheet_name, rubric, annotators)
        found = gates.gate_judge(panel, judge_of(store, panel, name), wanted, criterion)
    else:
        raise Problem("Give --judge NAME, --certificate FILE or --metric NAME.")
    say_documents(found, gates.document(found))
    if not found.holds:
        sys.exit(1)


def _refuse(given: dict) -> None:
    """Raise a Problem for an option that does not apply to a metric's mean."""
    for option, value in given.items():
        if value not in (None, ()):
            name = option if option.startswith("--") else f"--{option.replace('_', '-')}"
            raise Problem("{name} is not for a metric's mean. Leave it out.", name=name)


def _of_metric(store, sheet_name, metric, at_least, at_most, judge):
    from concord.reports.gate import gate_metric
    from concord.reports.metrics import metric_records
    from concord.store import sheets

    sheet = sheets.chosen(store, sheet_name)
    found = metric_records.read(store, sheet)
    return gate_metric(sheet, found, metric, at_least, at_most, judge)
