"""The judge that agrees most often exactly, of all that graded nearly as many answers."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from concord.model import BASELINE, Grader
from concord.reports.agreement.results import AgreementRow, BestOf
from concord.reports.panel.candidates import covering
from concord.reports.panel.criterion_comparison import CriterionPanel, ground
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.stats.best_judge import best_exact
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import distinct


class _Candidate(NamedTuple):
    judge: Grader
    pairs: Pairs
    n: int


def best_judge(on: CriterionPanel) -> tuple[_Candidate, BestOf] | None:
    """Return the best judge with its interval; the baseline only where it is alone.

    None where no judge has scores of the scale, which the composite has not.
    """
    if on.criterion is None or on.mean:
        return None
    pairs = {judge.id: on.pairs(judge) for judge in on.panel.judges.values()}
    every = [_Candidate(on.panel.judges[i], one, distinct(one.item)) for i, one in pairs.items()]
    every = [one for one in every if one.n]
    named = covering([one for one in every if one.judge.name != BASELINE] or every)
    if not named:
        return None
    place, exact = best_exact([one.pairs for one in named], on.panel.rubric.scale)
    return named[place], BestOf(len(named), exact)


def with_best(panel: Panel, kind: str, rows: Sequence[AgreementRow]) -> list[AgreementRow]:
    """Return the rows, each criterion's best judge marked as such."""
    found = {
        name: best_judge(ground(panel, name, kind))
        for name in dict.fromkeys(row.criterion for row in rows)
        if name != COMPOSITE
    }
    best = {name: (panel.labels[one[0].judge.id], one[1]) for name, one in found.items() if one}

    def marked(row: AgreementRow) -> AgreementRow:
        label, of = best.get(row.criterion, (None, None))
        return replace(row, best_of=of) if (row.judge, row.reference) == (label, kind) else row

    return [marked(row) for row in rows]
