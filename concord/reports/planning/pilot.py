"""Pilot: results of a first set of about 20 questions before the main grading.

Minutes per answer, score distribution and inter-annotator agreement.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from concord.grading import assignments, grading_sets
from concord.grading.grading_sets import GradingSet
from concord.messages import joined, said
from concord.reports.cells import undefined
from concord.reports.document import Column, Document, table_of
from concord.reports.panel.criterion_comparison import EACH, ground
from concord.reports.panel.panel import OTHER, Panel
from concord.store import grade_table
from concord.store.database import Store

NO_TIMES = said("no answer of this set was graded here with its time")
_MINUTES = (
    "{median:.1f} minutes per answer, middle half {low:.1f} to {high:.1f} (n = {n}; excluded "
    "without all times: {left_out})"
)


def pilot(store: Store, panel: Panel, grading_set: GradingSet) -> dict[str, Any]:
    """Return what a set shows as a pilot, as JSON has it."""
    items = grading_sets.items(store, grading_set.id)
    beyond = ~panel.items["item_id"].isin(items) & (panel.items["closed"] == "")
    own = replace(panel, items=panel.items.assign(closed=panel.items["closed"].mask(beyond, OTHER)))
    spread, agreement = [], []
    for criterion in own.rubric.criteria:
        name = criterion.name
        given = [own.of(name, i).score[own.counted(name, i)] for i in own.annotators]
        scores = np.concatenate([*given, np.zeros(0)])
        spread.append(
            {
                "criterion": name,
                "n": len(scores),
                "scores": {str(score): int((scores == score).sum()) for score in own.rubric.scale},
            }
        )
        pairs = ground(own, name, EACH).overlapping(np.ones(len(own.items), bool))
        figures = {key: pairs.figures[key] for key in ("exact", "alpha")}
        agreement.append({"criterion": name, "n": pairs.n} | figures)
    return {
        "set": grading_set.name,
        "questions": grading_set.questions,
        "minutes": _minutes(store, panel, grading_set, items),
        "spread": spread,
        "agreement": agreement,
    }


def document(pilot: Mapping[str, Any]) -> Document:
    """Return minutes, and agreement by criterion."""
    minutes = pilot["minutes"]
    headline = said("No minutes per answer: {why}.", why=minutes["why_none"])
    if minutes["median"] is not None:
        headline = _MINUTES.format(**minutes)
    parts = [
        (Column("criterion"), lambda pair: pair[0]["criterion"]),
        (Column("scores"), lambda pair: _counts(pair[0]["scores"])),
        (Column("grades", "count"), lambda pair: pair[0]["n"]),
        (Column("n", "count"), lambda pair: pair[1]["n"]),
        (Column("exact", "share", "exact"), lambda pair: pair[1]["exact"]),
        (Column("alpha", "number", "alpha"), lambda pair: pair[1]["alpha"]),
    ]
    rows = zip(pilot["spread"], pilot["agreement"], strict=True)
    table = table_of("pilot-agreement", rows, parts, "Scores and inter-annotator agreement")
    return Document(headline, tables=(table,), notes=undefined(table))


def _counts(scores: Mapping[str, int]) -> str:
    return joined(", ", (f"{score}: {n}" for score, n in scores.items()))


def _minutes(
    store: Store, panel: Panel, grading_set: GradingSet, items: set[int]
) -> dict[str, Any]:
    """Return the median and the middle half of the minutes per answer, with what is left out.

    Of each annotator the first times on answers graded on all criteria with known times.
    """
    versions = list(panel.rubric.versions().values())
    times = grade_table.graded_times(store, panel.sheet.id, versions)
    times = times[times["item_id"].isin(items) & (times["repeat"] == assignments.FIRST)]
    each = times.groupby(["grader_id", "item_id"])["seconds"].agg(["sum", "count"])
    whole = each[each["count"] == len(versions)]["sum"]
    quarters = [None] * 3 if whole.empty else (np.percentile(whole, (25, 50, 75)) / 60).tolist()
    return {
        "n": len(whole),
        **dict(zip(("low", "median", "high"), quarters, strict=True)),
        "why_none": NO_TIMES if whole.empty else None,
        "annotators": int(whole.index.get_level_values("grader_id").nunique()),
        "left_out": len(each) - len(whole),
    }
