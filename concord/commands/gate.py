"""The command `gate`."""

import sys

import click

from concord.commands import options
from concord.commands.frame import panel_of, say_documents, verb
from concord.messages import Problem


class OfStatistics(click.Command):
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


@verb(cls=OfStatistics)
@options.text("--judge", "name", "J", "Judge.")
@options.text("--certificate", "file", "FILE", "Check a certificate instead of grades.")
@options.text("--judge-file", "path", "TOML", "The judge file to compare with the certified judge.")
@options.only_criterion
@options.rubric
@options.annotators
def gate(store, sheet_name, name, file, path, criterion, rubric, annotators, **wanted):
    """Exit 1 unless every criterion meets its thresholds.

    A criterion passes if its lower confidence limits reach the thresholds, and the upper limit of
    the false-alarm rate does not exceed its own. An undefined limit does not pass.

    With --certificate, nothing is recomputed: exit 1 unless the file certifies the judge, is
    neither expired nor void, and its lower limits pass. --judge-file compares the judge's file with
    the certified judge.
    """
    from concord.reports import gate as gates
    from concord.reports.panel.choice import judge_of

    wanted = {figure: least for figure, least in wanted.items() if least is not None}
    if file:
        found = gates.gate_certificate(store, file, path, wanted, criterion)
    elif name:
        gates.check_wanted(wanted)
        panel = panel_of(store, sheet_name, rubric, annotators)
        found = gates.gate_judge(panel, judge_of(store, panel, name), wanted, criterion)
    else:
        raise Problem("Give --judge NAME or --certificate FILE.")
    say_documents(found, gates.document(found))
    if not found.holds:
        sys.exit(1)
