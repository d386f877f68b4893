"""Plan: how many questions a decision takes, with hours and the power by number of questions.

Power is the chance that a candidate is found good enough. It is simulated with the procedure that
decides, from the questions that annotators and two judges have graded so far, or from stated
assumptions where these are too few. The candidate is planned to be exactly as good as the reference
judge: a difference found in a pilot is mostly chance.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from concord.grading import assignments
from concord.messages import Problem, counted, joined, message_of, on_command_line, said
from concord.reports.charts import Curve
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.panel.choice import (
    CONDITIONS,
    Field,
    field,
    grades_of,
    pairs_of,
    references,
)
from concord.reports.panel.criterion_comparison import EACH, CriterionPanel, Reference, ground
from concord.reports.panel.panel import LEAKED, Panel
from concord.stats.core.estimate import Why, reason, under
from concord.stats.core.minimums import LABEL_FLOOR, PILOT_FLOOR
from concord.stats.core.tables import NEGLIGIBLE, effective_number, ranked
from concord.stats.decision.conditions import ProcedureTerms
from concord.stats.decision.deciding_figure import EXACT, FIGURES, MARGIN, DecidingFigure
from concord.stats.intervals.resampling import SEED
from concord.stats.planning import (
    POWER,
    Assumed,
    Plan,
    Pool,
    QuestionsNeeded,
    equally_good,
    highest_agreement,
    made,
    questions_needed,
)
from concord.store.database import Store


class Extent(NamedTuple):
    """Size of the sheet, as far as it counts in figures.

    Attributes:
        clusters: Number of clusters (documents), the independent units; a question without one is
            its own.
    """

    answers: int
    questions: int
    clusters: int


def extent_of(panel: Panel) -> Extent:
    """Return how large the evaluation split is; a Problem where all questions are in the pool."""
    may = _counted(panel)
    questions, clusters = (len(np.unique(index[may])) for index in (panel.question, panel.cluster))
    return Extent(int(may.sum()), questions, clusters)


def cluster_sizes(panel: Panel) -> np.ndarray:
    """(clusters,) how many answers each cluster of the evaluation split has."""
    return np.unique(panel.cluster[_counted(panel)], return_counts=True)[1]


def _counted(panel: Panel) -> np.ndarray:
    """(N,) which answers count in figures; a Problem where none can.

    Held-out questions may be graded but count in no figure. Where nothing else is there, they stay,
    for the figures say themselves that they have no grade.
    """
    closed = panel.items["closed"]
    may = ((closed == "") if (closed == "").any() else (closed != LEAKED)).to_numpy()
    if not may.any():
        raise Problem(
            "No question of sheet “{sheet}” may be graded: judges may have seen all of them as "
            "examples. Move some to evaluation, or import more.",
            sheet=panel.sheet.name,
        )
    return may


def least_questions(figure: DecidingFigure, extent: Extent) -> int:
    """Return how many clusters of a sheet a verdict on a figure takes.

    A figure with a minimum of answers takes as many clusters as have these on average.
    """
    return max(figure.questions, math.ceil(figure.answers * extent.clusters / extent.answers))


NO_JUDGE = "annotators and a judge have not graded the same answers yet"
NO_PAIR = "only one judge has graded what annotators graded, and a choice requires two"
ALIKE = (0.0, 0.3, 0.6)  # how alike answers to one question are, from not at all to very
USUAL_FAILING = 0.25
TYPICAL_S = 60
REPEATED = 1.1  # a tenth of the answers come back hidden


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
    share: float = 0.8
    ceiling: float = 0.8
    failing: float | None = None

    def simulated(self) -> Plan:
        """The same for the simulation."""
        least = (self.minimum, self.failure_recall, self.failure_precision)
        terms = ProcedureTerms(self.figure, self.margin, *(one or None for one in least))
        return Plan(terms, self.looks)


def plan(
    store: Store,
    panel: Panel,
    terms: PlannedDecision | None = None,
    criterion: str | None = None,
    against: str | None = None,
    candidate: str | None = None,
) -> dict[str, Any]:
    """Return what a decision on a criterion takes for 80 percent power.

    `decision` says what the simulation rests on, `by` a `pilot` or `assumptions`; `needed` are low,
    likely and high numbers, None where none up to 100,000 suffices: of a pilot by its uncertainty,
    of assumptions with answers to a question from independent to much alike. `hours` are those of
    one annotator, low and high, from the seconds of the fastest and the slowest annotator.

    Args:
        store: The open store.
        panel: The grades; there need not be any yet.
        terms: Of the decision.
        criterion: Its name; the heaviest unless one is named.
        against: The reference judge's label; the judge that agrees most without.
        candidate: The label of the judge compared with it; the next best without.

    Raises:
        Problem: A judge is named that cannot be one of the two, or assumptions exclude each other.
    """
    name = panel.rubric.criterion(criterion).name if criterion else panel.rubric.heaviest().name
    on, extent, terms = ground(panel, name, EACH), extent_of(panel), terms or PlannedDecision()
    _check(terms)
    if terms.margin is None:
        own = FIGURES[terms.figure].margin
        terms = terms._replace(margin=MARGIN if own is None else own)
    if terms.failing is None:
        terms = terms._replace(failing=_failing(on))
    pair, why = _pair(on, against, candidate)
    pool = why or _of_pilot(pair, terms)
    if isinstance(pool, Pool):
        why, needed = None, questions_needed(pool, terms.simulated())
    else:
        pair, why = None, pool
        pools = [_assumed(panel, name, terms, alike) for alike in ALIKE]
        each = [questions_needed(one, terms.simulated()) for one in pools]
        # Equal ones differ by Monte Carlo error; None is more than any number.
        sizes = sorted((one.likely for one in each), key=lambda n: np.inf if n is None else n)
        blocked = next((one.blocked for one in each[1:] if one.blocked), None)
        pool, needed = pools[1], QuestionsNeeded(*sizes, blocked, points=each[1].points)
    by = "pilot" if pair else "assumptions"
    clusters = needed[:3]
    questions, answers = (
        [_scaled(n, total / extent.clusters) for n in clusters]
        for total in (extent.questions, extent.answers)
    )
    paces = [pace for i in panel.annotators if (pace := assignments.pace(store, i))]
    seconds = (min(paces, default=TYPICAL_S), max(paces, default=TYPICAL_S))
    graded = np.unique(on.annotators.item)
    return {
        "sheet": panel.sheet.name,
        "rubric": panel.rubric.name,
        "criterion": name,
        **extent._asdict(),
        "pilot": {
            "clusters": ranked(panel.cluster[graded])[0],
            "questions": len(np.unique(panel.question[graded])),
            "answers": len(graded),
            "annotators": len(on.annotators_on(np.ones(len(panel.items), bool))),
        },
        "decision": {
            "by": by,
            "why_assumed": why,
            "against": pair and panel.labels[pair.judges[0].id],
            "candidate": pair and panel.labels[pair.judges[1].id],
            "questions": pool.questions if pair else 0,
            "overlap": pool.overlap if pair else 0,
            "clustered": extent.clusters < extent.questions,
            "terms": terms,
            "needed": needed,
        },
        "needed": {
            "margin": {"by": by, "clusters": clusters, "questions": questions, "answers": answers}
        },
        "hours": {
            "seconds_per_answer": seconds,
            "measured": bool(paces),
            "margin": [
                count and round(count * REPEATED * pace / 3600, 1)
                for count, pace in zip(answers[::2], seconds, strict=True)
            ],
        },
    }


def _scaled(clusters: float | None, each: float) -> int | None:
    # Rounded first, so that a rounding error does not add a question.
    return None if clusters is None else math.ceil(round(clusters * each, 6))


def _of_pilot(pair: Field, terms: PlannedDecision) -> Pool | Why:
    """The questions that the two judges and annotators graded, or why these are too few."""
    thinned = _thinned(pair, terms.annotators)
    pairs = {judge.id: pairs_of(thinned, judge) for judge in thinned.judges}
    own = pairs[thinned.reference.id]
    clusters = effective_number(np.bincount(own.cluster, own.weight))
    if clusters < PILOT_FLOOR - NEGLIGIBLE:
        if terms.annotators is None:
            return under(PILOT_FLOOR, reason("no_forecast_from_pilot"))
        return said(
            "only {n} of the {least} questions of a pilot were graded by {annotators} annotators "
            "each",
            n=int(clusters),
            least=PILOT_FLOOR,
            annotators=terms.annotators,
        )
    pool = equally_good(grades_of(thinned, pairs)[0])
    return pool.why_too_small() or pool.with_candidates(terms.judges, terms.figure, SEED)


def _assumed(panel: Panel, criterion: str, terms: PlannedDecision, alike: float) -> Pool:
    """Questions made from the assumptions, their answers so much alike."""
    scale, failing = panel.rubric.scale, panel.rubric.failing(panel.rubric.criterion(criterion))
    sizes = cluster_sizes(panel).tolist()
    shares = (terms.share, terms.ceiling, terms.failing, alike)
    assumed = Assumed(*shares, sizes, terms.annotators or 1)
    most = highest_agreement(assumed, scale, failing)
    if assumed.agreement > most:
        raise Problem(
            "Where two annotators agree on {ceiling:.0%} of the answers, no judge agrees with "
            "one on more than {most:.0%}. Assume a lower agreement, or a higher ceiling.",
            ceiling=terms.ceiling,
            most=np.floor(100 * most) / 100,
        )
    pool = equally_good(made(assumed, scale, failing), pilot=False)
    return pool.with_candidates(terms.judges, terms.figure, SEED)


def _thinned(pair: Field, annotators: int | None) -> Field:
    """The answers that so many annotators graded, and the grades of so many of them."""
    if annotators is None:
        return pair
    graded, panel = pair.on.annotators, pair.on.panel
    order = np.random.default_rng([SEED, annotators]).permutation(len(graded.item))
    order = order[np.argsort(graded.item[order], kind="stable")]
    times = np.bincount(graded.item, minlength=len(panel.items))
    rank = np.arange(len(order)) - (np.cumsum(times) - times)[graded.item[order]]
    enough = times >= annotators
    keep = np.sort(order[(rank < annotators) & enough[graded.item[order]]])
    kept = Reference(graded.item[keep], graded.score[keep], graded.grader[keep], graded.why)
    on = ground(panel, pair.on.name, EACH, kept)
    return replace(pair, on=on, common=pair.common & enough)


def _failing(on: CriterionPanel) -> float:
    """The share of the answers graded so far that fail; a quarter where there are too few."""
    graded, panel = on.annotators, on.panel
    weight = panel.weight[graded.item] / np.bincount(graded.item)[graded.item]
    if len(np.unique(graded.item)) < LABEL_FLOOR or not weight.sum():
        return USUAL_FAILING
    fails = np.isin(graded.score, list(panel.rubric.failing(on.criterion)))
    return float(weight @ fails / weight.sum())


def _pair(
    on: CriterionPanel, against: str | None, candidate: str | None
) -> tuple[Field | None, Why | None]:
    """The reference judge and the candidate whose grades are drawn, or why there are none."""
    panel, agreement = on.panel, {}
    for label, judge in references(panel).items() if panel.annotators else ():
        pairs = None if panel.is_continuous(on.name, judge.id) else on.pairs(judge)
        if pairs is not None and len(pairs.item):
            hits = pairs.judge == pairs.annotator
            agreement[label] = float(pairs.weight @ hits / pairs.weight.sum())
    _check_named(against, agreement)
    _check_named(candidate, agreement)
    if not agreement:
        return None, NO_JUDGE
    best = against or max((one for one in agreement if one != candidate), key=agreement.get)
    pair = field(panel, on.name, references(panel)[best])
    others = {panel.labels[judge.id]: judge for judge in pair.judges[1:]}
    if not others:
        return None, NO_PAIR
    _check_named(candidate, others)
    other = others[candidate or max(others, key=agreement.get)]
    return replace(pair, judges=[pair.reference, other]), None


def _check_named(judge: str | None, known: Mapping[str, Any]) -> None:
    if judge and judge not in known:
        raise Problem(
            "“{judge}” cannot be compared here. Name one of: {judges}.",
            judge=judge,
            judges=joined(", ", known) or "none yet",
        )


def _check(terms: PlannedDecision) -> None:
    """Raise a Problem for terms that no decision can have."""
    if terms.figure not in FIGURES:
        raise Problem(
            "There is no figure “{figure}”. Name one of: {known}.",
            figure=terms.figure,
            known=joined(", ", FIGURES),
        )
    if terms.margin is not None and not terms.margin > 0:
        raise Problem("The margin must be above 0, as in --margin 0.1.")
    if not (terms.share and terms.ceiling and terms.failing != 0):
        raise Problem("Assumed shares must be above 0, as in --failing 0.2.")


BLOCKED = {one.key: one.fails or one.open or one.no_labels for one in CONDITIONS} | {
    "enough": "too few answers fail, or pass, for this figure"
}
NEVER = "over 100,000"
_RANGES = {
    "pilot": "Ranges: the middle 80% of what resampled pilots give.",
    "assumptions": "Ranges: from independent to very similar answers to a question.",
}
_PILOT = (
    "Simulated from {questions} that {against} and {candidate} graded, both taken to be equally "
    "good. {graded} graded so far, of {sheet:,}."
)
_ASSUMED = (
    "Assumed, because {why}: judges agree with annotators on {share:.0%}, annotators with one "
    "another on {ceiling:.0%}, {failing:.0%} fail. {graded} graded so far, of {sheet:,}."
)


def document(plan: Mapping[str, Any]) -> Document:
    """Return what is shown of a plan."""
    needed = plan["decision"]["needed"]
    notes = (_RANGES[plan["decision"]["by"]],) if needed.likely is not None else ()
    unit = "documents" if plan["decision"]["clustered"] else "questions"
    # With bars of two standard errors.
    points = tuple((at.questions, at.good, 2 * at.error) for at in needed.points)
    curve = Curve("power", "", "Power", unit, "power", points, POWER)
    parts = (Column(unit, "count"), "questions"), (Column("power", "share", "power"), "good")
    tables = _sizes(plan), table_of("power", needed.points, parts, "Power")
    charts = (curve,) if points else ()
    return Document(headline(plan), tuple(_facts(plan)), tables, notes, charts=charts)


def headline(plan: Mapping[str, Any]) -> str:
    """Return how many questions the decision takes, or that no number suffices."""
    low, likely, high = plan["needed"]["margin"]["questions"]
    if likely is not None:
        span = " or far more"
        if None not in (low, high):
            span = "" if low == high else f" ({low:,} to {high:,})"
        by = "About" if plan["decision"]["by"] == "pilot" else "From assumptions, about"
        number = counted(likely, "question")
        return said("{by} {number}{span} give 80% power", by=by, number=number, span=span)
    if plan["decision"]["needed"].blocked in BLOCKED:
        return "No number of questions gives 80% power"
    return "Not even 100,000 questions give 80% power"


def _facts(plan: Mapping[str, Any]) -> Iterator[str]:
    """Yield why power stays low, and what it was simulated from."""
    decision = plan["decision"]
    if decision["needed"].likely is None and decision["needed"].blocked in BLOCKED:
        yield said(
            "Power stays low: {why}. Choose other terms, or another pair of "
            "judges{on_command_line}.",
            why=BLOCKED[decision["needed"].blocked],
            on_command_line=on_command_line("--against, --candidate"),
        )
    unit = "document" if decision["clustered"] else "question"
    yield (_PILOT if decision["by"] == "pilot" else _ASSUMED).format(
        **decision["terms"]._asdict(),
        questions=counted(decision["questions"], unit),
        against=decision["against"],
        candidate=decision["candidate"],
        why=message_of(decision["why_assumed"]),
        graded=counted(plan["pilot"]["questions"], "question"),
        sheet=plan["questions"],
    )


def _sizes(plan: Mapping[str, Any]) -> Table:
    """Return the sample size, and an annotator's hours."""
    terms, needed = plan["decision"]["terms"], plan["needed"]["margin"]
    figure, margin = FIGURES[terms.figure], f"{terms.margin:g}"
    if figure.kind == "share":
        margin = f"{100 * terms.margin:g} points"

    def span(numbers: Iterable[float | None]) -> str:
        return " to ".join(dict.fromkeys(NEVER if n is None else f"{n:,}" for n in numbers))

    aim = said("80% power, {figure}, margin {margin}", figure=figure.title, margin=margin)
    low, likely, high = needed["questions"]
    sizes = span((low, high)), span((likely,)), span(needed["answers"][::2])
    heads = ("aim", "questions", "likely", "answers", "hours of each annotator")
    row = (aim, *sizes, span(plan["hours"]["margin"]))
    return Table("plan", tuple(map(Column, heads)), (row,))
