"""Pilot: what a first set of about 20 questions says before a team grades in earnest.

Minutes per answer, how far scores spread, how far annotators agree, and from these how many
questions
annotators' own exact agreement takes to be known as closely as wanted, and what that costs in
hours.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from concord.grading import assignments, campaigns, graded_times, grading_sets
from concord.grading.campaigns import Campaign
from concord.grading.grading_sets import GradingSet
from concord.language.plurals import counted
from concord.messages import Said, joined, said
from concord.reports.cells import number, share
from concord.reports.panel.comparison import Ground, ground
from concord.reports.panel.panel import OTHER, Panel
from concord.reports.panel.reference_standard import EACH
from concord.reports.planning.plan import RANGE, Terms, by_formula, exact_shares, extent_of, sized
from concord.stats.planning import pilot_of_share
from concord.store.database import Store

USUAL = 20  # questions of a pilot
MIDDLE = (25, 50, 75)
NO_TIMES = said("no answer of this set was graded here with its time")


def document(store: Store, panel: Panel, grading_set: GradingSet, half_width: float = 0.05) -> dict:
    """What a set says as a pilot; the keys are those of `campaign --pilot --json`.

    Args:
        store: The open store.
        panel: The sheet's panel under the set's rubric.
        grading_set: The pilot.
        half_width: How closely annotators' exact agreement shall be known, 0 to 1.
    """
    own = _only(panel, grading_sets.items(store, grading_set.id))
    on = ground(own, own.rubric.heaviest().name, EACH)
    minutes = _minutes(store, panel, grading_set)
    needed = _needed(on, half_width)
    each = people_per_answer(campaigns.find(store, grading_set.id), len(own.annotators))
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


def people_per_answer(campaign: Campaign | None, annotators: int) -> float:
    """How many annotators grade an answer on the mean: as the campaign has it, else all. Pure."""
    if campaign is None:
        return float(max(1, annotators))
    return campaign.shared * campaign.people_per_answer + (1 - campaign.shared)


def hours(
    answers: list[int | None], minutes: dict, repeat_share: float, each: float
) -> list[float | None]:
    """Hours of all annotators for low, likely and high; None where either is unknown. Pure.

    The low end is the fewest answers at the quick end of the middle half of the times, the high end
    the most at its slow end.

    Args:
        answers: Low, likely and high number of answers, None for no number.
        minutes: `low`, `median` and `high` minutes per answer, None for unknown.
        repeat_share: The share of answers that come back hidden.
        each: Annotators per answer.
    """
    paces = [minutes[key] for key in ("low", "median", "high")]
    return [
        None
        if count is None or pace is None
        else round(count * (1 + repeat_share) * each * pace / 60, 1)
        for count, pace in zip(answers, paces, strict=True)
    ]


def middle(seconds: pd.Series) -> dict:
    """Median and middle half of times in minutes, with n; None with the reason where none. Pure."""
    if seconds.empty:
        return {"n": 0, "low": None, "median": None, "high": None, "why_none": NO_TIMES}
    low, median, high = (float(one) for one in np.percentile(seconds, MIDDLE) / 60)
    return {"n": len(seconds), "low": low, "median": median, "high": high, "why_none": None}


def text(found: dict) -> str:
    """The same for a terminal, a sentence a line."""
    return "\n".join(sentences(found))


def sentences(found: dict) -> list[Said]:
    """The same in sentences."""
    agreed = zip(found["spread"], found["agreement"], strict=True)
    return [
        _pace(found["minutes"]),
        *(_agreed(spread, agreement) for spread, agreement in agreed),
        *_no_alpha(found["agreement"]),
        _takes(found),
        _costs(found),
    ]


def _pace(minutes: dict) -> Said:
    if not minutes["n"]:
        return said("No minutes per answer: {why}.", why=minutes["why_none"])
    return said(
        "{median:.1f} minutes per answer, the middle half {low:.1f} to {high:.1f} (n {n}, "
        "{answers} without all times left out).",
        median=minutes["median"],
        low=minutes["low"],
        high=minutes["high"],
        n=minutes["n"],
        answers=counted(minutes["left_out"], "answer"),
    )


def _agreed(spread: dict, agreed: dict) -> Said:
    return said(
        "{criterion}: scores {scores} (n {n}); annotators agree exactly on {exact}, alpha {alpha} "
        "(n {shared}).",
        criterion=spread["criterion"],
        scores=joined(", ", [f"{score}: {n}" for score, n in spread["scores"].items()]),
        n=spread["n"],
        exact=share(agreed["exact"]),
        alpha=number(agreed["alpha"]),
        shared=agreed["n"],
    )


def _no_alpha(agreed: list[dict]) -> list[Said]:
    """Why alpha stands for no criterion or another, each reason once."""
    whys = dict.fromkeys(row["alpha"]["why_none"] for row in agreed if row["n"])
    return [said("No alpha: {why}.", why=why) for why in whys if why]


def _takes(found: dict) -> Said:
    needed = found["needed"]
    by = (
        said("these grades")
        if needed["by"] == "pilot"
        else said("formula ({why})", why=needed["why_none"])
    )
    return said(
        "To know annotators' exact agreement on {criterion} to ±{width:.0%}: {questions} by {by}.",
        criterion=found["criterion"],
        width=found["half_width"],
        questions=_questions(needed["questions"]),
        by=by,
    )


def _costs(found: dict) -> Said:
    if all(one is None for one in found["hours"]):
        return said("What that costs cannot be said without times.")
    return said(
        "That is {hours} of all annotators together, at {annotators:g} annotators per answer.",
        hours=_hours(found["hours"]),
        annotators=found["annotators_per_answer"],
    )


def _only(panel: Panel, item_ids: set[int]) -> Panel:
    """The panel with only some answers in the figures."""
    own = panel.items["item_id"].isin(item_ids).to_numpy()
    closed = np.where(own | (panel.items["closed"] != "").to_numpy(), panel.items["closed"], OTHER)
    return replace(panel, items=panel.items.assign(closed=closed))


def _minutes(store: Store, panel: Panel, grading_set: GradingSet) -> dict:
    """Each annotator's first time on each answer over all criteria, where each has its time."""
    versions = list(panel.rubric.versions().values())
    times = graded_times.of_annotators(store, panel.sheet.id, versions)
    own = times["item_id"].isin(grading_sets.items(store, grading_set.id))
    times = times[own & (times["repeat"] == assignments.FIRST)]
    each = times.groupby(["grader_id", "item_id"])["seconds"].agg(["sum", "count"])
    whole = each[each["count"] == len(versions)]["sum"]
    annotators = whole.index.get_level_values("grader_id").nunique()
    return {**middle(whole), "annotators": int(annotators), "left_out": len(each) - len(whole)}


def _spread(panel: Panel, criterion: str) -> dict:
    given = [panel.of(criterion, i).score[panel.counted(criterion, i)] for i in panel.annotators]
    scores = np.concatenate([*given, np.zeros(0)])
    few = len(scores) < 2
    return {
        "criterion": criterion,
        "n": len(scores),
        "mean": float(scores.mean()) if len(scores) else None,
        "sd": None if few else float(scores.std(ddof=1)),
        "why_none": said("it takes two grades") if few else None,
        "scores": {str(score): int((scores == score).sum()) for score in panel.rubric.scale},
    }


def _agreement(panel: Panel, criterion: str) -> dict:
    measured = ground(panel, criterion, EACH).ceiling(np.ones(len(panel.items), bool))
    figures = {name: measured.figures[name]._asdict() for name in ("exact", "alpha")}
    return {"criterion": criterion, "n": measured.n, **figures}


def _needed(on: Ground, half_width: float) -> dict:
    """Low, likely and high in clusters, questions and answers, by the pilot where it says one."""
    extent = extent_of(on.panel)
    pairs = on.ceiling(np.ones(len(on.panel.items), bool)).pairs
    if len(pairs.item):
        found = pilot_of_share.questions_for_half_width(exact_shares(pairs), half_width)
        if found.why_none is None:
            clusters = [getattr(found, key) for key in RANGE]
            return {"by": "pilot", "why_none": None, **sized(clusters, extent)}
        why = found.why_none
    else:
        why = said("no answer was graded by two annotators")
    formula = by_formula(Terms(half_width=half_width), extent)["half_width"]
    return {"by": "formula", "why_none": why, **formula}


def _questions(numbers: list[float | None]) -> Said:
    low, likely, high = map(_number, numbers)
    if low == high:
        return said("{low} questions", low=low)
    return said("{low} to {high} questions, likely {likely},", low=low, high=high, likely=likely)


def _hours(numbers: list[float | None]) -> Said:
    low, likely, high = map(_number, numbers)
    if low == high:
        return said("{low} hours", low=low)
    return said("{low} to {high} hours, likely {likely},", low=low, high=high, likely=likely)


def _number(one: float | None) -> str:
    return said("no number of") if one is None else f"{one:,g}"
