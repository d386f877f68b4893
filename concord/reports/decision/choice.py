"""Choice: the result of one look at a decision, as stored, as shown, and as `--json`.

Shares are 0 to 1 and prices USD. Every figure is an estimate; an undefined one has its reason.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

from concord.messages import said
from concord.model import Grader
from concord.reports.decision.cost import Cost
from concord.reports.decision.more_labels import SETTLED, MoreLabels, in_questions, more_labels
from concord.reports.decision.robustness import Changed, WithoutAnnotator
from concord.reports.decision.verdict import (
    CANNOT_TELL,
    CEILING,
    DIFFERENCE,
    GOOD_ENOUGH,
    KAPPA,
    MAJORITY,
    NOT,
    Judged,
    MajorityClass,
    Recall,
    Terms,
    Verdicts,
    vetoed,
)
from concord.reports.document import FLAT, as_json
from concord.reports.panel.candidates import Field
from concord.reports.panel.provenance import synthetic, versions
from concord.reports.panel.simulated import named
from concord.stats.core.estimate import Estimate, undefined, with_interval
from concord.stats.intervals.alpha_spending import AT_MOST, Look
from concord.stats.intervals.resampling import SEED
from concord.store.decisions import Decision

T = TypeVar("T")
NO_CANDIDATE = said("there is no other judge to choose")


@dataclass(frozen=True)
class ConditionFound:
    """A condition of a judge.

    Attributes:
        estimate: The figure with its simultaneous confidence limits.
        above: Its limit; None where it has none.
        state: `clear`, `fails`, `open` (inconclusive) or `none` (not asked).
    """

    estimate: Estimate
    above: float | None
    state: str


_MISSING, _NO_RECALL = Estimate(None), Recall(None)


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
        difference: Exact agreement minus that of the reference judge, in shares.
        exact, qwk: Agreement with the annotators.
        judge_minus_ceiling: Exact agreement minus the inter-annotator agreement.
        conditions: By name, as in `verdict`.
        vetoed: Its recall of failing answers is significantly below the minimum.
        failed: Number of answers it left unscored.
        cost_per_1000: USD; None where unknown. `seconds` (median, `seconds_p95`) likewise.
        more_labels: Range of further graded answers for a verdict, else why it is undefined.
        more_questions: The same in independent questions.
        on_front: On the Pareto front of price and agreement.
    """

    judge: str
    verdict: str
    exact: Estimate = _MISSING
    difference: Estimate = _MISSING
    qwk: Estimate = _MISSING
    judge_minus_ceiling: Estimate = _MISSING
    failure_recall: Recall = _NO_RECALL
    fingerprint: str | None = None
    simulated: bool = False
    is_reference: bool = False
    why: tuple[str, ...] = ()
    conditions: Mapping[str, ConditionFound] = field(default_factory=dict)
    vetoed: bool = False
    failed: int = 0
    cost_per_1000: float | None = None
    seconds: float | None = None
    seconds_p95: float | None = None
    cost: CostFound | None = None
    more_labels: tuple[int, int] | None = None
    more_labels_why_none: str | None = None
    n: int = 0
    questions: int = 0
    clusters: int = 0
    on_front: bool = False
    more_questions: tuple[int, int] | None = None


@dataclass(frozen=True)
class Annotator:
    """One of the annotators the figures rest on."""

    name: str
    simulated: bool


@dataclass(frozen=True)
class DecisionMade:
    """A decision; `number` counts those on the same answers and criterion from 1."""

    id: int
    number: int


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
        answers: How many are compared, of `questions` in `clusters`; on `overlap` of them two or
            more annotators agree with one another at the rate `ceiling`.
        signature: Provenance.
        without_annotators: Judges whose verdict differs without an annotator.
        grades_digest: Which grades it rests on.
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
    more_labels_why_none: str | None = None
    looks_at_most: int = AT_MOST
    new_look: bool = True
    left_out: Mapping[str, str] = field(default_factory=dict)
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
    annotator_warnings: tuple[Any, ...] = ()
    without_annotators: tuple[WithoutAnnotator, ...] = ()
    grades_digest: str = ""
    looked_at: str = ""

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

    @property
    def heeds_assay(self) -> bool:
        """True where it requires assay sensitivity, which earlier versions did not."""
        return all(MAJORITY in row.conditions for row in self.judges if row.conditions)


def to_json(found: Choice) -> dict[str, Any]:
    """Return a look as JSON values, as it is stored."""
    return as_json(found)


def read(stored: Mapping[str, Any]) -> Choice:
    """Return a stored look; one of an earlier version lacks parts, which have their defaults."""
    # The old name is not in `json_names.RENAMED`: a judge called so is a key of other objects.
    level = stored.get("majority_baseline", stored.get("constant"))
    made = {
        "judges": tuple(map(_read_judge, stored["judges"])),
        "decision": DecisionMade(**stored["decision"]),
        "annotators": tuple(Annotator(**one) for one in stored.get("annotators", ())),
        "without_annotators": tuple(
            WithoutAnnotator(one["annotator"], tuple(Changed(**each) for each in one["judges"]))
            for one in stored.get("without_annotators", ())
        ),
        "majority_baseline": MajorityClass(**level) if level else None,
    }
    return _read(Choice, stored, made)


def _read_judge(stored: Mapping[str, Any]) -> JudgeFound:
    made: dict[str, Any] = {name: Estimate(**stored[name]) for name in _ESTIMATES if name in stored}
    if "failure_recall" in stored:
        made["failure_recall"] = Recall(**stored["failure_recall"])
    made["conditions"] = {
        name: ConditionFound(Estimate(**one["estimate"]), one["above"], one["state"])
        for name, one in stored.get("conditions", {}).items()
    }
    if stored.get("cost"):
        made["cost"] = CostFound(_read(Cost, stored["cost"], {}), stored["cost"]["words"])
    return _read(JudgeFound, stored, made)


_ESTIMATES = ("exact", "difference", "qwk", "judge_minus_ceiling")


def _read(kind: type[T], stored: Mapping[str, Any], made: Mapping[str, Any]) -> T:
    """Return an object with the stored values of its fields, and those that were made of them."""
    return kind(**{one: stored[one] for one in kind.__annotations__ if one in stored} | made)


class _Compared(NamedTuple):
    """Intermediate results of a look; costs and ranges by grader id."""

    field: Field
    decision: Decision
    number: int
    look: Look
    verdicts: Verdicts
    costs: dict[int, Cost]
    more: dict[int, MoreLabels]


def compared(
    found: Field,
    decision: Decision,
    number: int,
    look: Look,
    judged: Verdicts,
    costs: dict[int, Cost],
) -> Choice:
    """Return the result of a look; `number` counts decisions on the same answers from 1."""
    more = {one.judge.id: more_labels(one, judged, look.number < AT_MOST) for one in judged.judges}
    return _choice(_Compared(found, decision, number, look, judged, costs, more))


def _choice(chosen: _Compared) -> Choice:
    labels = chosen.field.on.panel.labels
    verdict, focus, by = _overall(chosen)
    more = chosen.more[focus.judge.id] if focus else MoreLabels(None, None, NO_CANDIDATE)
    more = more if verdict == CANNOT_TELL else MoreLabels(None, None, SETTLED)
    decision, look, panel = chosen.decision, chosen.look, chosen.field.on.panel
    judged, level = chosen.verdicts, chosen.verdicts.constant
    return Choice(
        criterion=decision.criterion,
        figure=decision.metric,
        margin=decision.margin,
        minimum=decision.minimum,
        failure_recall=decision.caught_minimum,
        against=labels[chosen.field.reference.id],
        fixed_at=decision.created_at,
        fixed_after_sight=decision.fixed_after_sight,
        decision=DecisionMade(decision.id, chosen.number),
        winner=labels[focus.judge.id] if focus and verdict == GOOD_ENOUGH else None,
        winner_by=by,
        verdict=verdict,
        about=labels[focus.judge.id] if focus else None,
        more_labels=more.range,
        more_labels_why_none=more.why_none,
        more_questions=more.range and in_questions(more.range, judged),
        looks=look.number,
        new_look=look.new,
        level=look.level,
        judges=_rows(chosen),
        left_out=chosen.field.left_out,
        sheet=panel.sheet.name,
        rubric=panel.rubric.name,
        annotators=tuple(Annotator(p.name, p.simulated) for p in panel.annotators.values()),
        answers=judged.answers,
        questions=judged.questions,
        clusters=judged.clusters,
        overlap=judged.overlap,
        ceiling=judged.ceiling,
        majority_baseline=MajorityClass(level.score, level.exact) if level else None,
        simulated=chosen.field.reference.simulated,
        signature=_signature(chosen),
    )


def winner(judged: list[Judged], spent: dict[int, Cost]) -> tuple[Judged | None, str | None]:
    """The cheapest candidate that is good enough, and what made it the winner.

    Args:
        judged: The candidates without the reference judge.
        spent: Costs by grader id.
    """
    good = [one for one in judged if one.verdict == GOOD_ENOUGH]
    if len(good) < 2:
        return (good[0], "only") if good else (None, None)
    priced = [one for one in good if spent[one.judge.id].per_1000 is not None]
    if priced:
        cheapest = min(priced, key=lambda one: (spent[one.judge.id].per_1000, -one.exact.value))
        return cheapest, "price"
    return max(good, key=lambda one: one.exact.value), "agreement"


def _overall(chosen: _Compared) -> tuple[str, Judged | None, str | None]:
    """The verdict of the choice, the judge it is about, and what made it the winner.

    A judge that is good enough and known to be dearer than the reference judge settles nothing as
    long as one that is not may still be good enough. Where none is, the choice is about the one
    that it would take the fewest further labels to tell, else about the one that agrees most.
    """
    candidates = chosen.verdicts.judges[1:]
    first, by = winner(candidates, chosen.costs)
    pending = [one for one in candidates if one.verdict == CANNOT_TELL]
    if first and _dearer(first, chosen):
        pending = [one for one in pending if not _dearer(one, chosen)]
    if first and not (pending and _dearer(first, chosen)):
        return GOOD_ENOUGH, first, by
    if pending:
        return CANNOT_TELL, min(pending, key=lambda one: _promise(one, chosen)), None
    best = max(candidates, key=lambda one: one.exact.value or 0, default=None)
    open_still = not candidates or chosen.field.sparse
    return (CANNOT_TELL, None, None) if open_still else (NOT, best, None)


def _dearer(one: Judged, chosen: _Compared) -> bool:
    """True where a judge is known to cost more than the reference judge."""
    ours, theirs = (chosen.costs[i].per_1000 for i in (one.judge.id, chosen.field.reference.id))
    return ours is not None and theirs is not None and ours > theirs


def _promise(one: Judged, chosen: _Compared) -> tuple:
    price, more = chosen.costs[one.judge.id].per_1000, chosen.more[one.judge.id]
    likely = all(
        each.above is None or each.estimate.value is None or each.estimate.value > each.above
        for each in one.conditions.values()
    )
    return more.low is None, not likely, price is None, more.high or 0, price or 0


def _rows(chosen: _Compared) -> tuple[JudgeFound, ...]:
    rows = [_row(one, chosen) for one in chosen.verdicts.judges]
    rows += [_sparse(judge, why, chosen) for judge, why in chosen.field.sparse.items()]
    return tuple(replace(row, on_front=_on_front(row, rows)) for row in rows)


def _row(one: Judged, chosen: _Compared) -> JudgeFound:
    decision = chosen.decision
    conditions = {
        name: ConditionFound(each.estimate, each.above, each.state)
        for name, each in one.conditions.items()
    }
    more = chosen.more[one.judge.id]
    return _of_judge(
        one.judge,
        chosen,
        verdict=one.verdict,
        why=tuple(one.why),
        difference=conditions[DIFFERENCE].estimate if DIFFERENCE in conditions else _ITSELF,
        exact=one.exact,
        qwk=conditions[KAPPA].estimate,
        judge_minus_ceiling=conditions[CEILING].estimate,
        conditions=conditions,
        failure_recall=_recall(one),
        vetoed=vetoed(
            one.failure_recall, Terms(decision.margin, failure_recall=decision.caught_minimum)
        ),
        more_labels=more.range,
        more_labels_why_none=more.why_none,
        more_questions=more.range and in_questions(more.range, chosen.verdicts),
        n=chosen.verdicts.answers,
        questions=chosen.verdicts.questions,
        clusters=chosen.verdicts.clusters,
    )


def _sparse(judge_id: int, why: str, chosen: _Compared) -> JudgeFound:
    """A judge that scored too few of the answers."""
    figures = ("difference", "exact", "qwk", "judge_minus_ceiling")
    return _of_judge(
        chosen.field.on.panel.judges[judge_id],
        chosen,
        verdict=CANNOT_TELL,
        why=(why,),
        **dict.fromkeys(figures, undefined(why)),
        failure_recall=Recall(None, why_none=why),
        more_labels_why_none=why,
    )


def _of_judge(judge: Grader, chosen: _Compared, **figures: Any) -> JudgeFound:
    """A judge with its price, and with these figures."""
    spent = chosen.costs[judge.id]
    return JudgeFound(
        judge=chosen.field.on.panel.labels[judge.id],
        fingerprint=judge.fingerprint,
        simulated=judge.simulated,
        is_reference=judge.id == chosen.field.reference.id,
        failed=_failed(judge.id, chosen),
        cost_per_1000=spent.per_1000,
        seconds=spent.seconds,
        seconds_p95=spent.seconds_p95,
        cost=CostFound(spent, spent.words()),
        **figures,
    )


def _failed(judge_id: int, chosen: _Compared) -> int:
    """Return how many of the answers annotators scored a judge left unscored."""
    on = chosen.field.on
    asked = on.panel.of(on.name, judge_id).status > 0
    return int((asked & on.panel.open & (on.annotators.why == "")).sum())


def _recall(one: Judged) -> Recall:
    share, items, weight = one.failure_recall
    whole = items > 0 and abs(weight - items) < 1e-9  # a weighted sum is no count
    return Recall(*share, failing=items, count=round(share.value * items) if whole else None)


_ITSELF = with_interval(0.0, 0.0, 0.0, "to itself")


def _on_front(row: JudgeFound, rows: list[JudgeFound]) -> bool:
    return _known_both(row) and not any(_beats(one, row) for one in rows if _known_both(one))


def _known_both(row: JudgeFound) -> bool:
    return row.cost_per_1000 is not None and row.exact.value is not None


def _beats(one: JudgeFound, other: JudgeFound) -> bool:
    ours, theirs = ((-row.cost_per_1000, row.exact.value) for row in (one, other))
    return ours != theirs and all(a >= b for a, b in zip(ours, theirs, strict=True))


def _signature(chosen: _Compared) -> str:
    panel, judged = chosen.field.on.panel, chosen.verdicts
    methods = [one.exact.method for one in judged.judges if one.exact.method]
    parts = {
        "rubric": panel.rubric.name,
        "versions": versions(panel, chosen.decision.criterion),
        "annotators": ", ".join(named(p.name, p.simulated) for p in panel.annotators.values()),
        "answers": judged.answers,
        "questions": judged.questions,
        "clusters": judged.clusters,
        **synthetic(panel),
        "intervals": methods[0] if methods else "none",
        "seed": SEED,
    }
    return " | ".join(f"{key}: {value}" for key, value in parts.items())
