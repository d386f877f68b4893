"""Fitted cut: from which number of a measure on people pass an answer, beside the usual cut.

Half of the questions choose the cut and the other half judge it, so that what is said of it holds
for answers it was not chosen by. Questions with the role `examples` cannot choose it: no measure is
found for them. Nothing is replaced: what fails elsewhere fails by the usual cut.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from reports.diagnosis import CUT
from reports.measure_figure import bounds, indexed
from reports.panel import COMPOSITE, Panel
from reports.predicts import OF_COMPOSITE, Series, passed, people
from reports.text import number
from stats import cut
from stats.estimate import Estimate, undefined
from words.said import Said, said


class _Held(NamedTuple):
    """A series on the answers that people graded, more being better: arrays (n,).

    `passing` is the share of an answer's people who pass it, `fitting` whether it chooses the cut.
    """

    values: np.ndarray
    passing: np.ndarray
    cluster: np.ndarray
    weight: np.ndarray
    fitting: np.ndarray

    def side(self, fitting: bool) -> tuple[np.ndarray, ...]:
        """Values, passing, cluster and weight of the half that chooses, or of the other."""
        of = self.fitting == fitting
        return self.values[of], self.passing[of], self.cluster[of], self.weight[of]


def rows(
    every: Sequence[Series],
    panel: Panel,
    criterion: str,
    usual: Mapping[tuple[str, str], float] | None = None,
) -> list[dict[str, Any]]:
    """The fitted cut of every series with what it is worth on the other questions.

    Args:
        every: The series.
        panel: People's grades.
        criterion: A criterion; its failing scores say what people fail.
        usual: By (judge, measure) the usual cut where it is not the middle of the range.

    Returns:
        Rows with `measure`, `judge`, `version`, `name`; `better` (`higher` or `lower`); `cut`, the
        number at which an answer passes, and `balanced`, its balanced accuracy; `usual` and
        `usual_balanced` the same of the usual cut; `gain`, the first accuracy less the second; all
        three on the `n` answers to `questions` that did not choose, of which people pass
        `passing` (a sum of shares); `fitted_on`, the `n` and `questions` that chose. `why_none`
        says why there is no cut; the other numbers are then null.
    """
    passes = passed(panel, criterion)
    return [_row(one, every, panel, criterion, passes, usual or {}) for one in every]


def sentence(row: Mapping[str, Any]) -> Said:
    """A row in words."""
    if row["cut"] is None:
        return said("{measure}: no cut, {why}.", measure=row["name"], why=row["why_none"])
    fitted = said(
        "{measure}: {cut:.3g} or more passes, fitted to {chosen:,} answers; on {n:,} others its "
        "balanced accuracy is {accuracy}"
        if row["better"] == "higher"
        else "{measure}: {cut:.3g} or less passes, fitted to {chosen:,} answers; on {n:,} others "
        "its balanced accuracy is {accuracy}",
        measure=row["name"],
        cut=row["cut"],
        chosen=row["fitted_on"]["n"],
        n=row["n"],
        accuracy=number(row["balanced"]),
    )
    if row["usual"] is None:
        return said(
            "{fitted}; there is no usual cut to hold it against: it has no range.", fitted=fitted
        )
    beside = said(
        "{fitted}, that of the usual cut at {cut:.3g} is {accuracy}",
        fitted=fitted,
        cut=row["usual"],
        accuracy=number(row["usual_balanced"]),
    )
    gain = row["gain"]
    if gain["low"] is None:
        return said("{sentence}.", sentence=beside)
    return said(
        "{beside}: a difference of {gain}."
        if gain["low"] > 0 or gain["high"] < 0
        else "{beside}: a difference of {gain}, which may be chance.",
        beside=beside,
        gain=number(gain, "+"),
    )


def _row(
    one: Series,
    every: Sequence[Series],
    panel: Panel,
    criterion: str,
    passes: Mapping[int, float],
    usual: Mapping[tuple[str, str], float],
) -> dict[str, Any]:
    held = _held(one, panel, criterion, passes)
    values, passing, cluster, _ = held.side(False)
    default = usual.get((one.judge, one.measure), _middle(one))
    why = OF_COMPOSITE if criterion == COMPOSITE else cut.too_few(*held[:2], held.fitting)
    row = {
        "measure": one.measure,
        "judge": one.judge,
        "version": one.version,
        "name": one.called(every),
        "better": "higher" if one.sign > 0 else "lower",
        "n": len(values),
        "questions": len(set(cluster.tolist())),
        "passing": float(passing.sum()),
        "fitted_on": {
            "n": int(held.fitting.sum()),
            "questions": len(set(held.cluster[held.fitting].tolist())),
        },
        "usual": default,
        "why_none": why,
    }
    if why:
        none = undefined(why)
        return row | {"cut": None, **_figures(none, none, none)}
    chosen, passed_there, _, weight_there = held.side(True)
    at = cut.fit(chosen, passed_there, weight_there)
    compared = None if default is None else one.sign * default
    return row | {"cut": one.sign * at, **_read(held.side(False), at, compared)}


def _read(here: tuple[np.ndarray, ...], at: float, usual: float | None) -> dict[str, Any]:
    """What two cuts are worth on answers that chose neither."""
    mine = cut.balanced(*here, at)
    if usual is None:
        none = undefined(said("the measure has no usual cut"))
        return _figures(mine, none, none)
    return _figures(mine, cut.balanced(*here, usual), cut.gain(*here, (at, usual)))


def _figures(mine: Estimate, theirs: Estimate, gain: Estimate) -> dict[str, Any]:
    named = {"balanced": mine, "usual_balanced": theirs, "gain": gain}
    return {key: estimate._asdict() for key, estimate in named.items()}


def _held(one: Series, panel: Panel, criterion: str, passes: Mapping[int, float]) -> _Held:
    graded = people(panel, criterion)
    shared = [item_id for item_id in one.values if item_id in passes]
    cluster = indexed(graded[item_id][1] for item_id in shared)
    first: dict[int, int] = {}  # what tells a cluster for good, whoever grades more of it
    for item_id, of in sorted(zip(panel.items["item_id"], panel.cluster, strict=True)):
        first.setdefault(int(of), int(item_id))
    return _Held(
        one.sign * np.array([one.values[item_id] for item_id in shared], float),
        np.array([passes[item_id] for item_id in shared], float),
        cluster,
        np.array([graded[item_id][2] for item_id in shared], float),
        cut.fits([first[graded[item_id][1]] for item_id in shared]),
    )


def _middle(one: Series) -> float | None:
    """The middle of a measure's range, in which a negative likeness counts as 0; None without."""
    low, high = bounds(one.measure, one.switches)
    if not np.isfinite([low, high]).all():
        return None
    return max(low, 0.0) + CUT * (high - max(low, 0.0))
