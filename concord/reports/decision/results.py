"""Results of a decision: a look, with its terms and every judge, as it is stored and shown.

Shares are 0 to 1 and prices USD. Every figure is an estimate; what is undefined has its reason.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import TypeAdapter

from concord.exporting.reason_codes import read_reasons, with_reasons
from concord.messages import joined
from concord.reports.decision.cost import Cost
from concord.reports.document import FLAT, as_json
from concord.reports.panel.provenance import Annotator
from concord.stats.baselines import MajorityClass
from concord.stats.core.estimate import Estimate, Statistics, Why
from concord.stats.intervals.group_sequential import LOOKS_AT_MOST
from concord.stats.statistics import OF_FAILING

if TYPE_CHECKING:
    import pandas as pd

Reasons = Mapping[str, Why]
Range = tuple[int, int]
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
        interval: The limits at the level of its tests, adjusted for judges and looks: it passes
            where the lower one, and fails where the upper one, lies beyond `above`.
    """

    estimate: Estimate
    above: float | None
    state: str
    p: float | None = None
    p_not: float | None = None
    interval: tuple[float | None, float | None] = (None, None)


_MISSING = Estimate(None)


@dataclass(frozen=True)
class JudgeFound:
    """A judge under the terms; one with too few scored answers has undefined statistics.

    Attributes:
        judge: Its label; `fingerprint`, its identity.
        verdict: `good_enough`, `not` or `cannot_tell`; `why`, the reasons for the last two.
        decided_by: The condition that decided it: the one that failed, that is furthest from being
            met, or of a good one that was nearest to not being met.
        value: The deciding figure.
        p: Adjusted p that it is not good enough; good enough takes at most .05.
        difference: How much better it is than the reference judge, in the deciding figure.
        exact, qwk: Agreement with the annotators.
        judge_minus_ceiling: The deciding figure minus that of annotators with one another.
        statistics: The figures of failing verdicts, with the answers they are of.
        vetoes: Which of recall and precision are significantly below their minimum.
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
    statistics: Statistics = field(default=Statistics({}, {}), metadata=FLAT)
    fingerprint: str | None = None
    simulated: bool = False
    is_reference: bool = False
    why: tuple[Why, ...] = ()
    decided_by: str | None = None
    conditions: Mapping[str, Condition] = field(default_factory=dict)
    failed: int = 0
    not_graded: int = 0
    cost_per_1000: float | None = None
    seconds: float | None = None
    seconds_p95: float | None = None
    cost: Cost | None = None
    more_labels: Range | None = None
    more_labels_why_none: Why | None = None
    more_questions: Range | None = None
    n: int = 0
    on_front: bool = False
    value: Estimate = _MISSING
    p: float | None = None
    vetoes: tuple[str, ...] = ()
    confirmed: bool = True


@dataclass(frozen=True)
class Choice:
    """One look at a decision: the terms, the verdict and every judge.

    Attributes:
        criterion: What is judged, in `figure`.
        margin, minimum, failure_recall, failure_precision: The terms; None for no minimum.
        against: The label of the reference judge.
        decision: Its `id`, and its `number` among those on the same answers and criterion from 1.
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
        uncompared: Annotators who share fewer than 10 questions with any other, where others share
            more: the agreement of annotators says nothing about them.
        signature: Provenance.
        alerts: Those open at the look; `without_annotators`, of each annotator with one, what the
            verdict on each judge is without their grades: `annotator`, `judge`, `verdict`,
            `without`.
        grades_digest: Which grades it rests on.
        planned_questions: How many independent questions were planned when it was fixed.
        shares: Of these at each look that spent error, this one last.
        first_terms: What was fixed first for the sheet and criterion, and its verdict.
        changed_terms: Which of these the look does not keep (`terms.RULES`, `annotators`).
        confirmatory: It keeps all of them, or has stricter ones.
        kept_from: No planned question is new, so verdicts and conditions are those of this look:
            `looked_at`, `answers`, `questions`, `clusters`.
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
    decision: Mapping[str, int]
    figure: str = "exact"
    minimum: float | None = None
    failure_recall: float | None = None
    fixed_at: str = ""
    fixed_after_sight: bool = False
    winner: str | None = None
    winner_by: str | None = None
    about: str | None = None
    more_labels: Range | None = None
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
    more_questions: Range | None = None
    sentence: str = ""
    headline: str = ""
    alerts: tuple[Mapping[str, Any], ...] = ()
    without_annotators: tuple[Mapping[str, str], ...] = ()
    grades_digest: str = ""
    looked_at: str = ""
    failure_precision: float | None = None
    planned_questions: int | None = None
    shares: tuple[float, ...] = ()
    first_terms: Mapping[str, Any] | None = None
    changed_terms: tuple[str, ...] = ()
    confirmatory: bool = True
    kept_from: Mapping[str, Any] | None = None
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

        names = ("judge", "fingerprint", "simulated", "is_reference", "verdict", "n")
        rows = [
            {name: getattr(row, name) for name in names}
            | dict(zip(("value", "low", "high"), row.value, strict=False))
            | dict(zip(_DIFFERENCE, row.difference, strict=False))
            | {"p": row.p, "cost_per_1000": row.cost_per_1000, "why": joined("; ", row.why)}
            for row in self.judges
        ]
        numbers = ("value", "low", "high", *_DIFFERENCE, "p", "cost_per_1000")
        return pd.DataFrame(rows).astype(dict.fromkeys(numbers, float))

    @property
    def too_few(self) -> bool:
        """True where the grades are too few for a verdict, so that nothing was tested or spent."""
        return self.level is not None and all(row.p is None for row in self.judges)

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


_DIFFERENCE = ("difference", "difference_low", "difference_high")


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
    codes = [(one["annotator"], one["code"]) for one in found.alerts]
    return tuple(dict.fromkeys(name for name, of in codes if code in ("", of)))


def read(stored: Mapping[str, Any]) -> Choice:
    """Return a stored look.

    Raises:
        pydantic.ValidationError: A part is missing or has another name.
    """
    stored = read_reasons(stored)
    judges = [dict(row) for row in stored["judges"]]
    for row in judges:
        failing = {one.key: (one, row.pop(one.key)) for one in OF_FAILING if one.key in row}
        row["statistics"] = Statistics(
            {key: Estimate(*map(of.get, Estimate._fields)) for key, (_, of) in failing.items()},
            {
                key: {name: of.get(name) for name in one.counts}
                for key, (one, of) in failing.items()
            },
        )
    return _form().validate_python({**stored, "judges": judges})


@cache
def _form() -> TypeAdapter[Choice]:
    return TypeAdapter(Choice)
