"""Order of the answering models by a judge, compared with that of annotators."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from concord.stats.core.estimate import Estimate

ANNOTATORS = "annotators"
SIDES = (ANNOTATORS, "judge")
DIGITS = 9  # means equal but for rounding are level


@dataclass(frozen=True)
class Swap:
    """Two answering models that annotators and a judge put in opposite orders.

    Attributes:
        higher: The model that annotators put above `lower`.
        annotator_share: The share of resamples in which annotators do; None without resamples.
        judge_share: The share in which the judge does.
        certain: Both are sure (95 percent) of their own order.
    """

    higher: str
    lower: str
    annotator_share: float | None
    judge_share: float | None
    certain: bool


@dataclass(frozen=True)
class ModelMeans:
    """Mean composites of an answering model, on the answers that both graded."""

    answer_model: str
    annotators: Estimate
    judge: Estimate

    def of(self, side: str) -> Estimate:
        """Return the mean by `annotators` or by the `judge`."""
        return self.annotators if side == ANNOTATORS else self.judge


@dataclass(frozen=True)
class Step:
    """Two models next to each other in a grader's order, and the share of resamples with it."""

    above: str
    below: str
    share: float | None


@dataclass(frozen=True)
class Order:
    """A judge's order of the models compared with that of annotators, on the answers both graded.

    Attributes:
        tau_b: Kendall's tau-b between the orders, with its interval; `why_none` is of either.
        neighbours: The steps of both orders, best first, by `annotators` and `judge`.
        why_no_shares: Why models were not ranked again in resamples.
        n: Answers with a composite by both; `questions` counts theirs.
        same_items: Neither has a composite of another answer.
    """

    judge: str
    fingerprint: str
    simulated: bool
    tau_b: float | None
    tau_b_low: float | None
    tau_b_high: float | None
    tau_b_method: str
    why_none: str | None
    swaps: tuple[Swap, ...]
    models: tuple[ModelMeans, ...]
    neighbours: Mapping[str, tuple[Step, ...]]
    why_no_shares: str | None
    n: int
    questions: int
    same_items: bool

    @property
    def tau_b_estimate(self) -> Estimate:
        """Kendall's tau-b between the orders."""
        ends = (self.tau_b_low, self.tau_b_high)
        return Estimate(self.tau_b, *ends, self.tau_b_method, self.why_none)

    @property
    def shared(self) -> tuple[ModelMeans, ...]:
        """The models that annotators and the judge both have a mean of."""
        return tuple(m for m in self.models if None not in (m.annotators.value, m.judge.value))

    @property
    def comparable(self) -> bool:
        """True with at least two models to compare."""
        return len(self.shared) > 1

    @property
    def one_sided(self) -> int:
        """Number of pairs of models that only the judge, or only the annotators, rank level."""
        return self.level["judge level"] + self.level["annotators level"]

    @property
    def level(self) -> Counter[str]:
        """Pairs of models that both rank `level`, or only the judge, or only the annotators."""
        kinds = {(True, True): "level", (False, True): "judge level"}
        kinds[True, False] = "annotators level"
        return Counter(
            kinds.get(tuple(round(one.of(s).value - two.of(s).value, DIGITS) == 0 for s in SIDES))
            for one, two in combinations(self.shared, 2)
        )
