"""Pilot: results of a first set of about 20 questions before the main grading.

Minutes per answer, score distribution, inter-annotator agreement, and from these the questions and
hours needed for a CI of inter-annotator agreement.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from concord.grading import assignments, campaigns, grading_sets
from concord.grading.campaigns import Campaign
from concord.grading.grading_sets import GradingSet
from concord.messages import joined, said
from concord.reports.cells import undefined
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.panel.criterion_comparison import EACH, CriterionPanel, ground
from concord.reports.panel.panel import OTHER, Panel
from concord.reports.planning.interval_width import (
    NEVER,
    RANGE,
    SHARE,
    by_formula,
    extent_of,
    sized,
)
from concord.stats.planning.interval_width import exact_shares, questions_for_half_width
from concord.store import grade_table
from concord.store.database import Store

USUAL = 20  # questions of a pilot
MIDDLE = (25, 50, 75)
NO_TIMES = said("no answer of this set was graded here with its time")
_MINUTES = (
    "{median:.1f} minutes per answer, middle half {low:.1f} to {high:.1f} (n = {n}; excluded "
    "without all times: {left_out})"
)
_NEEDED = (
    "A 95% CI of ±{half_width:.0%} for annotators' exact agreement on {criterion}, with "
    "{annotators_per_answer:g} annotators per answer"
)


def pilot(store: Store, panel: Panel, grading_set: GradingSet, half_width: float = 0.05) -> dict:
    """Return what a set shows as a pilot, as JSON has it.

    `half_width` is that of the 95% CI of annotators' exact agreement on the heaviest criterion, 0
    to 1. `hours` of all annotators are low, likely and high; None where unknown.
    """
    own = _only(panel, grading_sets.items(store, grading_set.id))
    on = ground(own, own.rubric.heaviest().name, EACH)
    minutes = _minutes(store, panel, grading_set)
    needed = _needed(on, half_width)
    each = annotators_per_answer(campaigns.find(store, grading_set.id), len(own.annotators))
    return {
        "set": grading_set.name,
        "questions": grading_set.questions,
        "minutes": minutes,
        "spread": [_spread(own, criterion.name) for criterion in own.rubric.criteria],
        "agreement": [_agreement(own, criterion.name) for criterion in own.rubric.criteria],
        "criterion": on.name,
        "half_width": half_width,
        "needed": needed,
        "annotators_per_answer": each,
        "hours": hours(needed["answers"], minutes, grading_set.repeat_share, each),
    }


def document(found: Mapping) -> Document:
    """Return minutes, agreement by criterion, and the sample size with its hours."""
    minutes, why = found["minutes"], found["needed"]["why_none"]
    headline = said("No minutes per answer: {why}.", why=minutes["why_none"])
    if minutes["median"] is not None:
        headline = _MINUTES.format(**minutes)
    agreement = _agreement_table(found)
    notes = list(undefined(agreement))
    if why:
        notes.append(said("Sample size by formula: {why}.", why=why))
    return Document(headline, tables=(agreement, _needed_table(found)), notes=tuple(notes))


def _agreement_table(found: Mapping) -> Table:
    parts = [
        (Column("criterion"), lambda pair: pair[0]["criterion"]),
        (Column("scores"), lambda pair: _counts(pair[0]["scores"])),
        (Column("grades", "count"), lambda pair: pair[0]["n"]),
        (Column("n", "count"), lambda pair: pair[1]["n"]),
        (Column("exact", "share", "exact"), lambda pair: pair[1]["exact"]),
        (Column("alpha", "number", "alpha"), lambda pair: pair[1]["alpha"]),
    ]
    title = "Scores and inter-annotator agreement"
    rows = zip(found["spread"], found["agreement"], strict=True)
    return table_of("pilot-agreement", rows, parts, title)


def _counts(scores: Mapping[str, int]) -> str:
    return joined(", ", (f"{score}: {n}" for score, n in scores.items()))


def _needed_table(found: Mapping) -> Table:
    """Questions, and the hours of all annotators together; a dash where unknown."""
    columns = (
        Column("estimate"),
        Column("questions", "count"),
        Column("hours of all annotators", "count"),
    )
    names = ("low", "likely", "high")
    sizes = (NEVER if one is None else one for one in found["needed"]["questions"])
    rows = zip(names, sizes, found["hours"], strict=True)
    return Table("pilot-needed", columns, tuple(rows), _NEEDED.format(**found))


def annotators_per_answer(campaign: Campaign | None, annotators: int) -> float:
    """Return the mean number of annotators per answer: the campaign's, else all."""
    if campaign is None:
        return float(max(1, annotators))
    return campaign.shared * campaign.annotators_per_answer + (1 - campaign.shared)


def hours(
    answers: Sequence[int | None], minutes: Mapping, repeat_share: float, each: float
) -> tuple[float | None, ...]:
    """Return the hours of all annotators for low, likely and high; None where either is unknown.

    The low end is the fewest answers at the quick end of the middle half of the times, the high end
    the most at its slow end.

    `answers` are low, likely and high, None for no number; `each` is the number of annotators per
    answer.
    """
    paces = (minutes["low"], minutes["median"], minutes["high"])
    return tuple(
        None
        if count is None or pace is None
        else round(count * (1 + repeat_share) * each * pace / 60, 1)
        for count, pace in zip(answers, paces, strict=True)
    )


def middle(seconds: pd.Series) -> dict:
    """Return `n` times, and the `median` with the middle half of them, in minutes."""
    known = None if seconds.empty else (np.percentile(seconds, MIDDLE) / 60).tolist()
    low, median, high = known or (None, None, None)
    why = None if known else NO_TIMES
    return {"n": len(seconds), "low": low, "median": median, "high": high, "why_none": why}


def _only(panel: Panel, item_ids: set[int]) -> Panel:
    """The panel with only some answers in the figures."""
    own = panel.items["item_id"].isin(item_ids).to_numpy()
    closed = np.where(own | (panel.items["closed"] != "").to_numpy(), panel.items["closed"], OTHER)
    return replace(panel, items=panel.items.assign(closed=closed))


def _minutes(store: Store, panel: Panel, grading_set: GradingSet) -> dict:
    """Return each annotator's first times on answers graded on all criteria with known times."""
    versions = list(panel.rubric.versions().values())
    times = grade_table.graded_times(store, panel.sheet.id, versions)
    own = times["item_id"].isin(grading_sets.items(store, grading_set.id))
    times = times[own & (times["repeat"] == assignments.FIRST)]
    each = times.groupby(["grader_id", "item_id"])["seconds"].agg(["sum", "count"])
    whole = each[each["count"] == len(versions)]["sum"]
    annotators = whole.index.get_level_values("grader_id").nunique()
    left_out = len(each) - len(whole)
    return middle(whole) | {"annotators": int(annotators), "left_out": left_out}


def _spread(panel: Panel, criterion: str) -> dict:
    given = [panel.of(criterion, i).score[panel.counted(criterion, i)] for i in panel.annotators]
    scores = np.concatenate([*given, np.zeros(0)])
    few = len(scores) < 2
    return {
        "criterion": criterion,
        "n": len(scores),
        "mean": float(scores.mean()) if len(scores) else None,
        "sd": None if few else float(scores.std(ddof=1)),
        "why_none": "it requires two grades" if few else None,
        "scores": {str(score): int((scores == score).sum()) for score in panel.rubric.scale},
    }


def _agreement(panel: Panel, criterion: str) -> dict:
    found = ground(panel, criterion, EACH).overlapping(np.ones(len(panel.items), bool))
    figures = {key: found.figures[key] for key in ("exact", "alpha")}
    return {"criterion": criterion, "n": found.n} | figures


def _needed(on: CriterionPanel, half_width: float) -> dict:
    """Return the forecast of the pilot where it has one, else that of a formula."""
    extent = extent_of(on.panel)
    pairs = on.ceiling(np.ones(len(on.panel.items), bool)).pairs
    why = "no answer was graded blind by two annotators"
    if len(pairs.item):
        shares = exact_shares(pairs)
        found = questions_for_half_width(shares, half_width)
        if found.why_none is None:
            clusters = [getattr(found, key) for key in RANGE]
            return {"by": "pilot", **vars(sized(clusters, extent)), "why_none": None}
        why = found.why_none
    return {"by": "formula", **vars(by_formula(half_width, SHARE, extent)), "why_none": why}
