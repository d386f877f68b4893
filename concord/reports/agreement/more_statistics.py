"""Whole rows: those of the agreement report with further statistics, computed on demand."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from concord.messages import said
from concord.reports.agreement import continuous
from concord.reports.agreement.results import AgreementRow, OtherModels
from concord.reports.agreement.rows import places, rows
from concord.reports.panel.criterion_comparison import CriterionPanel
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.reference_standard import EACH
from concord.reports.panel.unit_words import in_units_throughout
from concord.stats.continuous import correlations
from concord.stats.core.estimate import Estimate, Reason, Statistics, reason, undefined
from concord.stats.core.minimums import MODEL_FLOOR
from concord.stats.core.pairs import Pairs
from concord.stats.statistics import (
    CORRELATIONS,
    NOTHING,
    composite_figures,
    figures,
    shown,
    within_points,
)

FIGURES = tuple(one.key for one in shown("answer models"))


def whole_rows(
    panel: Panel,
    kind: str = EACH,
    criteria: list[str] | None = None,
    short: Sequence[AgreementRow] | None = None,
) -> list[AgreementRow]:
    """Return `rows` with every statistic; `short` are the rows where they are known.

    They are not used where they are of other judges than the panel's, which may be a newer one.
    """
    every = places(panel, kind, criteria)
    mine = [(panel.labels[judge.id], on.name) for on, judge in every]
    if short is None or [(row.judge, row.criterion) for row in short] != mine:
        short = rows(panel, kind, criteria)
    return [
        _completed(row, on, continuous.pairs(on, judge))
        for row, (on, judge) in zip(short, every, strict=True)
    ]


def _completed(row: AgreementRow, on: CriterionPanel, pairs: Pairs) -> AgreementRow:
    """Return a row with the statistics that are computed on demand.

    Also those of its ceiling and of the judge there, the shares within two points or more, and
    the CI for other answering models.
    """
    if row.continuous:
        return _completed_continuous(row, on, pairs)
    annotators = on.ceiling(on.panel.mask(pairs.item))
    same = pairs.where(annotators.on[pairs.item])
    between = _between_annotators(on, annotators.pairs)
    ceiling = replace(
        row.ceiling,
        statistics=row.ceiling.statistics | between,
        judge_on_same_items=row.ceiling.judge_on_same_items
        | _statistics(on, same, False, on.no_overlap),
    )
    return replace(
        row,
        statistics=row.statistics | _statistics(on, pairs, False, NOTHING),
        ceiling=ceiling,
        clustered_by_answer_model=in_units_throughout(on.panel.rubric, sensitivity(on, pairs)),
    )


def _completed_continuous(row: AgreementRow, on: CriterionPanel, pairs: Pairs) -> AgreementRow:
    """Return the same of a row of continuous grades, which has its own statistics already."""
    models = said("continuous grades are not compared by answering model")
    ceiling = row.ceiling
    if not row.continuous.mean:
        annotators = on.ceiling(on.panel.mask(pairs.item))
        between = _between_annotators(on, annotators.pairs)
        why = on.no_ceiling(annotators.pairs)
        known = {} if why else correlations(annotators.pairs)
        between.by_key.update({one.key: known.get(one.key, undefined(why)) for one in CORRELATIONS})
        ceiling = replace(ceiling, statistics=ceiling.statistics | between)
    others = OtherModels(0, models, dict.fromkeys(FIGURES))
    return replace(row, ceiling=ceiling, clustered_by_answer_model=others)


def _between_annotators(on: CriterionPanel, pairs: Pairs) -> Statistics:
    why = on.no_ceiling(pairs)
    enough = pairs.where(np.full(len(pairs.item), why is None))
    return _statistics(on, enough, on.kind == EACH, why)


def _statistics(
    on: CriterionPanel, pairs: Pairs, between_annotators: bool, why_none: str
) -> Statistics:
    if on.name == COMPOSITE:
        found, points = (
            composite_figures(pairs, between_annotators, ("tau_b",), on.panel.denominator),
            {},
        )
    else:
        found, points = {}, within_points(pairs, on.panel.rubric.scale)
    if not len(pairs.item):
        found, points = (dict.fromkeys(names, undefined(why_none)) for names in (found, points))
    return in_units_throughout(on.panel.rubric, Statistics(found, {}, points))


def sensitivity(on: CriterionPanel, pairs: Pairs) -> OtherModels:
    """Return each of `FIGURES` clustered by answering model.

    All undefined under `MODEL_FLOOR` answering models, or where answers without one would be left
    out.
    """
    known, nameless, code = _models(on, pairs)
    why = _why_none(known, nameless)
    if why:
        return OtherModels(known, why, dict.fromkeys(FIGURES))
    moved = pairs._replace(cluster=code)
    if on.name == COMPOSITE:
        found = composite_figures(moved, names=FIGURES)
    else:
        scale, failing = on.panel.rubric.scale, on.panel.rubric.failing(on.criterion)
        found = figures(moved, scale, failing, names=FIGURES)
    return OtherModels(known, None, {name: _of_models(one) for name, one in found.items()})


def _models(on: CriterionPanel, pairs: Pairs) -> tuple[int, bool, np.ndarray]:
    """Return the number of answering models, if some are unknown, and (n,) their codes."""
    model = pd.factorize(on.panel.items["answer_model"], sort=True)
    code = model[0][pairs.item]
    used = model[1][np.bincount(code, minlength=len(model[1])) > 0]
    return int((used != "").sum()), "" in used, code


def _why_none(known: int, nameless: bool) -> Reason | None:
    if known == 0:
        return reason("answering_models_unnamed")
    if nameless:
        return reason("answering_model_missing")
    if known < MODEL_FLOOR:
        return reason("too_few_named_models", n=MODEL_FLOOR, have=known)
    return None


def _of_models(found: Estimate) -> Estimate:
    """The estimate, whose method names what was left out in place of questions."""
    method = f"{found.method}; clusters: answering models" if found.method else ""
    return found._replace(method=method)
