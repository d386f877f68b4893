"""Verdict on each judge: good enough, not, or inconclusive.

Non-inferiority to a reference judge that failed, or agreement below the majority-class baseline,
shows nothing (assay sensitivity, ICH E10): without a fixed minimum, neither is good enough.

Pure: a panel and terms in, verdicts out, so that it can be replayed over other panels and terms.
A look (`Choice`) has a row per judge, as JSON holds it and as it is shown.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from concord.exporting.reason_codes import read_reasons
from concord.messages import joined
from concord.reports.panel.choice import BY_KEY, Field, grades_of, pairs_of
from concord.reports.panel.criterion_comparison import TOO_LITTLE_OVERLAP
from concord.stats.core.estimate import (
    TOO_FEW,
    Estimate,
    Reason,
    reason,
    undefined,
    under,
    with_interval,
    without_interval,
)
from concord.stats.core.minimums import PAIR_FLOOR, QUESTION_FLOOR
from concord.stats.core.tables import NEGLIGIBLE, effective_number
from concord.stats.decision.conditions import (
    ANNOTATORS,
    ASSAY,
    DIFFERENCE,
    GATES,
    KAPPA,
    MAJORITY,
    MINIMUM,
    NEEDED,
    OF_OVERLAP,
    ONCE,
    REFERENCE,
    VETOES,
    Decided,
    Grades,
    ProcedureTerms,
    Tested,
    decide,
    one_figure,
    overlaps,
    test_limits,
)
from concord.stats.decision.deciding_figure import FIGURES, DecidingFigure
from concord.stats.intervals.group_sequential import ERROR
from concord.stats.intervals.resampling import NO_SPREAD, SCORES_EQUAL

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


# Without a reference standard or assay sensitivity no other condition matters.
_FIRST = (ANNOTATORS, ASSAY, REFERENCE, MAJORITY)
# What a condition is where its look gives no verdict.
UNTESTED = {"state": "untested", "p": None, "p_not": None, "interval": (None, None)}


class Verdicts(NamedTuple):
    """All judges of a comparison under the terms.

    Attributes:
        rows: By grader id, the reference judge first; without prices and forecasts.
        grades: The tables of all judges by question.
        facts: What a look says of all of them, by its keys.
    """

    rows: dict[int, Row]
    grades: Grades
    facts: dict[str, Any]


def verdicts(
    found: Field,
    terms: ProcedureTerms,
    looks: Sequence[float] | None = ONCE,
    intervals: bool = True,
) -> Verdicts:
    """The verdict on every judge of a field.

    Args:
        found: The judges and the answers.
        terms: What was fixed beforehand.
        looks: Shares of the planned questions at the looks that spent error, this one last; None
            where no error is left, and then there is no verdict.
        intervals: Compute the `interval` of conditions.
    """
    grades, overlap = grades_of(found, {one.id: pairs_of(found, one) for one in found.judges})
    decided = decide(grades, terms, looks or ONCE)
    limits = test_limits(grades, terms, decided, looks or ONCE) if intervals else {}
    figure, scale = FIGURES[terms.figure], grades.scale
    used, answers = grades.judges[0].sum(axis=(0, 2)), int(found.common.sum())
    few = found.on.no_ceiling(found.on.overlapping(found.common).pairs)
    reached = figure.sums(grades.annotators.sum(axis=0), scale, grades.failing)
    facts = {
        "answers": answers,
        "questions": len(np.unique(found.on.panel.question[found.common])),
        "clusters": grades.judges.shape[1],
        "overlap": overlap,
        "ceiling": None if few else float(figure.value(reached)),
        "baseline": _number(figure.baselines(used, scale)) if answers else None,
    }
    tested = one_figure(grades, figure, 0.0).tested
    stopped = reason("error_spent") if looks is None else too_few(found, figure)
    rows: dict[int, Row] = {}
    for place, judge in enumerate(found.judges):
        value = estimate_of(tested, place, figure.sign, figure.is_share)
        made, opens = _conditions(found, place, grades, decided, limits, terms, value, overlap)
        if place:
            failed = decided.bad[0] or decided.unproven[0]
            state = "open" if decided.unreferenced[0] else "none" if failed else "clear"
            of_reference = {"estimate": rows[found.reference.id].value, "above": facts["baseline"]}
            made[REFERENCE] = Row(UNTESTED | of_reference, state=state)
            opens[REFERENCE] = reason(
                "reference_failed" if decided.bad[0] else "reference_below_majority_baseline"
            )
        verdict, why, by = _verdict(decided, place, made, opens)
        if stopped:
            verdict, why, by = CANNOT_TELL, (stopped,), None
            for one in made.values():
                one.update(UNTESTED if one.state != "none" else {})
        rows[judge.id] = Row(
            judge=found.on.panel.labels[judge.id],
            fingerprint=judge.fingerprint,
            simulated=judge.simulated,
            is_reference=place == 0,
            verdict=verdict,
            why=why,
            decided_by=by,
            conditions=made,
            value=value,
            difference=made[DIFFERENCE].estimate
            if place
            else with_interval(0.0, 0.0, 0.0, "to itself"),
            p=None if stopped else float(decided.p_good[place]),
            confirmed=True,
            n=answers,
        )
    return Verdicts(rows, grades, facts)


def _number(value: np.ndarray) -> float | None:
    return None if np.isnan(value) else float(value)


def estimate_of(tested: Tested, place: int, sign: int = 1, share: bool = False) -> Estimate:
    """One judge's figure with its 95% CI, or why either is undefined."""
    value, low, high = (sign * float(one[place]) for one in tested[:3])
    if np.isnan(value):
        return undefined(SCORES_EQUAL)
    if np.isnan(low):
        few = tested.questions[place] < QUESTION_FLOOR - NEGLIGIBLE
        return without_interval(value, TOO_FEW if few else NO_SPREAD)
    method = "Wilson at effective n" if share else "question jackknife"
    method = f"{method}, {int(tested.questions[place])} clusters"
    return Estimate(value, *sorted((low, high)), method)


def _conditions(
    found: Field,
    place: int,
    grades: Grades,
    decided: Decided,
    limits: Mapping[str, tuple[np.ndarray, np.ndarray]],
    terms: ProcedureTerms,
    value: Estimate,
    overlap: int,
) -> tuple[dict[str, Row], dict[str, Reason | str]]:
    """Return the conditions of a judge, whose deciding figure is `value`, and why each is open.

    On `overlap` answers annotators can be compared.
    """
    sign, made, opens = FIGURES[terms.figure].sign, {}, {}
    for name, words in BY_KEY.items():
        if name not in decided.conditions or (name == DIFFERENCE and place == 0):
            continue
        condition, *tests = decided.conditions[name]
        above, below = (float(one[place]) for one in tests)
        applies, questions = condition.applies[place], condition.tested.questions[place]
        if words.left_out and not applies:
            continue
        estimate = estimate_of(condition.tested, place, share=name in VETOES)
        if name == MINIMUM:
            estimate = value
        if name == KAPPA and grades.total()[place].sum() < PAIR_FLOOR - NEGLIGIBLE:
            estimate = undefined(reason("too_few_pairs", n=PAIR_FLOOR))
        if name in OF_OVERLAP and not overlaps(questions):
            why = found.on.no_overlap if questions == 0 else TOO_LITTLE_OVERLAP
            # Kappa of so few answers is withheld, as everywhere.
            withheld = questions == 0 or name in GATES
            estimate = undefined(why) if withheld else estimate._replace(why_none=why)
        opens[name] = words.open
        if not applies:
            made[name] = Row(UNTESTED, estimate=estimate, above=None, state="none")
            continue
        state = "clear" if above <= ERROR else "fails" if below <= ERROR else "open"
        if name == MAJORITY and state == "open" and not decided.unproven[place]:
            state = "clear"
        if name in VETOES and state == "open":
            reached = estimate.low is not None and estimate.low >= condition.limit
            state = "clear" if reached else "no_veto"
        if name == ANNOTATORS and overlap < PAIR_FLOOR:
            estimate = undefined(reason("annotators_share_too_few"))
        limit = terms.minimum if name == MINIMUM else condition.limit
        turned = sign if name == MINIMUM else 1
        ends = [_number(turned * one[place]) for one in limits.get(name, ())]
        made[name] = Row(
            estimate=estimate,
            above=limit,
            state=state,
            p=above if name in (*NEEDED, *GATES) else None,
            p_not=below,
            interval=(None, None) if None in ends or not ends else tuple(sorted(ends)),
        )
    return made, opens


def too_few(found: Field, figure: DecidingFigure) -> Reason | None:
    """Return why the grades are too few for a verdict on a figure; None where they suffice."""
    pairs = pairs_of(found, found.reference)
    questions = effective_number(np.bincount(pairs.cluster, pairs.weight))
    if questions < figure.questions - NEGLIGIBLE:
        return under(figure.questions, reason("no_verdict"))
    fails = np.isin(pairs.annotator, list(found.on.panel.rubric.failing(found.on.criterion)))
    answers, failing = pairs.weight.sum(), pairs.weight[fails].sum()
    if answers < figure.answers - NEGLIGIBLE:
        return reason("too_few_answers_for_verdict", n=figure.answers)
    if min(failing, answers - failing) < figure.of_each_class - NEGLIGIBLE:
        return reason("too_few_of_each_class_for_verdict", n=figure.of_each_class)
    return None


def _verdict(
    decided: Decided, place: int, conditions: Mapping[str, Row], opens: Mapping[str, Reason | str]
) -> tuple[str, tuple[Reason | str, ...], str | None]:
    """Return the verdict, the reasons, and the condition that decided."""

    def in_state(state: str) -> list[str]:
        return [name for name, one in conditions.items() if one.state == state]

    if decided.bad[place] and (failed := in_state("fails")):
        by = min(failed, key=lambda name: conditions[name].p_not)
        return NOT, tuple(BY_KEY[name].fails for name in failed), by
    if decided.good[place]:
        met = [name for name in in_state("clear") if conditions[name].p is not None]
        return GOOD_ENOUGH, (), max(met, key=lambda name: conditions[name].p, default=None)
    # Of the others the one that is furthest from being met comes first.
    undecided = sorted(in_state("open"), key=lambda name: -(conditions[name].p or 0))
    undecided.sort(key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST))
    estimates = {name: conditions[name].estimate for name in undecided}
    why = [one.why_none if one.value is None else opens[name] for name, one in estimates.items()]
    return CANNOT_TELL, tuple(dict.fromkeys(why)), next(iter(undecided), None)
