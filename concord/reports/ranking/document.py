"""The document of a ranking: whether a judge orders the answering models as the annotators do."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from concord.language.grade_statuses import reason
from concord.messages import capital, counted, joined, said
from concord.model import BASELINE
from concord.reports.cells import reasons, undefined, written
from concord.reports.charts import Grader, Slope, Slopes, graders
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.panel.provenance import annotators_sentence, named
from concord.reports.ranking.corrected import DRAW, RATES, Corrected
from concord.reports.ranking.ranking import ANNOTATORS, DIGITS, Order, Ranking

_SPELT_OUT = 4, 8  # models in a headline, and in a cell
_HEADLINES = {
    "same": "{judge} ranks the models as annotators do",
    "open": "Inconclusive: {judge} may rank the models as annotators do",
    "level": "{judge} and annotators rank all models equal",
    "judge level": "{judge} ties models that annotators rank apart",
    "annotators level": "{judge} ranks models apart that annotators tie",
    "reversed": "{judge} reverses the annotators' order of {swaps}",
    "maybe reversed": "Inconclusive: {judge} reverses the annotators' order of {swaps}",
}
_COMPARED = "Judges are compared on the answers that they and the annotators both scored."
_TOO_FEW = "{models} with fewer than 20 questions are in no order."


def document(found: Ranking, judge: str | None = None) -> Document:
    """Return what is shown of a ranking, the headline of `judge` by its label, else of the best."""
    order = next((one for one in found.orders if one.judge == judge), best(found.orders))
    means = table_of(
        "composites",
        found.models,
        (
            (
                "graded by",
                lambda row: (
                    row.grader if row.grader == ANNOTATORS else named(row.grader, row.simulated)
                ),
            ),
            ("answering model", "answer_model"),
            (Column("mean composite", "number", "composite"), "estimate"),
            ("ranks", lambda row: row.ranks and "-".join(map(str, sorted({*row.ranks})))),
            (Column("answers", "count"), "n"),
            (Column("questions", "count"), "questions"),
        ),
        "Mean composites and ranks",
    )
    excluded = [
        (grader if grader == ANNOTATORS else named(grader, False), reason(why), n)
        for grader, counts in found.left_out.items()
        for why, n in counts.items()
    ]
    heads = Column("graded by"), Column("reason"), Column("answers", "count", "left out")
    simulated = [annotator.simulated for annotator in found.annotators]
    few = max([one.too_few for one in found.orders], default=0)
    facts = (
        annotators_sentence(sum(simulated), len(simulated)),
        "" if all(one.same_items for one in found.orders) else _COMPARED,
        _TOO_FEW.format(models=counted(few, "answering model")) if few else "",
    )
    told = {one.estimate.why_none for one in found.models}
    of = graders((one.judge, one.judge == BASELINE) for one in found.orders)
    return Document(
        headline(found, order),
        tuple(filter(None, facts)),
        (_orders(found), means, Table("excluded", heads, tuple(excluded), "Excluded answers")),
        (
            *undefined(means),
            *reasons(o.tau_b.why_none for o in found.orders if o.tau_b.why_none not in told),
        ),
        found.signature,
        (slopes(order, of[order.judge]),) if order and order.comparable else (),
    )


def slopes(order: Order, of: Grader = 0) -> Slopes:
    """Return the means of each answering model by the annotators and by a judge."""
    swapped: dict[str, bool] = {}
    for swap in order.swaps:
        for model in (swap["higher"], swap["lower"]):
            swapped[model] = swapped.get(model, False) or swap["certain"]
    swaps = {None: "", False: "possible", True: "certain"}
    judge = named(order.judge, order.simulated)
    means = (
        f"{one['answer_model']} {written(one[ANNOTATORS], 'number')} -> "
        f"{written(one['judge'], 'number')}"
        for one in order.models
    )
    rows = (
        Slope(name := one["answer_model"], one[ANNOTATORS], one["judge"], swaps[swapped.get(name)])
        for one in order.models
    )
    alt = f"{ANNOTATORS} -> {judge}: {joined('; ', means)}."
    return Slopes("order", "", alt, ANNOTATORS, judge, of, tuple(rows))


def best(orders: Sequence[Order]) -> Order | None:
    """Return the order nearest to the annotators'; the baseline's only where there is no other.

    Nearest is the one with the fewest pairs that are swapped or tied by one side only: a judge that
    ties all models swaps none. One that cannot be compared comes last.
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
        pairs = len(order.models) * (len(order.models) - 1) // 2
        swaps = f"{len(order.swaps)} of {pairs:,} pairs of models"
        if len(order.swaps) == 1:
            swaps = "{higher} and {lower}".format(**order.swaps[0])
        judge = named(order.judge, order.simulated)
        return said(_HEADLINES[order.result], judge=judge, swaps=swaps)
    own = [(row.answer_model, row.estimate.value) for row in found.annotated]
    if len(own) < 2:
        return "No ranking: it needs two answering models with 20 graded questions each"
    certain = all(best == worst for best, worst in (row.ranks for row in found.annotated))
    order_ = _chain(own, _SPELT_OUT[0])
    return f"{'T' if certain else 'Not certain: t'}he annotators rank {order_}"


def _chain(values: Sequence[tuple[str, float]], most: int) -> str:
    """Return models in order, as `atlas > birch = cobalt`; of more than `most` the ends."""
    # Sorted by the printed digits; sorting is stable, so ties keep the panel's order.
    values = sorted(values, key=lambda pair: -round(pair[1], DIGITS))
    if len(values) > most:
        return f"{values[0][0]} > … > {values[-1][0]}"
    found, last = "", None
    for model, value in values:
        sign = "" if last is None else " = " if round(value, DIGITS) == last else " > "
        found, last = f"{found}{sign}{model}", round(value, DIGITS)
    return found


def _orders(found: Ranking) -> Table:
    """A row for the annotators and for each judge."""
    columns = (
        Column("graded by"),
        Column("order"),
        Column("reversed pairs", "count"),
        Column("certain reversals", "count"),
        Column("tau-b", "number", "tau-b"),
        Column("answers", "count"),
    )
    most = _SPELT_OUT[1]
    own = [(row.answer_model, row.estimate.value) for row in found.annotated]
    graded = sum(row.n for row in found.models if row.grader == ANNOTATORS)
    rows: list[tuple] = [(ANNOTATORS, _chain(own, most), None, None, None, graded)]
    for order in found.orders:
        values = [(one["answer_model"], one["judge"].value) for one in order.models]
        reversals = len(order.swaps), sum(swap["certain"] for swap in order.swaps)
        cells = (_chain(values, most), *reversals) if order.comparable else (None, None, None)
        rows.append((named(order.judge, order.simulated), *cells, order.tau_b, order.n))
    return Table("orders", columns, tuple(rows) if len(own) > 1 else (), "Orders")


_METHODS = {DRAW: "by random sample (PPI++)", RATES: "by error rates"}
_CORRECTED_HEADLINES = {
    "certain": "Corrected for bias, {judge} ranks {order}",
    "open": "Corrected for bias, {judge} ranks {order}, but not every step is certain",
    "one": "Corrected for bias, {judge} has a figure for only one answering model: {order}",
    "none": "Not corrected {method}: {why}",
    "several": "{n} of {judges} corrected {method}: {what}",
}
_ASSUMES = {
    DRAW: "Valid whatever the judge does, since annotators graded a random sample.",
    RATES: "Assumes the same error rates for every answering model; the correction by random "
    "sample (PPI++) does not.",
}
REMEDIES = {
    DRAW: "Grade at least 30 answers of each answering model in a grading set.",
    RATES: "At least 30 answers that annotators pass and 30 that they fail are needed.",
}
_PASSED = "Excluded: {answers} graded before the sample was drawn, as it may have skipped such."


def corrected_document(found: Corrected, judge: str | None = None) -> Document:
    """Return what is shown of the corrected figures of all judges, or of one by its label."""
    judges = [one for one in found.judges if judge in (None, one.judge)]
    done = [one for one in judges if not one.reason]
    why = found.why_none or next((one.reason for one in judges if one.reason), None)
    method = _METHODS[found.how]
    if not judges and not why:
        headline = ""
    elif not done:
        headline = said(_CORRECTED_HEADLINES["none"], method=method, why=why)
    elif len(judges) > 1:
        several, all_ = _CORRECTED_HEADLINES["several"], counted(len(judges), "judge")
        headline = said(several, method=method, what=found.what, n=len(done), judges=all_)
    else:
        models = [m.answer_model for m in done[0].models if m.corrected.value is not None]
        sure = {(pair["above"], pair["below"]) for pair in done[0].pairs if pair["certain"]}
        certain = "certain" if sure >= {*pairwise(models)} else "open"
        headline = said(
            _CORRECTED_HEADLINES["one" if len(models) < 2 else certain],
            judge=named(done[0].judge, done[0].simulated),
            order=" > ".join(models),
        )
    facts = [_ASSUMES[found.how] if done else REMEDIES[found.how]]
    clipped = [m.answer_model for one in judges for m in one.models if m.clipped]
    figures = [model.corrected for one in judges for model in one.models]
    figures += [pair["corrected"] for one in judges for pair in one.pairs]
    lone = {why} if not done else set()  # the headline says it
    untold = [one.why_none for one in judges] + [figure.why_none for figure in figures]
    notes = [
        *reasons(one for one in untold if one not in lone),
        f"Clipped to 0% or 100%: {joined(', ', dict.fromkeys(clipped))}." if clipped else "",
        _PASSED.format(answers=counted(found.excluded, "answer")) if found.excluded else "",
        *found.excluded_grades,
    ]
    tables = _corrected_tables(found, judges)
    return Document(headline, tuple(facts) if headline else (), tables, tuple(filter(None, notes)))


def _corrected_tables(found: Corrected, judges: Iterable) -> tuple[Table, Table]:
    """Return raw and corrected means (or the annotators' own), and the differences of models."""
    kind, apart = ("share", "points") if found.how == RATES else ("number", "difference")
    shown = [
        (named(one.judge, one.simulated), model)
        for one in judges
        for model in one.models
        if not one.reason or model.own
    ]
    means = table_of(
        "corrected",
        shown,
        (
            ("judge", lambda row: row[0]),
            ("answering model", lambda row: row[1].answer_model),
            (Column("uncorrected", kind), lambda row: row[1].raw),
            (Column("corrected", kind, "corrected"), lambda row: row[1].corrected),
            (Column("annotators' own", kind), lambda row: row[1].own),
            (Column("answers", "count"), lambda row: row[1].n),
            (Column("graded by annotators", "count"), lambda row: row[1].graded),
        ),
        capital(found.what),
        sparse=True,
    )
    pairs = [(named(one.judge, one.simulated), pair) for one in judges for pair in one.pairs]
    differences = table_of(
        "pairs",
        pairs,
        (
            ("judge", lambda row: row[0]),
            ("above", lambda row: row[1]["above"]),
            ("below", lambda row: row[1]["below"]),
            (Column("corrected difference", apart), lambda row: row[1]["corrected"]),
            ("result", lambda row: "certain" if row[1]["certain"] else "inconclusive"),
        ),
        "Corrected differences",
    )
    return means, differences
