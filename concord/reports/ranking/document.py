"""The document of a ranking: whether a judge orders the answering models as the annotators do."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from concord.language.grade_statuses import reason
from concord.messages import capital, counted, joined, quoted, said, span
from concord.model import BASELINE
from concord.reports.cells import reasons, undefined, written
from concord.reports.charts import Grader, Slope, Slopes, graders
from concord.reports.document import Column, Document, Part, Table, table_of
from concord.reports.panel.provenance import annotators_sentence, named
from concord.reports.ranking.corrected import DRAW, DRAW_FIRST, RATES, Corrected, JudgeCorrected
from concord.reports.ranking.ranking import (
    ANNOTATORS,
    CERTAIN,
    DIGITS,
    SIDES,
    CriterionRanking,
    ModelMeans,
    Order,
    RankedModel,
    Ranking,
)

_SPELT_OUT = 4
_HEADLINES = {
    "same": "{judge} ranks the models as annotators do",
    "open": "Inconclusive: {judge} may rank the models as annotators do",
    "level": "{judge} and annotators rank all models equal",
    "judge level": "{judge} ties models that annotators rank apart",
    "annotators level": "{judge} ranks models apart that annotators tie",
    "reversed": "{judge} reverses {swaps} of {pairs} of models",
    "maybe reversed": "Inconclusive: {judge} reverses {swaps} of {pairs} of models",
    "one model": "{judge} and annotators graded answers of one model in common",
    "no answer": "{judge} and annotators have no composite of the same answer",
    "annotators": "The annotators rank {order}",
    "annotators open": "Not certain: the annotators rank {order}",
    "nothing": "There is no ranking yet",
}
_NO_JUDGE = {
    **dict.fromkeys(("annotators", "annotators open"), "No judge can be compared with them yet."),
    "nothing": "A ranking requires answers of two answering models that annotators graded on every "
    "criterion.",
}
SAME, REVERSED = "same order", "reversed"
REVERSED_OPEN, OPEN = "reversed, inconclusive", "inconclusive"
ONE_SURE = {ANNOTATORS: "certain for the annotators", "judge": "certain for the judge"}
_RANKS = "Ranks: simultaneous 95% CI over all models of a grader. Means: 95% CI each."


def document(found: Ranking, judge: str | None = None) -> Document:
    """Return what is shown of a ranking.

    Headline and pairs are those of `judge`, by its label; None takes the best for the headline, and
    the pairs of all.
    """
    order = next((one for one in found.orders if one.judge == judge), best(found.orders))
    shown = [order] if judge and order else found.orders
    told = {one.estimate.why_none for one in found.models}
    untold = (one.why_none for one in found.orders if one.why_none not in told)
    of = graders((one.judge, one.judge == BASELINE) for one in found.orders)
    return Document(
        headline(found, order),
        tuple(filter(None, _facts(found, order))),
        (
            _pairs_table(shown),
            _orders(found.orders),
            _criteria(found.criteria, judge),
            _means(found.models),
            _excluded(found.left_out),
        ),
        (
            _RANKS if any(row.ranks for row in found.models) else "",
            *undefined(_means(found.models)),
            *reasons(untold),
        ),
        found.signature,
        (slopes(order, of[order.judge]),) if order and order.comparable else (),
    )


def slopes(order: Order, of: Grader = 0) -> Slopes:
    """Return the means of each answering model by the annotators and by a judge."""
    swapped: dict[str, bool] = {}
    for swap in order.swaps:
        for model in (swap.higher, swap.lower):
            swapped[model] = swapped.get(model, False) or swap.certain
    swaps = {None: "", False: "possible", True: "certain"}
    means = [
        said(
            "{model} {annotators} by annotators, {found} by {judge}",
            model=model.answer_model,
            annotators=written(model.annotators, "number"),
            found=written(model.judge, "number"),
            judge=judge_name(order),
        )
        for model in order.shared
    ]
    return Slopes(
        name="order",
        title="",
        alt=said("Mean composite of each answering model: {means}.", means=joined("; ", means)),
        left="annotators",
        right=judge_name(order),
        of=of,
        rows=tuple(
            Slope(one.answer_model, one.annotators, one.judge, swaps[swapped.get(one.answer_model)])
            for one in order.shared
        ),
    )


def best(orders: Sequence[Order]) -> Order | None:
    """Return the order nearest to the annotators'; the baseline's only where there is no other.

    One without answers in common with them has no order and comes last.

    Nearest is the one with the fewest pairs that are swapped or tied by one side only: a judge that
    ties all models swaps none.
    """
    real = [order for order in orders if order.judge != BASELINE]
    return min(
        real or orders,
        key=lambda one: (not one.comparable, len(one.swaps) + one.one_sided),
        default=None,
    )


def headline(found: Ranking, order: Order | None) -> str:
    """Return the finding on one judge, or that no judge can be compared."""
    if order and order.comparable:
        return order_headline(order)
    own = [(row.answer_model, row.estimate.value) for row in found.annotated]
    return said(_HEADLINES[_alone(found)], order=_chain(own, True))


def order_headline(order: Order) -> str:
    """Return the finding on one judge."""
    return said(_HEADLINES[_verdict(order)], **_values(order))


def _alone(found: Ranking) -> str:
    if len(found.annotated) < 2:
        return "nothing"
    known = any(row.estimate.low is not None for row in found.annotated)
    return "annotators" if known else "annotators open"


def _values(order: Order) -> dict[str, object]:
    pairs = counted(_pairs(order), "pair")
    return {"judge": judge_name(order), "swaps": len(order.swaps), "pairs": pairs}


def _verdict(order: Order) -> str:
    if not order.comparable:
        return "one model" if order.n else "no answer"
    if order.swaps:
        return "reversed" if any(swap.certain for swap in order.swaps) else "maybe reversed"
    level = order.level
    if order.one_sided:
        return max(("judge level", "annotators level"), key=level.__getitem__)
    if level["level"] == _pairs(order):
        return "level"
    return "same" if all(step[-1] == SAME for step in _steps(order)) else "open"


def _pairs(order: Order) -> int:
    return len(order.shared) * (len(order.shared) - 1) // 2


def judge_name(order: Order) -> str:
    """Return the judge as a sentence names it; a simulated one says so."""
    return named(order.judge, order.simulated)


def chain(models: Iterable[ModelMeans], side: str, brief: bool = False) -> str:
    """Return the models as `annotators` or the `judge` orders them, as `atlas > birch = cobalt`.

    A `brief` one leaves out the middle of more than four. '' without models.
    """
    return _chain([(model.answer_model, model.of(side).value) for model in models], brief)


def _chain(values: list[tuple[str, float]], brief: bool) -> str:
    # Sorted by the printed digits; sorting is stable, so ties keep the panel's order.
    values = sorted(values, key=lambda pair: -round(pair[1], DIGITS))
    if brief and len(values) > _SPELT_OUT:
        return f"{values[0][0]} > … > {values[-1][0]}"
    found, last = "", None
    for model, value in values:
        sign = "" if last is None else " = " if round(value, DIGITS) == last else " > "
        found, last = f"{found}{sign}{model}", round(value, DIGITS)
    return found


def _steps(order: Order) -> list[tuple[str, str, float | None, float | None, str]]:
    """The pairs that swap, then the other neighbours in either order.

    Each is the two models as annotators order them (or the judge, where they are neighbours only in
    its order), the shares of resamples with this order by both (None where unknown), and what they
    mean.
    """
    shares = {
        (one.higher, one.lower): [one.annotator_share, one.judge_share] for one in order.swaps
    }
    swapped = {key: swap.certain for key, swap in zip(shares, order.swaps, strict=True)}
    for place, side in enumerate(SIDES):
        for step in order.neighbours[side]:
            key, share = (step.above, step.below), step.share
            if key[::-1] in shares:
                key, share = key[::-1], None if share is None else 1 - share
            shares.setdefault(key, [None, None])[place] = share
    return [(*key, *both, _result(both, swapped.get(key))) for key, both in shares.items()]


def _result(shares: Sequence[float | None], swap: bool | None) -> str:
    """Return the meaning of the shares; `swap` is True for a certain swap, None without a swap."""
    if swap is not None:
        return REVERSED if swap else REVERSED_OPEN
    annotators, judge = (share is not None and share >= CERTAIN for share in shares)
    if annotators and judge:
        return SAME
    return ONE_SURE[ANNOTATORS] if annotators else ONE_SURE["judge"] if judge else OPEN


def _pairs_table(orders: Iterable[Order]) -> Table:
    columns = (
        Column("judge"),
        Column("above"),
        Column("below"),
        Column("resamples, annotators", "share", "model ranking"),
        Column("resamples, judge", "share", "model ranking"),
        Column("result"),
    )
    comparable = (order for order in orders if order.comparable)
    rows = ((judge_name(order), *step) for order in comparable for step in _steps(order))
    return Table("pairs", columns, tuple(rows), "Neighbours in the ranking")


def _orders(orders: Iterable[Order]) -> Table:
    columns = (Column("judge"), *_ORDER)
    rows = tuple((judge_name(order), *_order_cells(order)) for order in orders)
    return Table("orders", columns, rows, "Judges compared with the annotators")


def _criteria(found: Mapping[str, CriterionRanking], judge: str | None = None) -> Table:
    """A row per criterion and judge, or of one judge."""
    columns = (Column("criterion"), Column("judge"), *_ORDER)
    rows = (
        (criterion, judge_name(order), *_order_cells(order))
        for criterion, one in found.items()
        for order in one.orders
        if judge in (None, order.judge)
    )
    return Table("criteria", columns, tuple(rows), "Order by each criterion")


_ORDER = (
    Column("annotators' order"),
    Column("judge's order"),
    Column("reversed pairs", "count"),
    Column("certain reversals", "count"),
    Column("tau-b", "number", "tau-b"),
    Column("answers", "count"),
)


def _order_cells(order: Order) -> tuple:
    swaps = (len(order.swaps), sum(swap.certain for swap in order.swaps))
    return (
        chain(order.shared, ANNOTATORS) or None,
        chain(order.shared, "judge") or None,
        *(swaps if order.comparable else (None, None)),
        order.tau_b_estimate,
        order.n,
    )


def _means(models: Iterable[RankedModel]) -> Table:
    """Return every grader's mean composite of every answering model."""
    parts = (
        (
            "graded by",
            lambda row: (
                "annotators" if row.grader == ANNOTATORS else named(row.grader, row.simulated)
            ),
        ),
        ("answering model", "answer_model"),
        (Column("mean composite", "number", "composite"), "estimate"),
        ("ranks", lambda row: _ranks(row.ranks)),
        (Column("answers", "count"), "n"),
        (Column("questions", "count"), "questions"),
    )
    title = "Mean composite on all answers each grader scored"
    return table_of("composites", models, parts, title)


def _ranks(ranks: tuple[int, int] | None) -> str | None:
    if ranks is None:
        return None
    return str(ranks[0]) if ranks[0] == ranks[1] else span(*ranks)


def _excluded(left_out: Mapping[str, Mapping[str, int]]) -> Table:
    columns = (
        Column("graded by"),
        Column("reason"),
        Column("answers", "count", "left out"),
    )
    rows = (
        ("annotators" if grader == ANNOTATORS else named(grader, False), reason(why), n)
        for grader, counts in left_out.items()
        for why, n in counts.items()
    )
    return Table("excluded", columns, tuple(rows), "Excluded answers")


def _facts(found: Ranking, order: Order | None) -> Iterable[str]:
    if not order or not order.comparable:
        yield _NO_JUDGE[_alone(found)]
    simulated = [person.simulated for person in found.annotators]
    yield annotators_sentence(sum(simulated), len(simulated))
    if not order or not order.comparable:
        return
    yield said(
        "Compared on {answers} to {questions}."
        if order.same_items
        else "Compared on {answers} to {questions} that both gave a composite to.",
        answers=counted(order.n, "answer"),
        questions=counted(order.questions, "question"),
    )
    lost = [model.answer_model for model in order.models if model not in order.shared]
    if lost:
        yield said(
            "Not compared, as one of the two has no composite: {models}.", models=joined(", ", lost)
        )
    if order.why_no_shares:
        yield said("The certainty of the order is unknown: {why}.", why=order.why_no_shares)


_METHODS = {
    DRAW: "by random sample (PPI++)",
    RATES: "by error rates",
}
_CORRECTED_HEADLINES = {
    "certain": "Corrected for bias, {judge} ranks {order}",
    "open": "Corrected for bias, {judge} ranks {order}, but not every step is certain",
    "one": "Corrected for bias, {judge} has a figure for only one answering model: {order}",
    "none": "Not corrected {method}: {why}",
    "several": "{n} of {judges} corrected {method}: {what}",
}
_ASSUMES = {
    DRAW: "Valid whatever the judge does, since annotators graded a random sample.",
    RATES: "Assumes the same error rates for every answering model.",
}
_PASSED = (
    "Uncorrected and corrected figures exclude {answers} graded before the sample was drawn, "
    "because the sample may have skipped such answers."
)
_INTERVALS = "{what}, corrected {method}. 95% CI each."
_OF_SETS = "{what}, corrected {method}; sampled in {sets}. 95% CI each."
_SEVERAL = "the reasons differ by judge"
_RESULTS = {True: "certain", False: "inconclusive"}


def corrected_document(found: Corrected, judge: str | None = None) -> Document:
    """Return what is shown of the corrected figures of all judges, or of one by its label."""
    judges = [one for one in found.judges if judge in (None, one.judge)]
    return Document(
        _headline(found, judges),
        tuple(_corrected_facts(found, judges)),
        (_models(found, judges), _corrected_pairs(found, judges), _reasons(judges)),
        tuple(_notes(found, judges)),
        ""
        if _nothing(judges)
        else said(
            _OF_SETS if found.sets else _INTERVALS,
            what=capital(found.what),
            method=_METHODS[found.how],
            sets=quoted(found.sets),
        ),
    )


def _headline(found: Corrected, judges: Sequence[JudgeCorrected]) -> str:
    done = [one for one in judges if not one.reason]
    if not judges and not found.why_none:
        return ""
    if len(judges) > 1 and done:
        return said(
            _CORRECTED_HEADLINES["several"],
            method=_METHODS[found.how],
            what=found.what,
            n=len(done),
            judges=counted(len(judges), "judge"),
        )
    if not done:
        why = {found.why_none} if found.why_none else {one.reason for one in judges}
        why = why.pop() if len(why) == 1 else _SEVERAL
        return said(_CORRECTED_HEADLINES["none"], method=_METHODS[found.how], why=why)
    (one,) = done
    known = [model.answer_model for model in one.models if model.corrected.value is not None]
    steps = {(pair.above, pair.below): pair.certain for pair in one.pairs}
    certain = all(steps.get(step) for step in pairwise(known))
    return said(
        _CORRECTED_HEADLINES["one" if len(known) < 2 else "certain" if certain else "open"],
        judge=named(one.judge, one.simulated),
        order=" > ".join(known),
    )


def _nothing(judges: Sequence[JudgeCorrected]) -> bool:
    return all(one.reason for one in judges)


def _corrected_facts(found: Corrected, judges: Sequence[JudgeCorrected]) -> Iterable[str]:
    """Yield the assumptions, and what to do where a judge is not corrected."""
    if not _nothing(judges):
        yield _ASSUMES[found.how]
    remedies = [one.remedy for one in judges if one.reason]
    yield from dict.fromkeys(filter(None, (found.remedy, *remedies)))
    if found.better and DRAW_FIRST not in remedies:
        yield DRAW_FIRST


def _notes(found: Corrected, judges: Sequence[JudgeCorrected]) -> Iterable[str]:
    known = [m.corrected for one in judges for m in one.models if m.corrected.value is not None]
    pairs = [pair.corrected for one in judges for pair in one.pairs]
    yield from reasons(figure.why_none for figure in known + pairs)
    clipped = [m.answer_model for one in judges for m in one.models if m.clipped]
    if clipped:
        models = joined(", ", dict.fromkeys(clipped))
        yield said("Clipped to 0% or 100%, as the formula goes beyond: {models}.", models=models)
    if found.excluded:
        yield said(_PASSED, answers=counted(found.excluded, "answer"))
    yield from found.excluded_grades


# Of a judge and one of its answering models or pairs.
_JUDGE: Part = ("judge", lambda pair: named(pair[0].judge, pair[0].simulated))


def _models(found: Corrected, judges: Iterable[JudgeCorrected]) -> Table:
    """Return raw and corrected means; the annotators' own for a judge without correction."""
    kind, _ = found.kinds
    graded = "graded in the sample" if found.how == DRAW else "graded by annotators"
    parts = [
        _JUDGE,
        ("answering model", lambda pair: pair[1].answer_model),
        (Column("uncorrected", kind), lambda pair: pair[1].raw),
        (Column("corrected", kind, "corrected"), lambda pair: pair[1].corrected),
        (Column("answers", "count"), lambda pair: pair[1].n),
        (Column(graded, "count"), lambda pair: pair[1].graded),
    ]
    if found.how == RATES:
        parts.append((Column("annotators' own", kind), lambda pair: pair[1].own))
    models = ((one, model) for one in judges for model in one.models)
    shown = (pair for pair in models if not pair[0].reason or pair[1].own)
    return table_of("corrected", shown, parts, capital(found.what))


def _corrected_pairs(found: Corrected, judges: Iterable[JudgeCorrected]) -> Table:
    _, kind = found.kinds
    parts = (
        _JUDGE,
        ("above", lambda pair: pair[1].above),
        ("below", lambda pair: pair[1].below),
        (Column("corrected difference", kind), lambda pair: pair[1].corrected),
        (Column("uncorrected difference", kind), lambda pair: pair[1].raw),
        (
            "result",
            lambda pair: None if pair[1].corrected.value is None else _RESULTS[pair[1].certain],
        ),
    )
    pairs = ((one, pair) for one in judges for pair in one.pairs)
    return table_of("pairs", pairs, parts, "Differences between answering models")


def _reasons(judges: Sequence[JudgeCorrected]) -> Table:
    """Return why a judge, or one of its answering models, is not corrected."""
    columns = (
        Column("judge"),
        Column("answering model"),
        Column("not corrected because"),
    )
    rows = []
    for one in judges:
        judge = named(one.judge, one.simulated)
        if one.reason:
            rows.append((judge, "all", one.reason))
            continue
        lacking = (model for model in one.models if model.corrected.value is None)
        rows += [(judge, model.answer_model, model.corrected.why_none) for model in lacking]
    alone = len(judges) == 1 and judges[0].reason  # the headline says it
    return Table("reasons", columns, () if alone else tuple(rows))
