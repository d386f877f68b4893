"""Results of a decision: verdicts under terms, and the look as it is stored and shown.

Shares are 0 to 1 and prices USD. Every figure is an estimate; what is undefined has its reason.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from concord.exporting.reason_codes import read_reasons, with_reasons
from concord.messages import joined
from concord.model import Grader
from concord.reports.decision.cost import Cost
from concord.reports.decision.terms import FirstTerms
from concord.reports.document import FLAT, INTERNAL, as_json
from concord.reports.panel.provenance import Annotator
from concord.stats.baselines import MajorityClass
from concord.stats.core.estimate import Estimate, Statistics, Why, reason
from concord.stats.decision import conditions as tested_conditions
from concord.stats.decision.conditions import Grades
from concord.stats.intervals.group_sequential import LOOKS_AT_MOST
from concord.stats.statistics import OF_FAILING

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")
Reasons = Mapping[str, Why]
GOOD_ENOUGH, NOT, CANNOT_TELL = "good_enough", "not", "cannot_tell"
VERDICTS = {
    GOOD_ENOUGH: "good enough",
    NOT: "not good enough",
    CANNOT_TELL: "inconclusive",
    None: "no verdict",
}


class Terms(NamedTuple):
    """Terms fixed before any comparison.

    Attributes:
        margin: Non-inferiority margin in the figure's unit: 0.10 of a share is ten points.
        minimum: The least figure (the most, of MAE); None for none.
        failure_recall: Minimum recall of failing answers; None for none.
        failure_precision: Minimum precision of failing verdicts; None for none.
        figure: The key of the deciding figure.
        planned_questions: How many questions are planned; None for all that may be graded.
    """

    margin: float
    minimum: float | None = None
    failure_recall: float | None = None
    failure_precision: float | None = None
    figure: str = "exact"
    planned_questions: int | None = None

    def tested(self) -> tested_conditions.ProcedureTerms:
        """The same for the procedure, to which a minimum of 0 means no minimum."""
        return tested_conditions.ProcedureTerms(
            self.figure,
            self.margin,
            self.minimum or None,
            self.failure_recall or None,
            self.failure_precision or None,
        )


@dataclass(frozen=True)
class Condition:
    """A condition of a judge.

    Attributes:
        estimate: The figure with its 95% CI.
        above: Its limit; None where it has none.
        state: `clear`, `fails` or `open` (inconclusive); `none` where it is not asked; `no_veto` of
            a veto whose CI contains the limit; `untested` where the look gives no verdict.
        p: Adjusted p that it does not hold, at most .05 where it passes; None without a test.
        p_not: Adjusted p that it holds, at most .05 where it fails.
        why_open: The reason where it depends on more than the name.
    """

    estimate: Estimate
    above: float | None
    state: str
    p: float | None = None
    p_not: float | None = None
    why_open: Why = field(default="", metadata=INTERNAL, compare=False)


class Judged(NamedTuple):
    """A judge under the terms.

    Attributes:
        judge: The judge.
        verdict: `good_enough`, `not` or `cannot_tell`.
        why: Reasons for a negative or inconclusive verdict, each as part of a sentence.
        conditions: The conditions by name.
        exact: Exact agreement with its 95% CI.
        value: The deciding figure with its 95% CI.
        qwk: Quadratic kappa with its 95% CI.
        p: Adjusted p that it is not good enough; None where the look gives no verdict.
        vetoes: Which of recall and precision are significantly below their minimum.
    """

    judge: Grader
    verdict: str
    why: tuple[Why, ...]
    conditions: dict[str, Condition]
    exact: Estimate
    value: Estimate
    qwk: Estimate
    p: float | None
    vetoes: tuple[str, ...]


class Verdicts(NamedTuple):
    """All judges of a comparison under the terms.

    Attributes:
        judges: The reference judge first.
        answers: Number of answers they are compared on.
        questions: Number of questions these belong to.
        clusters: Number of clusters, the resampling units; questions where none is known.
        overlap: Number of the answers that two or more annotators scored.
        grades: The tables of all judges by question.
        ceiling: The deciding figure of annotators with one another on these answers; None where
            unknown.
        constant: The majority-class baseline on them; None without answers.
        baseline: The deciding figure of the majority-class baseline.
        figure: Its key.
        uncompared: Annotators who share fewer than 10 questions with any other, where others share
            more: the agreement of annotators says nothing about them.
    """

    judges: list[Judged]
    answers: int
    questions: int
    clusters: int
    overlap: int
    grades: Grades
    ceiling: float | None
    constant: MajorityClass | None
    baseline: float | None
    figure: str
    uncompared: tuple[str, ...] = ()


SETTLED, OPENED = reason("verdict_final"), reason("held_out_opened_once")


class MoreLabels(NamedTuple):
    """Range of further answers to grade, which 10 and 90 percent of the resampled pilots need."""

    range: tuple[int, int] | None
    why_none: Why | None = None


class _Counts(Protocol):
    @property
    def answers(self) -> int: ...

    @property
    def clusters(self) -> int: ...


def in_questions(labels: Sequence[int], found: _Counts) -> tuple[int, int]:
    """Return a range of answers in independent questions, as they were forecast."""
    low, high = (max(1, math.floor(end / per_question(found) + 1e-9)) for end in labels)
    return low, high


def per_question(found: _Counts) -> float:
    """Return the mean number of answers of an independent question."""
    return found.answers / max(found.clusters, 1)


_MISSING, _NONE = Estimate(None), Statistics({}, {})


@dataclass(frozen=True)
class CostFound:
    """Cost of a judge, also in words."""

    cost: Cost = field(metadata=FLAT)
    words: str


@dataclass(frozen=True)
class JudgeFound:
    """A judge under the terms; one with too few scored answers has undefined statistics.

    Attributes:
        judge: Its label; `fingerprint`, its identity.
        verdict: `good_enough`, `not` or `cannot_tell`, and `why`.
        value: The deciding figure.
        p: Adjusted p that it is not good enough; good enough takes at most .05.
        difference: How much better it is than the reference judge, in the deciding figure.
        exact, qwk: Agreement with the annotators.
        judge_minus_ceiling: The deciding figure minus that of annotators with one another.
        statistics: The figures of failing verdicts, with the answers they are of.
        conditions: By name, as in `verdict`.
        vetoed: Its recall of failing answers is significantly below the minimum.
        failed: Number of answers it was asked about and left unscored.
        not_graded: Number of answers that annotators scored and it never graded.
        cost_per_1000: USD; None where unknown. `seconds` (median, `seconds_p95`) likewise.
        more_labels: Range of further graded answers for a verdict, else why it is undefined.
        more_questions: The same in independent questions.
        on_front: On the Pareto front of price and agreement.
        confirmed: False where a verdict of good enough was kept that the present grades, under the
            same terms, do not give.
    """

    judge: str
    verdict: str
    exact: Estimate = _MISSING
    difference: Estimate = _MISSING
    qwk: Estimate = _MISSING
    judge_minus_ceiling: Estimate = _MISSING
    statistics: Statistics = field(default=_NONE, metadata=FLAT)
    fingerprint: str | None = None
    simulated: bool = False
    is_reference: bool = False
    why: tuple[Why, ...] = ()
    conditions: Mapping[str, Condition] = field(default_factory=dict)
    vetoed: bool = False
    failed: int = 0
    not_graded: int = 0
    cost_per_1000: float | None = None
    seconds: float | None = None
    seconds_p95: float | None = None
    cost: CostFound | None = None
    more_labels: tuple[int, int] | None = None
    more_labels_why_none: Why | None = None
    n: int = 0
    questions: int = 0
    clusters: int = 0
    on_front: bool = False
    more_questions: tuple[int, int] | None = None
    value: Estimate = _MISSING
    p: float | None = None
    vetoes: tuple[str, ...] = ()
    confirmed: bool = True


@dataclass(frozen=True)
class KeptFrom:
    """The look that gave the verdicts which a later one keeps: when, and on how much."""

    looked_at: str
    answers: int
    questions: int
    clusters: int


@dataclass(frozen=True)
class DecisionMade:
    """A decision; `number` counts those on the same answers and criterion from 1."""

    id: int
    number: int


@dataclass(frozen=True)
class Changed:
    """A judge whose verdict is another one without an annotator."""

    judge: str
    verdict: str
    without: str


@dataclass(frozen=True)
class WithoutAnnotator:
    """The judges on which the verdict differs without an annotator."""

    annotator: str
    judges: tuple[Changed, ...]


@dataclass(frozen=True)
class Choice:
    """One look at a decision: the terms, the verdict and every judge.

    Attributes:
        criterion: What is judged, in `metric`.
        margin, minimum, failure_recall: The terms, as shares; None for no minimum.
        against: The label of the reference judge.
        winner: The judge that is good enough; `winner_by` is `price` (no known price is lower),
            `only` (no other is good enough) or `agreement` (no price is known).
        verdict: As of a judge; `about`, the label of the judge it is about.
        looks: Which interim look it is, of `looks_at_most`; `new_look`, not these grades again.
        level: One-sided error of the limits; None where no look is left.
        judges: The reference judge first.
        left_out: Why other judges are no candidates, by label.
        refits: By label, the digest of the one full refit of each fitted combined judge whose
            scores are cross-fitted.
        answers: How many are compared, of `questions` in `clusters`; on `overlap` of them two or
            more annotators reach `ceiling` with one another, in the deciding figure.
        uncounted: Annotators whose grades do not count in this decision, with the reason.
        uncompared: Annotators who share too few questions with any other, as in `Verdicts`.
        signature: Provenance.
        without_annotators: Judges whose verdict differs without an annotator.
        grades_digest: Which grades it rests on.
        planned_questions: How many independent questions were planned when it was fixed.
        shares: Of these at each look that spent error, this one last.
        first_terms: What was fixed first for the sheet and criterion, and its verdict.
        changed_terms: Which of these the look does not keep (`first_terms.RULES`, `annotators`).
        confirmatory: It keeps all of them, or has stricter ones.
        kept_from: No planned question is new, so verdicts and conditions are those of this look.
        baseline: The deciding figure of the majority-class baseline.
        failing_scores: The scores that fail.
        repeated_questions: How many questions have the text and contexts of another one, and
            count as independent all the same, as no cluster ties them.
    """

    criterion: str
    margin: float
    against: str
    verdict: str
    judges: tuple[JudgeFound, ...]
    answers: int
    questions: int
    clusters: int
    looks: int
    level: float | None
    decision: DecisionMade
    figure: str = "exact"
    minimum: float | None = None
    failure_recall: float | None = None
    fixed_at: str = ""
    fixed_after_sight: bool = False
    winner: str | None = None
    winner_by: str | None = None
    about: str | None = None
    more_labels: tuple[int, int] | None = None
    more_labels_why_none: Why | None = None
    looks_at_most: int = LOOKS_AT_MOST
    new_look: bool = True
    left_out: Reasons = field(default_factory=dict)
    refits: Mapping[str, str] = field(default_factory=dict)
    sheet: str = ""
    rubric: str = ""
    annotators: tuple[Annotator, ...] = ()
    overlap: int = 0
    ceiling: float | None = None
    majority_baseline: MajorityClass | None = None
    simulated: bool = False
    signature: str = ""
    more_questions: tuple[int, int] | None = None
    sentence: str = ""
    headline: str = ""
    alerts: tuple[Any, ...] = ()
    without_annotators: tuple[WithoutAnnotator, ...] = ()
    grades_digest: str = ""
    looked_at: str = ""
    failure_precision: float | None = None
    planned_questions: int | None = None
    shares: tuple[float, ...] = ()
    first_terms: FirstTerms | None = None
    changed_terms: tuple[str, ...] = ()
    confirmatory: bool = True
    kept_from: KeptFrom | None = None
    baseline: float | None = None
    repeated_questions: int = 0
    uncounted: Reasons = field(default_factory=dict)
    failing_scores: tuple[int, ...] = ()
    uncompared: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return it as it is stored, each reason with its code."""
        return with_reasons(as_json({one.name: getattr(self, one.name) for one in fields(self)}))

    def to_pandas(self) -> "pd.DataFrame":
        """Return a table with one row per judge, the reference judge first.

        `value` and `difference` (to the reference judge) are in the unit of the deciding figure,
        each with the limits of its 95% confidence interval; `cost_per_1000` is in USD. What is
        undefined or unknown is NaN; `why` has the reasons for a verdict that is not good enough.
        """
        import pandas as pd

        return pd.DataFrame(map(_line, self.judges), columns=_COLUMNS).astype(
            dict.fromkeys(_NUMBERS, float)
        )

    @property
    def too_few(self) -> bool:
        """True where the grades are too few for a verdict, so that nothing was tested or spent."""
        untested = all(row.p is None for row in self.judges)
        return untested and self.level is not None

    @property
    def spending(self) -> tuple[float, ...] | None:
        """Shares of the planned questions at the looks; None where no error is left."""
        return (self.shares or (1.0,)) if self.level else None

    @property
    def reference(self) -> JudgeFound:
        """The reference judge."""
        return next(row for row in self.judges if row.is_reference)

    @property
    def focus(self) -> JudgeFound | None:
        """The judge that the verdict is about; None without a candidate."""
        return next((row for row in self.judges if row.judge == self.about), None)

    @property
    def candidates(self) -> tuple[JudgeFound, ...]:
        """The judges without the reference judge."""
        return tuple(row for row in self.judges if not row.is_reference)


def told(found: Choice) -> JudgeFound | None:
    """Return the judge that a look tells about: the reference judge where it compares no other.

    None where nothing was asked of that one, so that nothing shows it to be good enough.
    """
    if found.focus:
        return found.focus
    asked = found.reference.verdict != GOOD_ENOUGH or asked_of_reference(found)
    return found.reference if asked else None


def asked_of_reference(found: Choice) -> bool:
    """True where the reference judge had a minimum above 0, or the human ceiling, to reach."""
    return bool(found.minimum) or found.reference.judge_minus_ceiling.low is not None


def doubted(found: Choice, code: str = "") -> tuple[str, ...]:
    """Return the annotators on whom an alert was open at a look, or one of a code.

    Grades given at random lower the human ceiling, and copied ones make the judge look good, so a
    verdict on them may be too good.
    """
    alerts = (one if isinstance(one, Mapping) else vars(one) for one in found.alerts)
    return tuple(dict.fromkeys(one["annotator"] for one in alerts if code in ("", one["code"])))


def read(stored: Mapping[str, Any]) -> Choice:
    """Return a stored look."""
    stored = read_reasons(stored)
    level, first = stored["majority_baseline"], stored["first_terms"]
    if first and not isinstance(first["annotators"], str):
        first = first | {"annotators": tuple(first["annotators"])}
    made = {
        "judges": tuple(map(_read_judge, stored["judges"])),
        "decision": DecisionMade(**stored["decision"]),
        "annotators": tuple(Annotator(**one) for one in stored["annotators"]),
        "without_annotators": tuple(
            WithoutAnnotator(one["annotator"], tuple(Changed(**each) for each in one["judges"]))
            for one in stored["without_annotators"]
        ),
        "majority_baseline": MajorityClass(**level) if level else None,
        "first_terms": FirstTerms(**first) if first else None,
        "kept_from": stored["kept_from"] and KeptFrom(**stored["kept_from"]),
    }
    return _read(Choice, stored, made)


def _read_judge(stored: Mapping[str, Any]) -> JudgeFound:
    made: dict[str, Any] = {name: Estimate(**stored[name]) for name in _ESTIMATES if name in stored}
    failing = {one.key: stored[one.key] for one in OF_FAILING if one.key in stored}
    made["statistics"] = Statistics(
        {key: _read(Estimate, one, {}) for key, one in failing.items()},
        {
            one.key: {name: failing[one.key].get(name) for name in one.counts}
            for one in OF_FAILING
            if one.key in failing
        },
    )
    made["conditions"] = {
        name: Condition(**one | {"estimate": Estimate(**one["estimate"])})
        for name, one in stored["conditions"].items()
    }
    made["why"] = tuple(stored["why"])
    if stored.get("cost"):
        made["cost"] = CostFound(_read(Cost, stored["cost"], {}), stored["cost"]["words"])
    return _read(JudgeFound, stored, made)


_ESTIMATES = ("exact", "difference", "qwk", "judge_minus_ceiling", "value")


def _read(kind: type[T], stored: Mapping[str, Any], made: Mapping[str, Any]) -> T:
    """Return an object with the stored values of its fields, and those that were made of them."""
    return kind(**{one: stored[one] for one in kind.__annotations__ if one in stored} | made)


_OF_JUDGE = ("judge", "fingerprint", "simulated", "is_reference", "verdict", "n", "questions")
_NUMBERS = (
    *("value", "low", "high", "difference", "difference_low", "difference_high"),
    *("p", "cost_per_1000"),
)
_COLUMNS = (*_OF_JUDGE, *_NUMBERS, "why")


def _line(found: JudgeFound) -> tuple[Any, ...]:
    """A judge as a line of `to_pandas`."""
    value, difference = found.value, found.difference
    return (
        *(getattr(found, name) for name in _OF_JUDGE),
        *(value.value, value.low, value.high),
        *(difference.value, difference.low, difference.high),
        *(found.p, found.cost_per_1000),
        joined("; ", found.why),
    )
