"""Look at a decision: its terms, verdict and a row per judge, as JSON holds it and as it is shown.

Shares are 0 to 1 and prices USD. Every figure is an estimate; what is undefined has its reason.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from concord.exporting.reason_codes import read_reasons
from concord.messages import joined
from concord.stats.core.estimate import Estimate

if TYPE_CHECKING:
    import pandas as pd

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


class Row(dict):
    """An object of JSON whose keys are attributes, too.

    A judge of a look has:
        judge, fingerprint: Its label and identity; `simulated`, `is_reference`.
        verdict: `good_enough`, `not` or `cannot_tell`; `why`, the reasons for the last two.
        decided_by: The condition that decided it: the one that failed, that is furthest from being
            met, or of a good one that was nearest to not being met.
        p: Adjusted p that it is not good enough; good enough takes at most .05.
        value: The deciding figure on `n` answers.
        difference: How much better it is than the reference judge, in the deciding figure.
        failure_recall, failure_precision: With the answers they are of; absent where too few.
        failed, not_graded: Answers that annotators scored and it left unscored or never graded.
        cost_per_1000: USD; None where unknown; `stated_on`, where a person stated it.
        seconds: Median of its time per answer.
        more_labels: Range of further graded answers for a verdict, else `more_labels_why_none`.
        more_questions: The same in independent questions.
        confirmed: False where a verdict of good enough was kept that the present grades, under the
            same terms, do not give.
        conditions: By name, each with its
            `estimate`, with its 95% CI, and limit (`above`; None where it has none);
            `state`: `clear`, `fails` or `open` (inconclusive); `none` where it is not asked;
            `no_veto` of a veto whose CI contains the limit; `untested` where the look gives no
            verdict;
            `p`, adjusted p that it does not hold, at most .05 where it passes, and `p_not`, that
            it holds, at most .05 where it fails; None without a test;
            `interval`, its limits at the level of its tests, adjusted for judges and looks.
    """

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        raise AttributeError(name)


class Choice(Row):
    """One look at a decision: the terms, the verdict and every judge.

    Keys:
        criterion: What is judged, in `figure`, with the other `Terms`.
        against: The label of the reference judge.
        decision: Its `id`.
        winner: The judge that is good enough: of several the cheapest, else the one that agrees
            most.
        verdict: As of a judge; `about`, the label of the judge it is about.
        looks: Which interim look it is; `new_look`, not these grades again.
        level: One-sided error of the limits; None where no look is left.
        judges: The reference judge first.
        left_out: Why other judges are no candidates, by label.
        answers: How many are compared, of `questions` in `clusters`; on `overlap` of them two or
            more annotators reach `ceiling` with one another, in the deciding figure.
        uncounted: Annotators whose grades do not count in this decision, with the reason.
        alerts: Those open at the look; `without_annotators`, of each annotator with one, what the
            verdict on each judge is without their grades: `annotator`, `judge`, `verdict`,
            `without`.
        grades_digest: Which grades it rests on.
        shares: Of the planned questions at each look that spent error, this one last.
        first_terms: What was fixed first for the sheet and criterion, and its verdict.
        changed_terms: Which of these the look does not keep; where none, it is `confirmatory`.
        kept_from: No planned question is new, so verdicts and conditions are those of this look:
            `looked_at`, `answers`, `questions`, `clusters`.
        baseline: The deciding figure of the majority-class baseline.
        repeated_questions: How many questions have the text and contexts of another one, and
            count as independent all the same, as no cluster ties them.
    """

    def to_pandas(self) -> "pd.DataFrame":
        """Return a table with one row per judge, the reference judge first.

        `value` and `difference` (to the reference judge) are in the unit of the deciding figure,
        each with the limits of its 95% confidence interval; `cost_per_1000` is in USD. What is
        undefined or unknown is NaN; `why` has the reasons for a verdict that is not good enough.
        """
        import pandas as pd

        texts = ("judge", "fingerprint", "simulated", "is_reference", "verdict", "n")
        ends = ("", "_low", "_high")
        difference = [f"difference{end}" for end in ends]
        numbers = ["value", "low", "high", *difference, "p", "cost_per_1000"]
        rows = [
            [row[name] for name in texts]
            + [*row.value[:3], *row.difference[:3], row.p, row.cost_per_1000]
            + [joined("; ", row.why)]
            for row in self.judges
        ]
        found = pd.DataFrame(rows, columns=[*texts, *numbers, "why"])
        return found.astype(dict.fromkeys(numbers, float))

    @property
    def too_few(self) -> bool:
        """True where the grades are too few for a verdict, so that nothing was tested or spent."""
        return self.level is not None and all(row.p is None for row in self.judges)

    @property
    def spending(self) -> tuple[float, ...] | None:
        """Shares of the planned questions at the looks; None where no error is left."""
        return self.shares if self.level else None

    @property
    def reference(self) -> Row:
        """The reference judge."""
        return self.judges[0]

    @property
    def focus(self) -> Row | None:
        """The judge that the verdict is about; None without a candidate."""
        return next((row for row in self.judges if row.judge == self.about), None)

    @property
    def candidates(self) -> tuple[Row, ...]:
        """The judges without the reference judge."""
        return self.judges[1:]


def told(found: Choice) -> Row | None:
    """Return the judge that a look tells about: the reference judge where it compares no other.

    None where nothing was asked of that one, so that nothing shows it to be good enough.
    """
    asked = found.reference.verdict != GOOD_ENOUGH or asked_of_reference(found)
    return found.focus or (found.reference if asked else None)


def asked_of_reference(found: Choice) -> bool:
    """True where the reference judge had a minimum above 0, or the human ceiling, to reach."""
    ceiling = found.reference.conditions.get("ceiling")
    return bool(found.minimum) or bool(ceiling and ceiling.estimate.low is not None)


def doubted(found: Choice, code: str = "") -> tuple[str, ...]:
    """Return the annotators on whom an alert was open at a look, or one of a code.

    Grades given at random lower the human ceiling, and copied ones make the judge look good, so a
    verdict on them may be too good.
    """
    names = (one["annotator"] for one in found.alerts if code in ("", one["code"]))
    return tuple(dict.fromkeys(names))


def read(stored: Mapping[str, Any]) -> Choice:
    """Return a stored look."""
    return Choice(row_of(read_reasons(stored)))


def row_of(value: Any) -> Any:
    """Return a value of JSON with objects as rows, lists as tuples, and estimates as such."""
    if isinstance(value, dict):
        if value.keys() == {*Estimate._fields}:
            return Estimate(**value)
        return Row((key, row_of(one)) for key, one in value.items())
    return tuple(map(row_of, value)) if isinstance(value, list) else value
