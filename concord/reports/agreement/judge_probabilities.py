"""Probabilities of a judge's scores, and how good they are on one criterion.

They are as the judge gave them, else the vote shares of its repeats. Vote shares are derived and
never stored: of a judge that graded an answer twice or more, the share of its scores that each
score has.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from concord.messages import counted, joined, message_of
from concord.model import Distribution
from concord.reports.cells import plain_share, written
from concord.reports.charts import Calibration, CalibrationBin, Grader
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.panel.criterion_comparison import EACH, CriterionPanel, ground
from concord.reports.panel.panel import Panel
from concord.reports.panel.wording import criterion_of, heading, named
from concord.rubrics.model import Rubric
from concord.stats.core.estimate import reason, undefined
from concord.stats.core.tables import distinct, positions
from concord.stats.probabilities import calibration
from concord.stats.probabilities.calibration import Scores
from concord.store import grades
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

REPEATS = "repeats"
SOURCES = {
    "native": "native",
    "logprobs": "log-probabilities",
    "stated": "stated",
    "imported": "imported",
    REPEATS: "repeated requests",
}
NO_PROBABILITIES = "graded without probabilities"
NOT_OF_ITS_SCORE = "no probability of the score that the judge gave"
OUTSIDE = "all probability is outside the scale"
ONE_SCORE = reason("one_probability_stated")
OUTSIDE_UNKNOWN = reason("outside_mass_unknown")


@dataclass(frozen=True)
class JudgeProbabilities:
    """The probabilities of one judge on one criterion, raw, with a row for every item of a panel.

    Attributes:
        source: Where they come from, a key of `SOURCES`, or several with commas.
        shares: (N, K) by item and score of the scale; NaN where it gave none.
        outside: (N,) the mass on what is no score; NaN where unknown.
    """

    source: str
    shares: np.ndarray
    outside: np.ndarray

    @cached_property
    def stated(self) -> bool:
        """Whether some answers have the probability of some scores only: a stated confidence."""
        missing = np.isnan(self.shares)
        return bool((missing.any(axis=1) & ~missing.all(axis=1)).any())


# By criterion and grader id.
Probabilities = Mapping[tuple[str, int], JudgeProbabilities]


def read(
    store: Store, panel: Panel, only: str | None = None
) -> dict[tuple[str, int], JudgeProbabilities]:
    """Return the probabilities of every judge of a panel that has any.

    Reading the criterion `only` alone is quicker. Empty for units: a distribution is of a whole
    answer.
    """
    if panel.rubric.units:
        return {}
    given = grades.graders_with_distributions(store, panel.sheet.id) & panel.judges.keys()
    voting = {*map(int, panel.repeats["grader_id"].unique())} & panel.judges.keys()
    found: dict[tuple[str, int], JudgeProbabilities] = {}
    names = [name for name in panel.weights if only in (None, name)]
    versions = rubric_versions.criteria(store, panel.rubric) if given else {}
    versions = {version: name for version, name in versions.items() if name in names}
    for judge in sorted(given):
        stored = grades.distributions_of_grader(store, panel.sheet.id, judge, versions).items()
        for name in names:
            own = {item_id: one for (item_id, *which), one in stored if which == [name, 1]}
            if own:
                found[name, judge] = _given(panel, own)
    for judge in sorted(voting - given):
        found |= _votes(panel, judge, names)
    return found


def _given(panel: Panel, given: Mapping[int, Distribution]) -> JudgeProbabilities:
    scale = panel.rubric.scale
    shares = np.full((len(panel.items), len(scale)), np.nan)
    outside = np.full(len(panel.items), np.nan)
    places = np.searchsorted(panel.items["id"].to_numpy(), [*given])
    for place, one in zip(places, given.values(), strict=True):
        told = dict(one.probabilities)
        shares[place] = [told.get(score, np.nan) for score in scale]
        outside[place] = np.nan if one.outside is None else one.outside
    source = ", ".join(dict.fromkeys(one.source for one in given.values()))
    return JudgeProbabilities(source, shares, outside)


def _votes(
    panel: Panel, judge: int, names: Iterable[str]
) -> dict[tuple[str, int], JudgeProbabilities]:
    """The vote shares of a judge on each criterion that it graded twice on some answer."""
    scale, found = panel.rubric.scale, {}
    repeats = panel.repeats
    later = repeats[(repeats["grader_id"] == judge) & repeats["score"].isin(scale)]
    for criterion in names:
        own, first = later[later["criterion"] == criterion], panel.of(criterion, judge)
        once = np.flatnonzero(first.scored)
        votes = np.zeros((len(panel.items), len(scale)))
        items, scores = np.r_[once, own["item"]], np.r_[first.score[once], own["score"]]
        np.add.at(votes, (items, positions(scores, scale)), 1)
        times = votes.sum(axis=1, keepdims=True)
        several = (times[:, 0] > 1) & first.scored
        if several.any():
            votes[~several] = np.nan
            unknown = np.full(len(votes), np.nan)
            shares = votes / np.maximum(times, 1)
            found[criterion, judge] = JudgeProbabilities(REPEATS, shares, unknown)
    return found


def report(
    panel: Panel, given: Probabilities, criterion: str, kind: str = EACH
) -> tuple[dict[str, Any], ...]:
    """Return a row for each judge with probabilities on a criterion, in the order of the panel.

    `given` is from `read`; `kind` is `each` annotator or their `consensus`.
    """
    on = ground(panel, criterion, kind)
    judges = [judge for judge in panel.judges if (criterion, judge) in given]
    return tuple(_row(on, judge, given[criterion, judge]) for judge in judges)


def _row(on: CriterionPanel, judge: int, given: JudgeProbabilities) -> dict[str, Any]:
    """Return how good a judge's probabilities are on the answers that it and annotators scored.

    `left_out` counts those of them that are not in the figures, by reason; `outside_mass` is the
    mean mass on what is no score, also of answers where all of it is; `overconfidence` is the mean
    confidence minus the share of pairs that agree. What takes the probability of every score is
    undefined for a stated confidence.
    """
    panel, pairs, scale = on.panel, on.pairs(on.panel.judges[judge]), on.panel.rubric.scale
    shares, outside = given.shares[pairs.item], given.outside[pairs.item]
    none = np.isnan(shares).all(axis=1)
    own = shares[np.arange(len(shares)), positions(pairs.judge, scale)]
    unusable, why = ~none & (shares.sum(axis=1) <= 0), OUTSIDE
    if given.stated:
        unusable, why = ~none & np.isnan(own), NOT_OF_ITS_SCORE
    left_out = {
        reason: distinct(pairs.item[rows])
        for reason, rows in ((NO_PROBABILITIES, none), (why, unusable))
        if rows.any()
    }
    kept, known = ~none & ~unusable, ~none & ~np.isnan(outside)
    mass = calibration.mean(pairs.where(known), outside[known], bounds=(0.0, 1.0))
    pairs, shares, own = pairs.where(kept), shares[kept], own[kept]
    if len(pairs.item) and not known.any():
        mass = undefined(OUTSIDE_UNKNOWN)
    if given.stated:
        confidence, sharpness = own, undefined(ONE_SCORE)
        scores = Scores(*[undefined(ONE_SCORE)] * 5)
    else:
        confidence, sharpness = own / shares.sum(axis=1), calibration.sharpness(pairs, shares)
        scores = calibration.scores(pairs, shares, scale)
    return {
        "judge": panel.labels[judge],
        "simulated": panel.judges[judge].simulated,
        "criterion": on.name,
        "reference": on.kind,
        "source": given.source,
        "n": distinct(pairs.item),
        "questions": distinct(panel.question[pairs.item]),
        "clusters": distinct(pairs.cluster),
        "left_out": left_out,
        **scores._asdict(),
        "ece": calibration.calibration_error(pairs, confidence),
        "outside_mass": mass,
        "sharpness": sharpness,
        "overconfidence": calibration.mean(pairs, confidence - (pairs.judge == pairs.annotator)),
        "diagram": calibration.diagram(pairs, confidence),
        "said": calibration.said(pairs, confidence),
    }


_FIGURES = {
    "rps": Column("ranked probability score", "value", "ranked probability score"),
    "rps_base_rate": Column("that of the base rate", "value"),
    "rps_skill": Column("skill", "number", "skill of probabilities"),
    "brier": Column("Brier score", "value", "Brier score"),
    "log_score": Column("log score", "value", "log score"),
    "ece": Column("calibration error", "value", "expected calibration error"),
    "overconfidence": Column("overconfidence, points", "points"),
    "sharpness": Column("sharpness", "share", "sharpness"),
    "outside_mass": Column("outside mass", "share", "outside mass"),
}
TERMS = ("reliability diagram", *(one.help for one in _FIGURES.values() if one.help))


def table(rows: Sequence[Mapping[str, Any]], rubric: Rubric) -> Table:
    """Return the figures of the probabilities of judges, a column for each judge and criterion."""
    parts = (
        ("judge", lambda row: named(row["judge"], row["simulated"])),
        ("criterion", lambda row: heading(rubric, row["criterion"])),
        ("source", lambda row: joined(", ", [SOURCES[one] for one in row["source"].split(", ")])),
        (Column("answers", "count"), "n"),
        *((column, key) for key, column in _FIGURES.items()),
    )
    found = table_of("probabilities", rows, parts, "Probabilities")
    return replace(found, across=bool(rows))


def document(
    rows: Sequence[Mapping[str, Any]], judge: str, rubric: Rubric, look: Mapping[str, Grader]
) -> Document:
    """Return how often annotators agree where a judge is sure, and the figures of all of them.

    `judge` is the label of one of the rows of a criterion; `look` says how each judge looks on
    charts. The level of “when it says 90%” is the mean confidence of the scores it is of, so that
    the sentence is true when read alone.
    """
    chosen = next(row for row in rows if row["judge"] == judge)
    criterion, sure = criterion_of(rubric, chosen["criterion"]), chosen["said"]
    about = {
        "judge": named(judge, chosen["simulated"]),
        "criterion": criterion,
        "level": plain_share(sure.level),
        "share": written(sure.agreed, "share"),
        "answers": counted(sure.answers, "answer"),
        "confidence": sure.within and plain_share(sure.within.confidence),
        "why": message_of(sure.agreed.why_none),
    }
    text = "When {judge} says {confidence} on {criterion}, annotators agree {share}"
    facts = ["{confidence} is its mean confidence in {answers} with at least {level}."]
    if sure.within is None:
        text, facts = "Cannot tell yet what {level} from {judge} on {criterion} means: {why}", []
    charts = (_chart(chosen, look[judge]),) if chosen["diagram"] else ()
    told = (fact.format(**about) for fact in facts)
    return Document(text.format(**about), tuple(told), (table(rows, rubric),), charts=charts)


def _chart(row: Mapping[str, Any], look: Grader) -> Calibration:
    words = "confidence {}, agreement {} on {}"
    return Calibration(
        name="reliability",
        title="",
        alt="Confidence against agreement",
        across="confidence of the judge",
        up="annotators agree",
        bins=tuple(
            CalibrationBin(
                one.confidence,
                one.agreed,
                words.format(
                    plain_share(one.confidence),
                    written(one.agreed, "share"),
                    counted(one.answers, "answer"),
                ),
            )
            for one in row["diagram"]
        ),
        of=look,
    )
