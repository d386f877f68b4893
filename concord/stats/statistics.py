"""The registry of agreement statistics: each is declared here, once.

The agreement report, its JSON, terminal tables, screens, charts, the gate and the certificate
iterate over `STATISTICS`. A new statistic is an entry here and its computation; its `doc` becomes
its section in docs/statistics.md (`python -m tests.test_docs_statistics`).

All are computed on paired scores: the weighted pairs of two graders, summed per question once.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, Self

import numpy as np

from concord.stats import continuous
from concord.stats.agreement import coefficients
from concord.stats.agreement.coefficients import (
    NONE_CALLED,
    NONE_FAILED,
    NONE_PASSED,
    VerdictCounts,
    balanced_accuracy,
    failure_f1,
)
from concord.stats.continuous import question_moments
from concord.stats.core.estimate import CONFIDENCE, Estimate, Reason, Why, reason, undefined
from concord.stats.core.minimums import PAIR_FLOOR
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import NEGLIGIBLE, DistinctSums, alike, distinct, effective_number
from concord.stats.intervals.resampling import (
    FISHER,
    LOGIT,
    PLAIN,
    ROOT,
    Draws,
    LeftOut,
    Stretch,
    jackknife,
    leave_out,
)
from concord.stats.intervals.simultaneous import Difference, simultaneous
from concord.stats.intervals.wilson import proportion

NOTHING_COUNTED = reason("nothing_to_count")


@dataclass(frozen=True, eq=False)
class PairedScores:
    """Scores of one criterion by two graders.

    Attributes:
        pairs: The weighted pairs.
        between_annotators: The pairs come from `annotators_pairs`, so each is there in both orders.
        scale: All scores of the rubric, rising.
        failing: The scores that fail.
        confidence: Level of the intervals.
    """

    pairs: Pairs
    between_annotators: bool
    scale: Sequence[int]
    failing: Sequence[int] = ()
    confidence: float = CONFIDENCE

    @classmethod
    def constant(
        cls, score: int, annotators: np.ndarray, scale: Sequence[int], failing: Sequence[int]
    ) -> Self:
        """A judge that always gives one score, with a pair for each score of annotators.

        For values alone: the (K,) summed weights of annotators' scores say nothing of questions.
        """
        given = np.flatnonzero(annotators > 0)
        pairs = Pairs(
            judge=np.full(len(given), score),
            annotator=np.asarray(scale)[given],
            weight=annotators[given],
            item=np.arange(len(given)),
            cluster=np.zeros(len(given), int),
        )
        return cls(pairs, False, scale, failing)

    @property
    def count(self) -> int:
        """Number of answers, however many annotators graded each."""
        return distinct(self.pairs.item)

    @cached_property
    def tables(self) -> DistinctSums:
        """The (K, K) tables of the questions, rows = annotator, columns = judge."""
        return alike(self.pairs.tables(self.scale))

    @cached_property
    def left_out(self) -> LeftOut:
        """The same summed over all questions and over all but one."""
        found = leave_out(self.tables, confidence=self.confidence)
        return replace(found, units=float(effective_number(self.pairs.weight)))

    def figure(self, statistic: Callable[..., np.ndarray], stretch: Stretch) -> Estimate:
        """A figure of the tables with its jackknife interval."""
        return jackknife(self.left_out, statistic, stretch)

    @cached_property
    def apart(self) -> np.ndarray:
        """(K, K) absolute differences of scores."""
        return coefficients.differences(self.scale)

    @cached_property
    def fails(self) -> np.ndarray:
        """(K,) which scores of the scale fail."""
        return np.isin(np.asarray(self.scale), list(self.failing))

    @property
    def annotator_fails(self) -> np.ndarray:
        """(K, K) in which cells the annotator's score fails."""
        return np.repeat(self.fails[:, None], len(self.fails), axis=1)

    @property
    def judge_fails(self) -> np.ndarray:
        """(K, K) in which cells the judge's score fails."""
        return self.annotator_fails.T

    @cached_property
    def squares(self) -> np.ndarray:
        """(K, K) summed squared weights of the pairs."""
        together = np.zeros_like(self.pairs.cluster)
        return self.pairs._replace(weight=self.pairs.weight**2, cluster=together).tables(
            self.scale
        )[0]

    def share(
        self,
        hit: np.ndarray,
        of: np.ndarray | None = None,
        why_none: Why = NOTHING_COUNTED,
        inflation: float = 1.0,
    ) -> Estimate:
        """The share of the weight in some (K, K) cells that hits, with Wilson's interval.

        With several annotators every pair of scores is an answer of its own, as alike as those of a
        question are.

        Args:
            hit: The cells that hit.
            of: Those it is a share of, all by default; undefined where they are empty.
            why_none: The reason given then.
            inflation: How many times as large the variance is as that over questions.
        """
        of = np.ones(hit.shape, bool) if of is None else of
        cells = self.tables.rows.reshape(len(self.tables.rows), -1)
        hits, base = (cells @ one.ravel().astype(float) for one in (hit & of, of))
        times, weight = self.tables.times, (self.tables.times * base).sum()
        if weight < NEGLIGIBLE:
            return undefined(why_none)
        units = float(weight**2 / self.squares[of].sum())
        return proportion(hits, base, units, times, self.confidence, inflation)


@dataclass(frozen=True, eq=False)
class PairedComposites:
    """Composites, weighted means of criteria, by two graders: real numbers and no scores.

    Attributes:
        pairs: The weighted pairs; a composite exists only where all criteria are scored.
        between_annotators: As of `PairedScores`.
    """

    pairs: Pairs
    between_annotators: bool

    @property
    def count(self) -> int:
        """Number of answers, however many annotators graded each."""
        return distinct(self.pairs.item)

    @cached_property
    def moments(self) -> LeftOut:
        """The `question_moments`, summed over all questions and over all but one."""
        return leave_out(question_moments(self.pairs), 0)


Paired = PairedScores | PairedComposites
Compute = Callable[[PairedScores], Estimate]
ComputeComposites = Callable[[PairedComposites], Estimate]


def resampled(statistic: Callable[..., np.ndarray], stretch: Stretch = PLAIN, **options) -> Compute:
    """Compute a function of (tables, scale) with the question jackknife."""
    return lambda paired: paired.figure(
        lambda tables: statistic(tables, paired.scale, **options), stretch
    )


def resampled_moments(
    statistic: Callable[..., np.ndarray], stretch: Stretch = PLAIN
) -> ComputeComposites:
    """Compute a function of the moments of composites with the question jackknife."""
    return lambda paired: jackknife(paired.moments, statistic, stretch)


Family = Literal["share", "error", "chance-corrected", "correlation"]
Kind = Literal["share", "number", "difference"]

NOTHING = reason("nothing_to_compare")
TWO_POINTS = reason("two_point_scale_within_one")
NEVER_TWO = reason("two_point_scale_off_by_two")
NO_SIDE = reason("bias_between_annotators")
NOT_FOR_COMPOSITES = reason("not_for_composites")
TOO_FEW_PAIRS = reason("too_few_pairs", n=PAIR_FLOOR)


@dataclass(frozen=True)
class Statistic:
    """An agreement statistic of two graders on one criterion or on composites.

    Attributes:
        key: Its name in JSON.
        title: Its title in a table of all statistics.
        family: `share` of answers, `error` in points, `chance-corrected`, or `correlation`;
            chance-corrected ones are undefined under `PAIR_FLOOR` answers.
        kind: How its values are written: in percent, with two decimals, or with a sign.
        scores: How it is computed on scores; None for a figure of continuous grades alone.
        composites: How it is computed on composites; None where it is undefined there.
        gate: It can have a minimum on the command line.
        axis: What the axis of a chart shows, of `units`; '' where no chart has it.
        short: Its name as the head of a column; the title where empty.
        term: Its heading in docs/figures.md; the key in words where empty.
        higher_is_better: False where lower is; of a `difference` the value nearest to 0 is best.
        directed: The two graders have roles, so it is undefined between annotators.
        counts: Of failing verdicts, the numbers of answers it is of (`VerdictCounts`).
        two_points: Why it is undefined on a scale of two neighbouring points; None where it is not.
        doc: Its section in docs/statistics.md: formula, validity and source.
    """

    key: str
    title: str
    family: Family
    kind: Kind
    scores: Compute | None = None
    composites: ComputeComposites | None = None
    gate: bool = False
    axis: str = ""
    short: str = ""
    term: str = ""
    higher_is_better: bool = True
    directed: bool = False
    counts: tuple[str, ...] = ()
    two_points: Reason | None = None
    doc: str = ""

    def titled(self, units: str = "") -> str:
        """The title, for answers or for units that are called so."""
        return self.title.replace("answers", units) if units else self.title

    @property
    def of_failing(self) -> bool:
        """True for a figure of failing verdicts."""
        return bool(self.counts)

    @property
    def head(self) -> str:
        """The name as the head of a column."""
        return self.short or self.title

    @property
    def heading(self) -> str:
        """The heading in docs/figures.md that explains it."""
        return self.term or self.key.replace("_", " ")

    @property
    def option(self) -> str:
        """The option of the command line that sets its minimum."""
        return f"--{self.key.replace('_', '-')}"

    def of_constant(self, paired: PairedScores) -> float | None:
        """The value of a judge that always gives one score, on any scale and any few pairs."""
        value = self.scores(paired).value
        # Rounding leaves 1e-16 where such a judge is at chance.
        return 0.0 if value is not None and abs(value) < NEGLIGIBLE else value

    def better(self, value: float) -> float:
        """A number that is higher the better the value is."""
        if self.kind == "difference":
            return -abs(value)
        return value if self.higher_is_better else -value

    def of(self, paired: Paired) -> Estimate:
        """The statistic of paired scores or composites, or why it is undefined."""
        compute = self.scores if isinstance(paired, PairedScores) else self.composites
        if compute is None:
            return undefined(NOT_FOR_COMPOSITES)
        if self.directed and paired.between_annotators:
            return undefined(NO_SIDE)
        if self.two_points and paired.apart.max() < 2:
            return undefined(self.two_points)
        why = floor(self.key, paired.count)
        return undefined(why) if why else compute(paired)


def figures(
    pairs: Pairs,
    scale: Sequence[int],
    failing: Collection[int],
    between_annotators: bool = False,
    names: Collection[str] | None = None,
    confidence: float = CONFIDENCE,
) -> dict[str, Estimate]:
    """Statistics of one judge (or of annotators among themselves) on one criterion.

    Shares have Wilson's interval at the effective n, all others the question jackknife.

    Args:
        pairs: The weighted pairs, from `judge_pairs`, `annotators_pairs` or `others_pairs`.
        scale: All scores of the rubric, rising.
        failing: The scores that fail.
        between_annotators: The pairs come from `annotators_pairs`, so each is there in both orders.
        names: Keys of the statistics to compute; None for all.
        confidence: Level of the intervals; each at this level.

    Returns:
        An estimate for each key, in the order of the registry.
    """
    names = KEYS if names is None else names
    if len(pairs.item) == 0:
        return absent(NOTHING, names)
    paired = PairedScores(pairs, between_annotators, scale, tuple(failing), confidence)
    return {one.key: one.of(paired) for one in STATISTICS if one.key in names}


def composite_figures(
    pairs: Pairs,
    between_annotators: bool = False,
    names: Collection[str] | None = None,
) -> dict[str, Estimate]:
    """Statistics of composites, with question jackknife intervals.

    Args:
        pairs: The weighted pairs of composites.
        between_annotators: As for `figures`.
        names: Keys of the statistics to compute; None for all.

    Returns:
        An estimate for each key; undefined with the reason where a statistic says nothing of
        composites.
    """
    names = KEYS if names is None else names
    if len(pairs.item) == 0:
        return absent(NOTHING, names)
    paired = PairedComposites(pairs, between_annotators)
    return {one.key: one.of(paired) for one in STATISTICS if one.key in names}


def absent(why: Why, names: Collection[str] | None = None) -> dict[str, Estimate]:
    """Return all statistics as undefined for one reason, such as a ceiling with one annotator."""
    return dict.fromkeys(KEYS if names is None else names, undefined(why))


def floor(key: str, answers: int) -> Reason | None:
    """Return why a statistic is withheld at this number of answers; None where it is not."""
    few = answers < PAIR_FLOOR and BY_KEY[key].family == "chance-corrected"
    return TOO_FEW_PAIRS if few else None


def counts(found: VerdictCounts | None) -> dict[str, dict[str, int | None]]:
    """Return the numbers of answers that each figure of failing verdicts is of; None for none."""
    every = found._asdict() if found else dict.fromkeys(VerdictCounts._fields)
    return {one.key: {name: every[name] for name in one.counts} for one in OF_FAILING}


def _of_verdicts(
    statistic: Callable[[np.ndarray, np.ndarray], np.ndarray],
    denominators: Callable[[PairedScores], tuple[np.ndarray, np.ndarray]],
    whys: tuple[Why, Why],
) -> Compute:
    """A figure of failing verdicts with the question jackknife, on the logit.

    It is undefined where one of its denominators, of (K, K) cells, is empty, for one of `whys`.
    """

    def compute(paired: PairedScores) -> Estimate:
        cells = denominators(paired)
        left_out = paired.left_out.within(*cells)
        why = whys[bool(left_out.total[cells[0]].sum())]
        return jackknife(
            left_out, lambda tables: statistic(tables, paired.fails), LOGIT, (0, 1), why
        )

    return compute


STATISTICS = (
    Statistic(
        "exact",
        "exact agreement",
        "share",
        "share",
        lambda paired: paired.share(paired.apart == 0),
        gate=True,
        short="exact",
        axis="share of {units} with an annotator's exact score",
        doc="""
Formula: the share of pairs with j = h.
Valid: on whole scores.""",
    ),
    Statistic(
        "within_one",
        "agreement within one point",
        "share",
        "share",
        lambda paired: paired.share(paired.apart <= 1),
        gate=True,
        short="within one",
        axis="share within one point of an annotator's score",
        two_points=TWO_POINTS,
        doc="""
Formula: the share of pairs with |j − h| ≤ 1, in points of score, not steps of the scale.
Valid: from three scores on; on 0-3 random guessing reaches .625.""",
    ),
    Statistic(
        "off_by_two",
        "off by two or more",
        "share",
        "share",
        lambda paired: paired.share(paired.apart >= 2),
        short="off by two",
        higher_is_better=False,
        two_points=NEVER_TWO,
        doc="""
Formula: the share of pairs with |j − h| ≥ 2.
Valid: from three scores on.""",
    ),
    Statistic(
        "failure_recall",
        "recall of failing answers",
        "share",
        "share",
        lambda paired: paired.share(paired.judge_fails, paired.annotator_fails, NONE_FAILED),
        gate=True,
        axis="share of failing {units} the judge failed too",
        short="failure recall",
        counts=("failing",),
        doc="""
Formula: weight of pairs in which both fail / weight of pairs in which the annotator fails. An
answer that one of two annotators failed counts half.
Valid: from one failing answer; its interval from 10 effective questions of them.""",
    ),
    Statistic(
        "failure_precision",
        "precision of failing verdicts",
        "share",
        "share",
        lambda paired: paired.share(paired.annotator_fails, paired.judge_fails, NONE_CALLED),
        gate=True,
        axis="share of the judge's failing verdicts that annotators share",
        short="failure precision",
        counts=("judge_failing",),
        doc="""
Formula: weight of pairs in which both fail / weight of pairs in which the judge fails.
Valid: undefined for a judge that fails nothing; comparable on one sheet only. On *Review*: of
“contradicted” verdicts, which reviewers saw first.""",
    ),
    Statistic(
        "false_alarm_rate",
        "false-alarm rate",
        "share",
        "share",
        lambda paired: paired.share(paired.judge_fails, ~paired.annotator_fails, NONE_PASSED),
        gate=True,
        higher_is_better=False,
        counts=("passing",),
        doc="""
Formula: weight of pairs in which only the judge fails / weight of pairs in which the annotator
passes; 1 − specificity.
Valid: undefined where annotators pass nothing.""",
    ),
    Statistic(
        "failure_f1",
        "F1 of failing verdicts",
        "share",
        "share",
        _of_verdicts(
            failure_f1,
            lambda paired: (paired.annotator_fails, paired.judge_fails),
            (NONE_FAILED, NONE_CALLED),
        ),
        gate=True,
        short="failure F1",
        counts=("failing", "judge_failing"),
        doc="""
Formula: 2 · both fail / (annotator fails + judge fails), in weights of pairs.
Valid: undefined where annotators or the judge fail nothing; comparable on one sheet only.
Source: van Rijsbergen (1979).""",
    ),
    Statistic(
        "balanced_accuracy",
        "balanced accuracy of failing verdicts",
        "share",
        "share",
        _of_verdicts(
            balanced_accuracy,
            lambda paired: (paired.annotator_fails, ~paired.annotator_fails),
            (NONE_FAILED, NONE_PASSED),
        ),
        gate=True,
        short="balanced accuracy",
        counts=("failing", "passing"),
        doc="""
Formula: (recall + specificity) / 2.
Valid: undefined where annotators fail nothing, or pass nothing.
Source: Brodersen et al. (2010).""",
    ),
    Statistic(
        "bias",
        "bias",
        "error",
        "difference",
        resampled(coefficients.bias, PLAIN),
        resampled_moments(continuous.bias, PLAIN),
        axis="points above (+) or below (−) an annotator",
        directed=True,
        doc="""
Formula: mean(j − h).
Valid: undefined between annotators; 0 can hide errors that cancel.""",
    ),
    Statistic(
        "mae",
        "mean distance (MAE)",
        "error",
        "number",
        resampled(coefficients.mae, ROOT),
        resampled_moments(continuous.mae, ROOT),
        axis="mean distance from an annotator, in points",
        short="MAE",
        higher_is_better=False,
        doc="""
Formula: mean|j − h|.""",
    ),
    Statistic(
        "kappa",
        "kappa",
        "chance-corrected",
        "number",
        resampled(coefficients.cohen_kappa, FISHER),
        doc="""
Formula: 1 − Do/De: Do the share of pairs that differ, De the share that would differ if both kept
their score frequencies but graded independently.
Valid: from 30 answers; 0 if one grader is constant, undefined if both are.
Source: Cohen (1960); between annotators, pairs in both orders, Scott's pi (1955).""",
    ),
    Statistic(
        "qwk",
        "quadratic kappa",
        "chance-corrected",
        "number",
        resampled(coefficients.cohen_kappa, FISHER, weights="quadratic"),
        axis="quadratic kappa: 0 is chance, 1 is perfect",
        short="QWK",
        term="QWK",
        doc="""
Formula: as kappa, each pair costing ((j − h) / range)².
Valid: as kappa. On whole scores it equals the CCC.
Source: Cohen (1968); Fleiss and Cohen (1973).""",
    ),
    Statistic(
        "ac2",
        "quadratic AC2",
        "chance-corrected",
        "number",
        resampled(coefficients.gwet_ac2, FISHER),
        doc="""
Formula: (Po − Pe) / (1 − Pe), Po = Σ w p, Pe = Σw · Σ π(1 − π) / (K(K − 1)), quadratic weights w, π
the mean share of each score.
Valid: from 30 answers; beside kappa, not in its place.
Source: Gwet (2008; 2014, chapter 5 for many graders with scores missing).""",
    ),
    Statistic(
        "alpha",
        "ordinal alpha",
        "chance-corrected",
        "number",
        resampled(coefficients.krippendorff_alpha, FISHER),
        doc="""
Formula: 1 − Do/De over all pairs of scores of the same answer; the distance is the number of scores
that lie between (ordinal).
Valid: from 30 answers. A bias lowers it.
Source: Krippendorff (2011).""",
    ),
    Statistic(
        "ccc",
        "Lin's CCC",
        "chance-corrected",
        "number",
        resampled(coefficients.lin_ccc, FISHER),
        resampled_moments(continuous.lin_ccc, FISHER),
        short="CCC",
        doc="""
Formula: 2 cov(h, j) / (var h + var j + bias²), division by n.
Valid: from 30 answers; the chance-corrected figure of composites.
Source: Lin (1989).""",
    ),
    Statistic(
        "tau_b",
        "Kendall's tau-b",
        "correlation",
        "number",
        resampled(lambda tables, _: coefficients.tau_b(tables), FISHER),
        term="tau-b",
        doc="""
Formula: (pairs of answers in the same order − in opposite order) / √(pairs untied by h · untied by
j).
Valid: undefined if either gave one score throughout; between orders of answering models from five
models on.
Source: Kendall (1945).""",
    ),
)
# Of continuous grades (`stats.continuous`), which have no scores to tabulate.
CORRELATIONS = (
    Statistic(
        "spearman",
        "Spearman",
        "correlation",
        "number",
        axis="Spearman's correlation with annotators",
        doc="""
Formula: Pearson's correlation of ranks, ties having their mean rank.
Valid: of continuous grades, and of a metric with annotators' grades.
Source: Spearman (1904).""",
    ),
    Statistic(
        "pearson",
        "Pearson",
        "correlation",
        "number",
        axis="Pearson's correlation with annotators",
        doc="""
Formula: cov(h, j) / √(var h · var j).
Valid: of continuous grades, taken as distances.
Source: Pearson (1895).""",
    ),
)
BY_KEY = {one.key: one for one in (*STATISTICS, *CORRELATIONS)}
KEYS = tuple(one.key for one in STATISTICS)
OF_NUMBERS = tuple(BY_KEY)
OF_FAILING = tuple(one for one in STATISTICS if one.of_failing)


def best_exact(judges: Sequence[Pairs], scale: Sequence[int]) -> tuple[int, Estimate]:
    """Return which judge agrees exactly most often, and that with its simultaneous 95% CI.

    The limits are the usual ones at the level at which those of all judges hold together, by max-t
    over the question bootstrap: the best of many equal judges looks better than it is.

    Args:
        judges: The pairs of one judge or more with the annotators, none of them empty.
        scale: All scores of the rubric, rising.
    """
    clusters = np.unique(np.concatenate([pairs.cluster for pairs in judges]))
    shares = []
    for pairs in judges:
        place = np.searchsorted(clusters, pairs.cluster)
        hits = pairs.weight * (pairs.judge == pairs.annotator)
        shares.append(
            Difference(*(np.bincount(place, w, len(clusters)) for w in (hits, pairs.weight)))
        )
    best = max(range(len(judges)), key=lambda one: shares[one].value)
    level = CONFIDENCE
    if len(judges) > 1:
        level = 1 - 2 * simultaneous(shares, 1 - CONFIDENCE, Draws()).tail
    return best, figures(judges[best], scale, (), names=("exact",), confidence=level)["exact"]
