"""Lone annotators of a panel whose scores equal a judge's, so that they may be copied from it."""

from typing import NamedTuple

import numpy as np

from concord.messages import Said, said
from concord.model import BASELINE
from concord.reports.panel.criterion_comparison import CriterionPanel, ground
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.reference_standard import EACH
from concord.reports.panel.simulated import named
from concord.reports.panel.unit_words import heading
from concord.stats.reliability.lone_annotator import equal_to_a_judge


class LoneCopy(NamedTuple):
    """An annotator's scores of a criterion that equal a judge's, on `same` of `n` answers."""

    criterion: str
    annotator: int
    judge: int
    same: int
    n: int
    sentence: Said


def lone_copies(panel: Panel) -> list[LoneCopy]:
    """Return the annotators whose scores equal a judge's, by criterion; not those accepted."""
    names = [name for name in panel.criteria if name != COMPOSITE and panel.only in (None, name)]
    return [one for name in names for one in of_criterion(ground(panel, name, EACH))]


def of_criterion(on: CriterionPanel) -> list[LoneCopy]:
    """Return those of one criterion."""
    panel, name = on.panel, on.name
    judges = [i for i, one in panel.judges.items() if one.name != BASELINE]
    counted = {i: panel.counted(name, i) for i in panel.annotators}
    times = np.sum([*counted.values()], axis=0) if counted else np.zeros(len(panel.items))
    marks = [panel.of(name, i) for i in judges]
    theirs = np.array([np.where(one.scored, one.score, np.nan) for one in marks])
    found = []
    for i, mine in counted.items():
        own = np.where(mine, panel.of(name, i).score, np.nan)
        copy = equal_to_a_judge(own, theirs, mine & (times > 1), panel.cluster)
        if copy and not panel.alert_accepted(i):
            person, judge = panel.annotators[i], judges[copy.judge]
            sentence = said(
                "{annotator}: the scores on {criterion} equal those of {judge} on {same} of {n} "
                "answers, and no second annotator shares 10 questions. They may be copied.",
                annotator=named(person.name, person.simulated),
                criterion=heading(panel.rubric, name),
                judge=panel.labels[judge],
                same=copy.same,
                n=copy.answers,
            )
            found.append(LoneCopy(name, i, judge, copy.same, copy.answers, sentence))
    return found
