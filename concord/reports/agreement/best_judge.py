"""The judge that agrees most often exactly, of all that graded nearly as many answers."""

from collections.abc import Sequence
from dataclasses import replace

from concord.model import BASELINE, Grader
from concord.reports.agreement.results import AgreementRow, BestOf
from concord.reports.panel.candidates import covering
from concord.reports.panel.criterion_comparison import CriterionPanel, PairStatistics, ground
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.stats.statistics import best_exact


def best_judge(on: CriterionPanel) -> tuple[Grader, PairStatistics, BestOf] | None:
    """Return the best judge, its answers and its interval; the baseline only where it is alone.

    None where no judge has scores of the scale, which the composite has not.
    """
    if on.criterion is None:
        return None
    judged = {judge.id: on.judged(judge, ()) for judge in on.panel.judges.values()}
    judges = {i: on.panel.judges[i] for i, one in judged.items() if one.n}
    real = [i for i, judge in judges.items() if judge.name != BASELINE] or list(judges)
    named = covering([judged[i] for i in real])
    if not named:
        return None
    place, exact = best_exact([one.pairs for one in named], on.panel.rubric.scale)
    best = next(judges[i] for i in real if judged[i] is named[place])
    return best, named[place], BestOf(len(named), exact)


def with_best(panel: Panel, kind: str, rows: Sequence[AgreementRow]) -> list[AgreementRow]:
    """Return the rows, each criterion's best judge marked as such."""
    best = {}
    for name in dict.fromkeys(row.criterion for row in rows if row.criterion != COMPOSITE):
        if found := best_judge(ground(panel, name, kind)):
            best[name, kind, panel.labels[found[0].id]] = found[2]
    places = [(row.criterion, row.reference, row.judge) for row in rows]
    return [replace(row, best_of=best.get(at)) for row, at in zip(rows, places, strict=True)]
