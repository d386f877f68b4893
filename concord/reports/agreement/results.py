"""Typed results of the agreement report; `document.as_json` writes them as `agreement --json`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from concord.messages import message_of
from concord.reports.document import FLAT, OPTIONAL
from concord.reports.panel.simulated import Annotator, short_label
from concord.reports.panel.unit_words import UnitWords
from concord.stats.core.estimate import Estimate, Statistics
from concord.stats.reliability.alt_test import AltTest

if TYPE_CHECKING:
    import pandas as pd

# The statistics that have a value with unscored answers as errors: shares of answers.
AS_ERRORS = ("exact", "within_one", "failure_recall")


@dataclass(frozen=True)
class AboveBaseline:
    """Exact agreement minus that of the majority-class baseline on the same answers.

    Attributes:
        state: `clear` where it is shown to lie above, `fails` below, else `open`; `none` where it
            is not tested.
    """

    state: str
    difference: Estimate


@dataclass(frozen=True)
class BestOf:
    """Exact agreement of the best of so many `judges`, with a CI that is simultaneous over them."""

    judges: int
    exact: Estimate


@dataclass(frozen=True)
class MajorityBaseline:
    """A judge that always gives the most frequent score; all None for the composite or no pairs.

    Attributes:
        values: From `stats.baselines.every_statistic`.
        judge: The judge compared with it.
        annotators: The annotators with one another compared with it: assay sensitivity.
    """

    why_none: str | None
    values: Mapping[str, float | int | None] = field(metadata=FLAT)
    judge: AboveBaseline
    annotators: AboveBaseline

    @property
    def exact(self) -> float | None:
        """The share of annotators' scores that it equals."""
        return self.values["exact"]


@dataclass(frozen=True)
class Ceiling:
    """Agreement of annotators with one another on the answers of a row that two or more graded."""

    n: int
    annotators: int
    questions: int
    clusters: int
    statistics: Statistics = field(metadata=FLAT)
    failing: int | None
    judge_on_same_items: Statistics
    why_none: str | None


@dataclass(frozen=True)
class WorstCase:
    """The statistics with each answer that a judge was asked about and left unscored as an error.

    Attributes:
        matched: Answers scored by the judge: what its figures rest on.
        failed: Answers it was asked about and left without a score: refused, garbled, cut short.
        skipped: Answers it was not asked about; of the composite, also where a criterion is
            missing.
        statistics: Those that are shown with failures as errors.
    """

    matched: int
    failed: int
    skipped: int
    statistics: Mapping[str, Estimate] = field(metadata=FLAT)


@dataclass(frozen=True)
class OtherModels:
    """Statistics with a CI for other answering models; undefined for few models."""

    answer_models: int
    why_none: str | None
    statistics: Mapping[str, Estimate | None] = field(metadata=FLAT)


@dataclass(frozen=True)
class WithoutConsensus:
    """Answers without a consensus, and their share of those that annotators scored."""

    n: int
    share: float | None


@dataclass(frozen=True)
class Continuous:
    """Properties of a row of continuous grades.

    Attributes:
        mean: The mean of annotators that is the reference; None for the annotators themselves.
        low: The judge's lowest number on the answers of the sheet; None without any.
        high: The highest.
        on_range: Whether all lie on the range of the rubric's scale.
    """

    mean: str | None
    low: float | None
    high: float | None
    on_range: bool


@dataclass(frozen=True)
class AgreementRow:
    """Agreement of one judge with the annotators on one criterion or the composite.

    Attributes:
        units: What units and labels are called (`unit_words.of_rubric`); None for answers.
        reference: `each` annotator, the `consensus`, or a `mean` of annotators.
        answer_model: Whose answers the row is of; None for all.
        n: Answers that judge and annotators scored.
        clusters: Clusters of these, the units that are resampled.
        left_out: Answers that are not in the figures, by reason.
        statistics: Statistics of the registry by key.
        failing: Answers that annotators fail; None for the composite.
        alt_test: The alternative annotator test for each epsilon.
        majority_baseline: The majority-class baseline on the same answers.
        ceiling: The annotators with one another.
        fingerprint: The judge's.
        kind: `judge`, `metric` or what else the grader is.
        floor: The judge is the text-feature baseline.
        simulated_annotators: Names of simulated annotators.
        worst_case: With failures as errors.
        without_consensus: What lacks one; None where the reference is `each`.
        note: A warning of continuous numbers that are on another range.
        signature: How the row was made.
        clustered_by_answer_model: Of a whole row, the CI for other answering models.
        continuous: Of a row in which a side gives continuous numbers; else None.
        best_of: Of the judge that agrees exactly most often on the criterion; else None.
    """

    sheet: str
    rubric: str
    judge: str
    criterion: str
    units: UnitWords | None
    reference: str
    answer_model: str | None
    n: int
    annotators: int
    questions: int
    clusters: int
    left_out: dict[str, int]
    statistics: Statistics = field(metadata=FLAT)
    failing: int | None
    alt_test: tuple[AltTest, ...]
    majority_baseline: MajorityBaseline
    ceiling: Ceiling
    fingerprint: str
    kind: str
    simulated: bool
    floor: bool
    simulated_annotators: tuple[str, ...]
    worst_case: WorstCase
    without_consensus: WithoutConsensus | None
    note: str | None
    signature: str = ""
    clustered_by_answer_model: OtherModels | None = field(default=None, metadata=OPTIONAL)
    continuous: Continuous | None = field(default=None, metadata=OPTIONAL)
    best_of: BestOf | None = None

    def called(self) -> str:
        """The judge's label as it is read."""
        return short_label(self.judge)


@dataclass(frozen=True)
class BiasTest:
    """One bias test of one judge.

    Attributes:
        probe: `leniency`, `spread`, `length`, `halo` or `self_preference`.
        criterion: The criterion; None where the test is over several.
        effect: Its size.
        p: The p-value; None where there is no test.
        p_adjusted: The same over all tests of the report.
        significant: The adjusted p-value is below .05.
        details: What the effect rests on; of length `length_of`, `answer` or the unit.
    """

    probe: str
    judge: str
    criterion: str | None
    simulated: bool
    n: int
    questions: int
    effect: Estimate = field(metadata=FLAT)
    p: float | None = None
    p_adjusted: float | None = None
    significant: bool | None = None
    details: dict[str, Any] = field(default_factory=dict)
    sentence: str = ""


@dataclass(frozen=True)
class SkippedAnalysis:
    """An analysis that was not run, why, and which column, grade or run would enable it.

    `judges` and `criteria` are those it concerns; empty where it concerns all.
    """

    check: str
    why: str
    enable: str
    judges: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()


@dataclass(frozen=True)
class AgreementReport:
    """Agreement of all judges with the annotators.

    Attributes:
        reliability: From `test_retest.of_annotators`.
        uncounted: Annotators whose grades do not count, with the reason.
        weighting: How answers are weighted; None where all weigh the same.
        alerts: Open ones, from `annotator_alerts.open_alerts`.
        segments: From `agreement_by_segment.report`, where a column was asked for.
    """

    rows: tuple[AgreementRow, ...]
    reliability: tuple[Any, ...]
    annotators: tuple[Annotator, ...]
    uncounted: dict[str, str]
    weighting: str | None
    alerts: tuple[Any, ...] = field(default=(), kw_only=True)
    segments: Any | None = field(default=None, kw_only=True, metadata=OPTIONAL)

    def to_pandas(self) -> "pd.DataFrame":
        """Return a table with one row per judge, criterion, answering model and statistic.

        `value`, `low` and `high` are in the unit of the statistic; what is undefined is NaN, with
        its reason in `why_none`. `human_ceiling` is the same statistic of annotators with one
        another, `majority_baseline` that of always giving the most frequent score.
        """
        import pandas as pd

        return pd.DataFrame(
            [_line(row, key) for row in self.rows for key in row.statistics.by_key],
            columns=_COLUMNS,
        ).astype(dict.fromkeys(_NUMBERS, float))


_OF_ROW = (
    *("sheet", "rubric", "judge", "fingerprint", "simulated", "criterion", "reference"),
    *("answer_model", "n", "questions", "clusters"),
)
_NUMBERS = ("value", "low", "high", "human_ceiling", "majority_baseline")
_COLUMNS = (*_OF_ROW, "statistic", *_NUMBERS, "why_none")


def _line(row: AgreementRow, key: str) -> tuple[Any, ...]:
    """A statistic of a row as a line of `to_pandas`."""
    found, ceiling = row.statistics[key], row.ceiling.statistics.by_key.get(key)
    return (
        *(getattr(row, name) for name in _OF_ROW),
        key,
        *(found.value, found.low, found.high),
        ceiling and ceiling.value,
        row.majority_baseline.values.get(key),
        message_of(found.why_none),
    )
