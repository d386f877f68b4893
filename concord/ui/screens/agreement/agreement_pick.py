"""The choices of the agreement screen: judge, criterion, reference and figure, kept in the URL."""

from typing import NamedTuple

from concord.messages import capital, said
from concord.reports.panel.reference_standard import CONSENSUS, EACH
from concord.reports.panel.simulated import named
from concord.stats.statistics import CHARTED
from concord.ui.cached_reports import Report
from concord.ui.frame import filters
from concord.ui.language import say
from concord.ui.widgets import select, switch

REFERENCES = {EACH: said("Each annotator"), CONSENSUS: said("Consensus")}
_FIGURES = {one.key: capital(one.head) for one in CHARTED}


class AgreementChoice(NamedTuple):
    """Selection on the screen: a judge's label, a criterion, a kind of reference."""

    judge: str
    criterion: str
    kind: str


def pick(found: Report) -> AgreementChoice:
    """The pickers; the best judge and its heaviest criterion to begin with."""
    judges = {label: found.people.judges[i] for i, label in found.people.labels.items()}
    criteria = found.rubric.headings()
    with filters():
        judge = select(
            say("Judge"),
            "judge",
            {label: named(label, judge.simulated) for label, judge in judges.items()},
            found.best() or min(judges, key=lambda label: judges[label].kind == "metric"),
        )
        criterion = select(say("Criterion"), "criterion", criteria, _heaviest(found, judge))
        kind = switch(say("Compared with"), "reference", REFERENCES)
    return AgreementChoice(judge, criterion, kind)


def _heaviest(found: Report, judge: str) -> str:
    """The criterion with the largest weight of those that a judge graded, else of all."""
    judge_id = found.judge_id(judge)
    names = [one.name for one in found.rubric.by_weight()]
    graded = (name for name in names if (name, judge_id) in found.on(name).marks)
    return next(graded, names[0])


def pick_figure() -> str:
    """Return the statistic the chart shows."""
    return switch(say("Chart shows"), "figure", _FIGURES, label_visibility="collapsed")
