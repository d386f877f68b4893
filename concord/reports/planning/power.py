"""Power of a decision: the chance that a candidate is found good enough, by number of questions.

It is simulated with the procedure that decides, from the questions that annotators and two judges
have graded so far, or from stated assumptions where these are too few. The candidate is planned to
be exactly as good as the reference judge: a difference found in a pilot is mostly chance.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from concord.messages import Problem, joined, said
from concord.reports.panel.candidates import Field, field, grades_of, pairs_of, references
from concord.reports.panel.criterion_comparison import EACH, Reference, ground, reference
from concord.reports.panel.panel import Panel
from concord.reports.planning.interval_width import (
    ALIKE,
    NO_JUDGE,
    SHARE,
    Extent,
    cluster_sizes,
    least_questions,
)
from concord.stats.core.estimate import Why, reason, under
from concord.stats.core.minimums import LABEL_FLOOR, PILOT_FLOOR
from concord.stats.core.tables import NEGLIGIBLE, effective_number
from concord.stats.decision import conditions
from concord.stats.decision.deciding_figure import EXACT, FIGURES, MARGIN
from concord.stats.intervals.group_sequential import LOOKS_AT_MOST
from concord.stats.intervals.resampling import SEED
from concord.stats.planning.question_pool import (
    Assumed,
    Pool,
    equally_good,
    highest_agreement,
    made,
)
from concord.stats.planning.simulated_power import (
    SHEETS,
    Plan,
    Power,
    QuestionsNeeded,
    curve,
    questions_at,
    questions_needed,
)

JUDGES, FIGURE, MARGINS, ANNOTATORS = "judges", "figure", "margin", "annotators"
COMPARED = (JUDGES, FIGURE, MARGINS, ANNOTATORS)
NO_PAIR = said("only one judge has graded what annotators graded, and a choice requires two")
USUAL_JUDGES, USUAL_ANNOTATORS, PARTS_OF_MARGIN = (1, 4, 9), (1, 2), (0.5, 1, 1.5, 2)
USUAL_FAILING = 0.25
OTHER_SHEETS, LEAST_TOP, MOST_TOP, POINTS = 100, 120, 4000, 6


class PlannedDecision(NamedTuple):
    """The decision that is planned, and what is assumed while too little is graded.

    Attributes:
        figure: The key of the deciding figure.
        margin: In its unit; None for its own.
        minimum: The least figure (the most, of MAE); None for none.
        failure_recall, failure_precision: Of failing answers and verdicts; None for none.
        judges: Number of candidates.
        annotators: Of each answer; None for as many as so far, and one before that.
        looks: Interim looks, at even shares of the planned questions.
        share: Exact agreement of a judge with an annotator, 0 to 1.
        ceiling: Exact agreement of two annotators.
        failing: Share of answers that fail; None for that of the grades so far.
    """

    figure: str = EXACT
    margin: float | None = None
    minimum: float | None = None
    failure_recall: float | None = 0.5
    failure_precision: float | None = None
    judges: int = 1
    annotators: int | None = None
    looks: int = 1
    share: float = SHARE
    ceiling: float = 0.8
    failing: float | None = None

    def plan(self) -> Plan:
        """The same for the simulation."""
        terms = conditions.ProcedureTerms(
            self.figure,
            self.width,
            self.minimum or None,
            self.failure_recall or None,
            self.failure_precision or None,
        )
        return Plan(terms, self.looks)

    @property
    def width(self) -> float:
        """The margin, or the figure's own where none is named."""
        if self.margin is not None:
            return self.margin
        own = FIGURES[self.figure].margin
        return MARGIN if own is None else own


@dataclass(frozen=True)
class PowerCurve:
    """The power by number of questions under one variant of the terms.

    Attributes:
        compared: The value of what is compared; of annotators 0 for as many as so far.
        planned: True for the terms of the plan itself.
        points: By number of independent questions, rising.
        questions: For 80 percent; None where the points do not reach it.
        why_none: Why there are no points.
    """

    compared: str | float
    planned: bool
    points: tuple[Power, ...]
    questions: int | None
    why_none: str | None = None


@dataclass(frozen=True)
class SimulatedPower:
    """The power of a planned decision.

    Attributes:
        by: `pilot` or `assumptions`.
        why_assumed: Why it does not rest on the grades so far.
        against, candidate: The two judges whose grades it rests on; None for assumptions.
        questions, answers: How many it rests on; 0 for assumptions.
        annotators_per_answer: On the mean.
        overlap: How many of the questions two annotators or more graded.
        clustered: Questions share clusters (documents), which are then what is counted.
        terms: Of the decision.
        needed: Independent questions for 80 percent, with the uncertainty of the pilot; of
            assumptions, with answers to a question from independent to much alike.
        compare: What the curves compare: `judges`, `figure`, `margin` or `annotators`.
        curves: One for each value compared.
    """

    by: str
    why_assumed: str | None
    against: str | None
    candidate: str | None
    questions: int
    answers: int
    annotators_per_answer: float
    overlap: int
    clustered: bool
    terms: PlannedDecision
    needed: QuestionsNeeded
    compare: str
    curves: tuple[PowerCurve, ...] = ()

    def variants(self) -> dict[str | int | float, PlannedDecision]:
        """The terms of each curve by what is compared."""
        return variants(self.terms, self.compare, self.by == "pilot")


class Pair(NamedTuple):
    """The reference judge and the candidate of a pilot."""

    field: Field
    against: str
    candidate: str

    def thinned(self, annotators: int | None) -> Field:
        """The answers that so many annotators graded, and the grades of so many of them."""
        if annotators is None:
            return self.field
        on = self.field.on
        kept, enough = _drawn(on.annotators, annotators, len(on.panel.items))
        return replace(
            self.field,
            on=ground(on.panel, on.name, EACH, kept),
            common=self.field.common & enough,
        )


def simulated_power(
    panel: Panel,
    criterion: str,
    terms: PlannedDecision,
    extent: Extent,
    compare: str = JUDGES,
    against: str | None = None,
    candidate: str | None = None,
) -> SimulatedPower:
    """Return what a decision takes for 80 percent power; its curves are simulated by `power_curve`.

    Args:
        panel: The grades.
        criterion: Its name.
        terms: What is planned.
        extent: Of the sheet.
        compare: One of `COMPARED`.
        against: The reference judge's label; the one that agrees most without.
        candidate: The label of the judge it is compared with; the next best without.

    Raises:
        Problem: A judge is named that cannot be one of the two, or assumptions exclude each other.
    """
    _check(terms, compare)
    pair, why = _pair(panel, criterion, against, candidate)
    if terms.failing is None:
        terms = terms._replace(failing=_failing(panel, criterion))
    pools = _Pools(panel, criterion, pair)
    pool = why or pools.of(terms)
    if not isinstance(pool, Pool):
        pools, why = replace(pools, pair=None), pool
        pool = pools.of(terms)
        needed = _over_alike(pools, terms)
    else:
        why, needed = None, questions_needed(pool, terms.plan())
    graded = pools.pair.thinned(terms.annotators) if pools.pair else None
    return SimulatedPower(
        by="pilot" if pools.pair else "assumptions",
        why_assumed=why,
        against=pools.pair and pools.pair.against,
        candidate=pools.pair and pools.pair.candidate,
        questions=pool.questions if pools.pair else 0,
        answers=int(graded.common.sum()) if graded else 0,
        annotators_per_answer=float(pool.grades.per_answer),
        overlap=pool.overlap if pools.pair else 0,
        clustered=extent.clusters < extent.questions,
        terms=terms._replace(margin=terms.width),
        needed=needed,
        compare=compare,
    )


def power_curve(
    panel: Panel, criterion: str, extent: Extent, found: SimulatedPower, compared: str | float
) -> PowerCurve:
    """Return one curve of a planned decision: that of one of its `variants`."""
    pair = _two(panel, criterion, found.against, found.candidate) if found.against else None
    likely = found.needed.likely
    planned = compared == _planned(found)
    variant = found.variants()[compared]
    pool = _Pools(panel, criterion, pair).of(variant)
    if not isinstance(pool, Pool):
        return PowerCurve(compared, planned, (), None, pool)
    top = np.clip(3 * (likely or MOST_TOP), LEAST_TOP, MOST_TOP)
    least = least_questions(FIGURES[found.terms.figure], extent)  # fewer give no verdict
    sizes = np.unique(np.geomspace(least, top, POINTS).round().astype(int)).tolist()
    points = curve(pool, variant.plan(), sizes, SHEETS if planned else OTHER_SHEETS)
    return PowerCurve(compared, planned, points, likely if planned else questions_at(points))


@dataclass(frozen=True)
class _Pools:
    """Where questions come from: the pilot of two judges, or assumptions without one."""

    panel: Panel
    criterion: str
    pair: Pair | None

    def of(self, terms: PlannedDecision, alike: float = ALIKE[1]) -> Pool | Why:
        """The pool for these terms, or why the pilot has none."""
        first = self._pilot(terms) if self.pair else self._assumed(terms, alike)
        if not isinstance(first, Pool):
            return first
        return first.with_candidates(terms.judges, terms.figure, SEED)

    def _pilot(self, terms: PlannedDecision) -> Pool | Why:
        found = self.pair.thinned(terms.annotators)
        pairs = {judge.id: pairs_of(found, judge) for judge in found.judges}
        own = pairs[found.reference.id]
        clusters = effective_number(np.bincount(own.cluster, own.weight))
        if clusters < PILOT_FLOOR - NEGLIGIBLE:
            if terms.annotators is None:
                return under(PILOT_FLOOR, reason("no_forecast_from_pilot"))
            return said(
                "only {n} of the {least} questions of a pilot were graded by {annotators} "
                "annotators each",
                n=int(clusters),
                least=PILOT_FLOOR,
                annotators=terms.annotators,
            )
        pool = equally_good(grades_of(found, pairs)[0])
        return pool.why_too_small() or pool

    def _assumed(self, terms: PlannedDecision, alike: float) -> Pool:
        rubric = self.panel.rubric
        scale, failing = rubric.scale, rubric.failing(rubric.criterion(self.criterion))
        of = Assumed(
            terms.share,
            terms.ceiling,
            terms.failing,
            alike,
            cluster_sizes(self.panel).tolist(),
            terms.annotators or 1,
        )
        most = highest_agreement(of, scale, failing)
        if of.agreement > most:
            raise Problem(
                "Where two annotators agree on {ceiling:.0%} of the answers, no judge agrees with "
                "one on more than {most:.0%}. Assume a lower agreement, or a higher ceiling.",
                ceiling=of.ceiling,
                most=np.floor(100 * most) / 100,
            )
        return equally_good(made(of, scale, failing), pilot=False)


def _failing(panel: Panel, criterion: str) -> float:
    """The share of the answers graded so far that fail; a quarter where there are too few."""
    graded = reference(panel, criterion, EACH)
    weight = panel.weight[graded.item] / np.bincount(graded.item)[graded.item]
    if len(np.unique(graded.item)) < LABEL_FLOOR or not weight.sum():
        return USUAL_FAILING
    failing = list(panel.rubric.failing(panel.rubric.criterion(criterion)))
    return float(weight @ np.isin(graded.score, failing) / weight.sum())


def _over_alike(pools: _Pools, terms: PlannedDecision) -> QuestionsNeeded:
    """The number needed with answers to one question from independent to much alike."""
    found = [questions_needed(pools.of(terms, alike), terms.plan()) for alike in ALIKE]
    # Equal ones differ by Monte Carlo error; None is more than any number.
    low, likely, high = sorted(
        (one.likely for one in found), key=lambda size: np.inf if size is None else size
    )
    blocked = next((one.blocked for one in found[1:] if one.blocked), None)
    return QuestionsNeeded(low, likely, high, blocked)


def _pair(
    panel: Panel, criterion: str, against: str | None, candidate: str | None
) -> tuple[Pair | None, str | None]:
    """The two judges whose grades are drawn, or why there are none."""
    agreement = _agreement(panel, criterion)
    for named in filter(None, (against, candidate)):
        if named not in agreement:
            raise Problem(
                "“{judge}” cannot be compared here. Name one of: {judges}.",
                judge=named,
                judges=joined(", ", agreement) or "none yet",
            )
    if not agreement:
        return None, NO_JUDGE
    best = against or max((one for one in agreement if one != candidate), key=agreement.get)
    found = field(panel, criterion, references(panel)[best])
    others = {panel.labels[judge.id]: judge for judge in found.judges[1:]}
    if not others:
        return None, NO_PAIR
    if candidate and candidate not in others:
        raise Problem(
            "“{judge}” cannot be compared here. Name one of: {judges}.",
            judge=candidate,
            judges=joined(", ", others),
        )
    other = candidate or max(others, key=agreement.get)
    return _two(panel, criterion, best, other), None


def _two(panel: Panel, criterion: str, against: str, candidate: str) -> Pair:
    """Two judges that can be compared, by label."""
    found = field(panel, criterion, references(panel)[against])
    other = next(one for one in found.judges if panel.labels[one.id] == candidate)
    return Pair(replace(found, judges=[found.reference, other]), against, candidate)


def _agreement(panel: Panel, criterion: str) -> Mapping[str, float]:
    """Exact agreement by label of the judges that can be compared."""
    if panel.means and not panel.annotators:
        return {}
    on = ground(panel, criterion, EACH)
    found = {}
    for label, judge in references(panel).items():
        pairs = None if panel.is_continuous(criterion, judge.id) else on.pairs(judge)
        if pairs is not None and len(pairs.item):
            hits = pairs.judge == pairs.annotator
            found[label] = float(pairs.weight @ hits / pairs.weight.sum())
    return found


def _drawn(graded: Reference, number: int, items: int) -> tuple[Reference, np.ndarray]:
    """The grades of so many annotators of each answer, and (N,) which answers had so many."""
    order = np.random.default_rng([SEED, number]).permutation(len(graded.item))
    order = order[np.argsort(graded.item[order], kind="stable")]
    times = np.bincount(graded.item, minlength=items)
    rank = np.arange(len(order)) - (np.cumsum(times) - times)[graded.item[order]]
    enough = times >= number
    keep = np.sort(order[(rank < number) & enough[graded.item[order]]])
    return (
        Reference(graded.item[keep], graded.score[keep], graded.grader[keep], graded.why),
        enough,
    )


def variants(
    terms: PlannedDecision, compare: str, pilot: bool
) -> dict[str | int | float, PlannedDecision]:
    """Return the terms of each curve by what is compared; 0 annotators are as many as so far."""
    if compare == JUDGES:
        return {n: terms._replace(judges=n) for n in sorted({*USUAL_JUDGES, terms.judges})}
    if compare == FIGURE:
        return {key: terms if key == terms.figure else _other_figure(terms, key) for key in FIGURES}
    if compare == MARGINS:
        widths = (round(part * terms.width, 6) for part in PARTS_OF_MARGIN)
        return {width: terms._replace(margin=width) for width in widths}
    as_now = {0: terms._replace(annotators=None)} if pilot else {}
    each = sorted({*USUAL_ANNOTATORS, terms.annotators or 1})
    return as_now | {n: terms._replace(annotators=n) for n in each}


def _other_figure(terms: PlannedDecision, figure: str) -> PlannedDecision:
    """The same terms with another figure, in whose unit a minimum would mean something else."""
    width = terms.width if FIGURES[figure].margin is None else None
    return terms._replace(figure=figure, margin=width, minimum=None)


def _planned(found: SimulatedPower) -> str | int | float:
    """Which of the variants is the plan itself."""
    terms, as_now = found.terms, 0 if found.by == "pilot" else 1
    return {
        JUDGES: terms.judges,
        FIGURE: terms.figure,
        MARGINS: round(terms.width, 6),
        ANNOTATORS: terms.annotators or as_now,
    }[found.compare]


def _check(terms: PlannedDecision, compare: str) -> None:
    """Raise a Problem for terms that no decision can have."""
    for name, known, given in (
        ("figure", FIGURES, terms.figure),
        ("comparison", COMPARED, compare),
    ):
        if given not in known:
            raise Problem(
                "There is no {name} “{given}”. Name one of: {known}.",
                name=name,
                given=given,
                known=joined(", ", known),
            )
    shares = {"--share": terms.share, "--ceiling": terms.ceiling, "--failing": terms.failing}
    for option, share in shares.items():
        if option == "--failing" and share is None:
            continue
        if share is None or not 0 < share <= 1:
            raise Problem(
                "{option} takes a share above 0 and up to 1, as 0.8 for 80%; not {share}.",
                option=option,
                share=share or 0,
            )
    if not terms.width > 0:
        raise Problem("The margin must be above 0, as in --margin 0.1.")
    if terms.judges < 1 or not 1 <= terms.looks <= LOOKS_AT_MOST:
        raise Problem(
            "A plan requires at least one judge, and one to {n} interim looks.", n=LOOKS_AT_MOST
        )
