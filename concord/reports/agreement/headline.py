"""Headline: the best judge's exact agreement on the heaviest criterion, for the start page."""

from typing import NamedTuple

from concord.messages import said
from concord.reports.cells import share
from concord.reports.panel.comparison import ground
from concord.reports.panel.panel import Panel
from concord.reports.panel.panel_reading import read
from concord.reports.panel.reference_standard import EACH
from concord.rubrics.model import Rubric
from concord.stats.core.estimate import Estimate
from concord.store.database import Store
from concord.store.graders import BASELINE
from concord.store.sheets import Sheet


class Headline(NamedTuple):
    """The best judge and how often it gives an annotator's exact score.

    Attributes:
        judge: What the judge is called.
        criterion: The heaviest criterion.
        exact: The figure with its interval.
        n: The answers it rests on.
        simulated: Whether the judge or one of the annotators is simulated.
    """

    judge: str
    criterion: str
    exact: Estimate
    n: int
    simulated: bool

    def sentence(self) -> str:
        """The figure in a few words, for a card: `75% [68, 81]`."""
        found = share(self.exact._asdict())
        return said("{share} (simulated)", share=found) if self.simulated else found


def headline(store: Store, sheet: Sheet, rubric: Rubric) -> Headline | None:
    """The best judge's figure, from the grades of one criterion alone; None without any."""
    return best(read(store, sheet, rubric, only=rubric.heaviest().name))


def best(panel: Panel) -> Headline | None:
    """The judge with the highest exact agreement; the baseline only where it is alone."""
    criterion = panel.rubric.heaviest().name
    on = ground(panel, criterion, EACH)
    found = []
    for judge in panel.judges.values():
        judged = on.judged(judge)
        if judged.n:
            simulated = judge.simulated or any(p.simulated for p in on.annotators_on(judged.on))
            exact = judged.figures["exact"]
            found.append(Headline(panel.labels[judge.id], criterion, exact, judged.n, simulated))
    real = [one for one in found if one.judge != BASELINE]
    return max(real or found, key=lambda one: one.exact.value, default=None)
