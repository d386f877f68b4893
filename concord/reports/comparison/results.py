"""Results of a comparison of judge variants on the same answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from concord.messages import said
from concord.reports.decision.cost import Cost
from concord.reports.document import FLAT, OPTIONAL
from concord.reports.panel.simulated import Annotator, named
from concord.reports.ranking.order import Order
from concord.reports.reliability.results import JudgeRetest
from concord.stats.baselines import Spread
from concord.stats.comparison.paired_tests import McNemar, SignFlip
from concord.stats.core.estimate import Estimate

# Figures on [0, 1], so that scales can be compared.
MAPPED = ("mae", "bias", "ccc")
OWN_FIGURES = ("exact", "within_one", "qwk", "failure_recall")
IS_BASE = said("it is the variant the others are compared with")
NEARER, FURTHER, UNSURE = "nearer", "further", "unsure"


@dataclass(frozen=True)
class HoldingBack:
    """A variant without which more answers would be shared.

    Attributes:
        variant: Its label.
        without: How many answers the others share.
    """

    variant: str
    without: int


@dataclass(frozen=True)
class OwnScale:
    """Figures on a scale on which annotators graded; `n` answers, 0 for none."""

    n: int
    exact: Estimate
    within_one: Estimate
    qwk: Estimate
    failure_recall: Estimate
    failing: int | None
    why_none: str | None = None


@dataclass(frozen=True)
class BaselineFigures:
    """The baseline's score, figures on [0, 1], and those on the annotators' own scale."""

    score: float | None
    mae: Estimate
    bias: Estimate
    ccc: Estimate
    own: OwnScale | None


@dataclass(frozen=True)
class Withheld:
    """A reason why the nearest variant makes no headline."""

    code: str
    against: str
    difference: Estimate
    sentence: str


@dataclass(frozen=True)
class PairedTest:
    """The paired comparison of two judges with annotators.

    Attributes:
        metric: `exact`, the share of exact agreement, where both judges score on the annotators'
            scale; else `distance`, how much nearer to annotators, as a share of the scale.
        difference: First minus second; Tango's interval where `mcnemar` is given, else the
            question jackknife's.
        test: Sign flips of question sums.
        mcnemar: Where every question has one answer.
    """

    first: str
    second: str
    target: str
    metric: str
    n: int
    questions: int
    clusters: int
    difference: Estimate
    test: SignFlip
    mcnemar: McNemar | None
    sentence: str


@dataclass(frozen=True)
class NoScore:
    """The share of `asked` answers without a score, and `why`, counts by status."""

    estimate: Estimate = field(metadata=FLAT)
    asked: int
    why: dict[str, int]


@dataclass(frozen=True)
class ComparedVariant:
    """A variant on the shared answers.

    Attributes:
        variant: Its label; `judge` and `fingerprint` name the judge, `rubric` its rubric.
        model: With `prompt`, `examples`, `temperature` and `calls`, None where not known.
        floor: It is the baseline of text features.
        graded: How many answers it scored.
        mae: Distance from annotators on [0, 1]; `bias` and `ccc` on the same.
        skill: 1 - distance / distance of the majority-class baseline.
        further: How much further from annotators than the base; intervals are simultaneous.
        paired: The paired tests against the base; None for the base itself.
        order: Its order of the answering models compared with that of annotators.
        note: A warning of continuous numbers that may be on another range than the scale.
    """

    variant: str
    judge: str
    fingerprint: str
    model: str | None
    prompt: str | None
    examples: str | None
    rubric: str
    scale: tuple[int, ...]
    temperature: float | None
    calls: str | None
    simulated: bool
    floor: bool
    graded: int
    mae: Estimate
    bias: Estimate
    ccc: Estimate
    own: OwnScale
    spread: Spread
    test_retest: JudgeRetest
    no_score: NoScore
    skill: Estimate
    ccc_difference: Estimate
    failure_recall_difference: Estimate
    order: Order
    further: Estimate
    paired: PairedTest | None
    cost: Cost
    note: str | None = field(default=None, metadata=OPTIONAL)


@dataclass(frozen=True)
class Ceiling:
    """Distance between annotators on the `n` shared answers that two or more graded."""

    n: int
    mae: Estimate
    bias: Estimate
    ccc: Estimate


@dataclass(frozen=True)
class Headline:
    """The variant nearest to annotators, and why it makes no headline."""

    variant: str | None
    withheld: tuple[Withheld, ...]


@dataclass(frozen=True)
class Study:
    """The preset of a comparison: its question, what a published study found, and a note."""

    name: str
    question: str
    published: str
    note: str


@dataclass(frozen=True)
class Comparison:
    """Variants compared on the same answers.

    Attributes:
        base: The label of the variant the others are compared with.
        n: Shared answers, to `questions` in `clusters`.
        left_out: Reason -> count of answers in no figure.
        holding_back: Variants without which more answers would be shared.
        ceiling: Annotators compared with one another.
        not_compared: Label -> reason of variants without a figure.
        compared: How many differences from the base hold together.
        signature: How it was made, in one line.
        study: The preset that picked the variants; None without one.
    """

    sheet: str
    annotator_rubric: str
    target: str
    reference: str
    base: str | None
    n: int
    questions: int
    clusters: int
    annotators: tuple[Annotator, ...]
    uncounted: Mapping[str, str]
    weighting: str
    left_out: dict[str, int]
    holding_back: tuple[HoldingBack, ...]
    ceiling: Ceiling
    annotator_scale: tuple[int, ...]
    annotator_spread: Spread
    majority_baseline: BaselineFigures
    variants: tuple[ComparedVariant, ...]
    headline: Headline
    not_compared: dict[str, str]
    compared: int
    signature: str
    study: Study | None = field(default=None, metadata=OPTIONAL)

    @property
    def real(self) -> list[ComparedVariant]:
        """The variants without the baseline of text features."""
        return [row for row in self.variants if not row.floor]

    @property
    def nearest(self) -> ComparedVariant | None:
        """The variant nearest to annotators, but for the text-feature baseline; first on a tie."""
        known = [row for row in self.real if row.mae.value is not None]
        return min(known, key=lambda row: row.mae.value, default=None)

    def of(self, label: str | None) -> ComparedVariant | None:
        """Return a variant by label."""
        return next((row for row in self.variants if row.variant == label), None)


def beyond(difference: Estimate) -> str:
    """Classify a difference of distances: `nearer`, `further`, or `unsure` where 0 is in its CI."""
    if difference.high is not None and difference.high < 0:
        return NEARER
    return FURTHER if difference.low is not None and difference.low > 0 else UNSURE


def variant_name(row: ComparedVariant) -> str:
    """Return a variant as a sentence names it."""
    if row.floor:
        return said("the text-feature baseline")
    return named(row.variant, row.simulated)


def scores_used(spread: Spread) -> str | None:
    """Return how many scores of a scale are used, as `3 of 4 (effectively 2.4)`."""
    if spread.effective is None:
        return None
    return said(
        "{used} of {of} (effectively {effective:.1f})",
        used=spread.used,
        of=spread.of,
        effective=spread.effective,
    )
