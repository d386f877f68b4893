"""Probabilities of a judge's scores, and how good they are on one criterion.

They are as the judge gave them, else the vote shares of its repeats. Vote shares are derived and
never stored: of a judge that graded an answer twice or more, the share of its scores that each
score has.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from concord.messages import joined, said
from concord.model import Distribution
from concord.reports.agreement.rows import AgreementRow
from concord.reports.panel.criterion_comparison import EACH, MEAN, CriterionPanel, ground
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.stats.core.estimate import Estimate, reason, undefined
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import distinct, positions
from concord.stats.probabilities import reliability, scoring
from concord.stats.probabilities.reliability import Bin, Said
from concord.stats.probabilities.scoring import Scores
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
NO_PROBABILITIES = said("graded without probabilities")
NOT_OF_ITS_SCORE = said("no probability of the score that the judge gave")
OUTSIDE = said("all probability is outside the scale")
CONTINUOUS = said(
    "graded with continuous numbers; imported without scores, they are read from the probabilities"
)

# By criterion and grader id.
Probabilities = Mapping[tuple[str, int], "JudgeProbabilities"]
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


@dataclass(frozen=True)
class PairProbabilities:
    """A judge's scores with their probabilities, paired with the annotators' scores.

    Attributes:
        pairs: Of the answers with probabilities that can be used.
        source: As of `JudgeProbabilities`, and so is `stated`.
        shares: (n, K) of the answer of each pair; where `stated`, NaN but for the judge's score.
        outside: (m,) the mass on what is no score, where it is known; also where all of it is.
        outside_pairs: The pairs that `outside` is of.
        scale: The K scores.
        left_out: Answers that judge and annotators scored and that are not here, by reason.
    """

    pairs: Pairs
    source: str
    stated: bool
    shares: np.ndarray
    outside: np.ndarray
    outside_pairs: Pairs
    scale: tuple[int, ...]
    left_out: dict[str, int]

    @cached_property
    def confidence(self) -> np.ndarray:
        """(n,) the probability of the judge's score, 0 to 1; normalised unless it is stated."""
        own = self.shares[np.arange(len(self.shares)), positions(self.pairs.judge, self.scale)]
        return own if self.stated else own / self.shares.sum(axis=1)


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
        stored = grades.distributions_of_grader(store, panel.sheet.id, judge, versions)
        for criterion, own in _by_criterion(stored).items():
            found[criterion, judge] = _given(panel, own)
    for judge in sorted(voting - given):
        found |= _votes(panel, judge, names)
    return found


def paired(on: CriterionPanel, judge: int, given: JudgeProbabilities) -> PairProbabilities:
    """Return a judge's probabilities on the answers that it and the annotators scored.

    `on` is of a criterion whose reference is scores of the scale, and `judge` the grader id.
    """
    pairs, scale = on.pairs(on.panel.judges[judge]), on.panel.rubric.scale
    shares, outside = given.shares[pairs.item], given.outside[pairs.item]
    none = np.isnan(shares).all(axis=1)
    if given.stated:
        own = shares[np.arange(len(shares)), positions(pairs.judge, scale)]
        unusable, why = ~none & np.isnan(own), NOT_OF_ITS_SCORE
    else:
        unusable, why = ~none & (shares.sum(axis=1) <= 0), OUTSIDE
    left_out = {
        reason: len(np.unique(pairs.item[rows]))
        for reason, rows in ((NO_PROBABILITIES, none), (why, unusable))
        if rows.any()
    }
    if (on.name, judge) in on.panel.continuous:
        numbers = on.panel.continuous[on.name, judge]
        graded = np.intersect1d(np.flatnonzero(numbers.scored & on.panel.open), on.annotators.item)
        left_out[CONTINUOUS] = len(graded)
    kept, known = ~none & ~unusable, ~none & ~np.isnan(outside)
    return PairProbabilities(
        pairs=pairs.where(kept),
        source=given.source,
        stated=given.stated,
        shares=shares[kept],
        outside=outside[known],
        outside_pairs=pairs.where(known),
        scale=scale,
        left_out=left_out,
    )


def source_name(source: str) -> str:
    """Return the sources of a judge's probabilities in words."""
    return joined(", ", [SOURCES[one] for one in source.split(", ")])


def _by_criterion(
    stored: Mapping[tuple[int, str, int], Distribution],
) -> dict[str, list[tuple[int, Distribution]]]:
    """The distributions of first grades with their item ids, by criterion."""
    found: dict[str, list[tuple[int, Distribution]]] = {}
    for (item_id, criterion, repeat), one in stored.items():
        if repeat == 1:
            found.setdefault(criterion, []).append((item_id, one))
    return found


def _given(panel: Panel, given: Iterable[tuple[int, Distribution]]) -> JudgeProbabilities:
    item_ids, every = zip(*given, strict=True)
    column = {score: place for place, score in enumerate(panel.rubric.scale)}
    shares = np.full((len(panel.items), len(column)), np.nan)
    outside = np.full(len(panel.items), np.nan)
    places = np.searchsorted(panel.items["id"].to_numpy(), item_ids)
    for place, one in zip(places, every, strict=True):
        for score, probability in one.probabilities:
            if score in column:
                shares[place, column[score]] = probability
        if one.outside is not None:
            outside[place] = one.outside
    source = ", ".join(dict.fromkeys(one.source for one in every))
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
        for items, scores in ((once, first.score[once]), (own["item"], own["score"])):
            np.add.at(votes, (np.asarray(items), positions(np.asarray(scores), scale)), 1)
        times = votes.sum(axis=1, keepdims=True)
        several = (times[:, 0] > 1) & first.scored
        if several.any():
            votes[~several] = np.nan
            shares = votes / np.maximum(times, 1)
            found[criterion, judge] = JudgeProbabilities(
                REPEATS, shares, np.full(len(votes), np.nan)
            )
    return found


@dataclass(frozen=True)
class ProbabilityFigures:
    """How good a judge's probabilities are.

    Attributes:
        source: Where they come from, as of `JudgeProbabilities`.
        n: Answers with probabilities that judge and annotators scored.
        rps: Ranked probability score; that and the next four as in `scoring.Scores`, undefined for
            a stated confidence.
        ece: Expected calibration error, debiased.
        outside_mass: Mean mass on what is no score, also of answers where all of it is; undefined
            where no source says it.
    """

    source: str
    n: int
    rps: Estimate
    rps_base_rate: Estimate
    rps_skill: Estimate
    brier: Estimate
    log_score: Estimate
    ece: Estimate
    outside_mass: Estimate


def figures(of: PairProbabilities) -> ProbabilityFigures:
    """Return the figures of a judge's probabilities; undefined without pairs."""
    scores = (
        Scores(*[undefined(ONE_SCORE)] * 5)
        if of.stated
        else scoring.scores(of.pairs, of.shares, of.scale)
    )
    ece = reliability.calibration_error(of.pairs, of.confidence)
    return ProbabilityFigures(of.source, distinct(of.pairs.item), *scores, ece, _outside(of))


def with_probabilities(
    store: Store, panel: Panel, rows: Sequence[AgreementRow]
) -> tuple[AgreementRow, ...]:
    """Return rows of the agreement report of a panel with the figures of probabilities."""
    given = read(store, panel)
    ids = {label: judge for judge, label in panel.labels.items()}
    return tuple(
        replace(row, probabilities=_of_row(panel, row, ids[row.judge], given)) for row in rows
    )


def _of_row(
    panel: Panel, row: AgreementRow, judge: int, given: Probabilities
) -> ProbabilityFigures | None:
    own = given.get((row.criterion, judge))
    if own is None or row.criterion == COMPOSITE or row.reference == MEAN or row.continuous:
        return None
    within = panel.within(row.answer_model) if row.answer_model else panel
    return figures(paired(ground(within, row.criterion, row.reference), judge, own))


def _outside(of: PairProbabilities) -> Estimate:
    if len(of.pairs.item) and not len(of.outside):
        return undefined(OUTSIDE_UNKNOWN)
    return scoring.mean(of.outside_pairs, of.outside, bounds=(0.0, 1.0))


@dataclass(frozen=True)
class Confidence:
    """The probabilities of one judge on one criterion.

    Attributes:
        reference: `each` annotator or the `consensus`.
        n: Answers with probabilities that judge and annotators scored.
        ceiling: Inter-annotator agreement on these answers.
        questions: Of how many questions, in `clusters`; the clusters count as independent.
        left_out: Answers that both scored and that are not in the figures, by reason.
        sharpness: Mean probability of the most probable score; undefined for a stated confidence.
        overconfidence: Mean confidence minus the share of pairs that agree, -1 to 1.
        diagram: The bins of the reliability diagram, by rising confidence.
        said: What becomes of the scores of which the judge is sure.
    """

    judge: str
    simulated: bool
    criterion: str
    reference: str
    n: int
    ceiling: Estimate
    questions: int
    clusters: int
    left_out: dict[str, int]
    figures: ProbabilityFigures
    sharpness: Estimate
    overconfidence: Estimate
    diagram: tuple[Bin, ...]
    said: Said


def report(
    panel: Panel, given: Probabilities, criterion: str, kind: str = EACH
) -> tuple[Confidence, ...]:
    """Return a row for each judge with probabilities on a criterion, in the order of the panel.

    `given` is from `judge_probabilities.read`; `kind` is `each` annotator or their `consensus`.
    """
    on = ground(panel, criterion, kind)
    judges = [judge for judge in panel.judges if (criterion, judge) in given]
    return tuple(_row(on, judge, paired(on, judge, given[criterion, judge])) for judge in judges)


def _row(on: CriterionPanel, judge: int, of: PairProbabilities) -> Confidence:
    panel, pairs, confidence = on.panel, of.pairs, of.confidence
    agree = pairs.judge == pairs.annotator
    return Confidence(
        judge=panel.labels[judge],
        simulated=panel.judges[judge].simulated,
        criterion=on.name,
        reference=on.kind,
        n=distinct(pairs.item),
        ceiling=on.ceiling(panel.mask(pairs.item)).figures["exact"],
        questions=distinct(panel.question[pairs.item]),
        clusters=distinct(pairs.cluster),
        left_out=of.left_out,
        figures=figures(of),
        sharpness=undefined(ONE_SCORE) if of.stated else reliability.sharpness(pairs, of.shares),
        overconfidence=scoring.mean(pairs, confidence - agree),
        diagram=tuple(reliability.diagram(pairs, confidence)),
        said=reliability.said(pairs, confidence),
    )
