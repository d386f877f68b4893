"""The document of a ranking: whether a judge orders the answering models as the annotators do."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from concord.messages import capital, counted, message_of
from concord.model import BASELINE
from concord.reports.cells import reasons
from concord.reports.charts import Grader, Intervals, Mark, graders
from concord.reports.document import Column, Document, Table
from concord.reports.panel.provenance import annotators_sentence, named
from concord.reports.ranking.corrected import DRAW, RATES
from concord.reports.ranking.ranking import ANNOTATORS, DIGITS, TAU_B
from concord.stats.core.estimate import Estimate

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


def document(ranking: Mapping[str, Any], judge: str | None = None) -> Document:
    """Return what is shown of a ranking, the headline of `judge` by its label, else of the best."""
    orders, models = ranking["orders"], ranking["models"]
    order = next((one for one in orders if one["judge"] == judge), best(orders))
    columns = (
        Column("graded by"),
        Column("answering model"),
        Column("mean composite", "number", "composite"),
        Column("ranks"),
        Column("answers", "count"),
        Column("questions", "count"),
    )
    means = (
        (
            _grader(row["grader"], row["simulated"]),
            row["answer_model"],
            Estimate(*(row[key] for key in Estimate._fields)),
            row["ranks"] and "-".join(map(str, sorted({*row["ranks"]}))),
            row["n"],
            row["questions"],
        )
        for row in models
    )
    simulated = [annotator.simulated for annotator in ranking["annotators"]]
    few = max([one["too_few"] for one in orders], default=0)
    facts = (
        annotators_sentence(sum(simulated), len(simulated)),
        _COMPARED if orders else "",
        _TOO_FEW.format(models=counted(few, "answering model")) if few else "",
    )
    colours = graders((one["judge"], one["judge"] == BASELINE) for one in orders)
    return Document(
        _headline(ranking, order),
        tuple(filter(None, facts)),
        (
            _orders(ranking),
            Table("composites", columns, tuple(means), "Mean composites and ranks"),
        ),
        provenance=ranking["signature"],
        charts=(chart(order, colours[order["judge"]]),) if is_comparable(order) else (),
    )


def is_comparable(order: Mapping[str, Any] | None) -> bool:
    """Return True for an order of two models or more."""
    return order is not None and len(order["models"]) > 1


def annotated(ranking: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the models that annotators rank, best first."""
    return [m for m in ranking["models"] if m["grader"] == ANNOTATORS and m["ranks"]]


def chart(order: Mapping[str, Any], of: Grader = 0) -> Intervals:
    """Return the means of each answering model by the annotators and by a judge, their best first.

    A model that swaps places with another says so.
    """
    swapped: dict[str, str] = {}
    for swap in sorted(order["swaps"], key=lambda one: one["certain"]):
        how = "swapped" if swap["certain"] else "perhaps swapped"
        swapped |= dict.fromkeys((swap["higher"], swap["lower"]), how)
    judge, rows, ends = named(order["judge"], order["simulated"]), [], []
    for one in order["models"]:
        model = one["answer_model"]
        name = f"{model}, {swapped[model]}" if model in swapped else model
        both = (ANNOTATORS, one[ANNOTATORS], "annotators"), (judge, one["judge"], of)
        rows.append((name, tuple(Mark(who, found, model, look) for who, found, look in both)))
        ends += [end for _, found, _ in both for end in found[:3] if end is not None]
    air = 0.06 * (max(ends) - min(ends)) or 0.5
    reach = min(ends) - air, max(ends) + air
    title = "Order of the answering models"
    return Intervals("order", "", title, "mean composite", "number", reach, tuple(rows))


def best(orders: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Return the order nearest to the annotators'; the baseline's only where there is no other.

    Nearest is the one with the fewest pairs that are swapped or tied by one side only: a judge that
    ties all models swaps none. One that cannot be compared comes last.
    """
    real = [order for order in orders if order["judge"] != BASELINE]
    return min(
        real or orders,
        key=lambda one: (not is_comparable(one), len(one["swaps"]) + one["one_sided"]),
        default=None,
    )


def _grader(name: str, simulated: bool) -> str:
    return name if name == ANNOTATORS else named(name, simulated)


def _headline(ranking: Mapping[str, Any], order: Mapping[str, Any] | None) -> str:
    """Return the finding on one judge, or that no judge can be compared."""
    own = annotated(ranking)
    if is_comparable(order):
        pairs = len(order["models"]) * (len(order["models"]) - 1) // 2
        swaps = f"{len(order['swaps'])} of {pairs:,} pairs of models"
        if len(order["swaps"]) == 1:
            swaps = "{higher} and {lower}".format(**order["swaps"][0])
        judge = named(order["judge"], order["simulated"])
        return _HEADLINES[order["result"]].format(judge=judge, swaps=swaps)
    if len(own) < 2:
        return "No ranking: it needs two answering models with 20 graded questions each"
    certain = all(best == worst for best, worst in (row["ranks"] for row in own))
    chain = _chain([(row["answer_model"], row["value"]) for row in own], _SPELT_OUT[0])
    return f"{'T' if certain else 'Not certain: t'}he annotators rank {chain}"


def _chain(values: Sequence[tuple[str, float]], most: int) -> str:
    """Return models in order, as `atlas > birch = cobalt`; of more than `most` the ends."""
    # Sorted by the printed digits; sorting is stable, so ties keep the panel's order.
    values = sorted(values, key=lambda pair: -round(pair[1], DIGITS))
    if len(values) > most:
        return f"{values[0][0]} > … > {values[-1][0]}"
    chain, last = "", None
    for model, value in values:
        sign = "" if last is None else " = " if round(value, DIGITS) == last else " > "
        chain, last = f"{chain}{sign}{model}", round(value, DIGITS)
    return chain


def _orders(ranking: Mapping[str, Any]) -> Table:
    """A row for the annotators and for each judge."""
    columns = (
        Column("graded by"),
        Column("order"),
        Column("reversed pairs", "count"),
        Column("certain reversals", "count"),
        Column("tau-b", "number", "tau-b"),
        Column("answers", "count"),
    )
    own = [(row["answer_model"], row["value"]) for row in annotated(ranking)]
    graded = sum(row["n"] for row in ranking["models"] if row["grader"] == ANNOTATORS)
    rows: list[tuple] = [(ANNOTATORS, _chain(own, _SPELT_OUT[1]), None, None, None, graded)]
    for order in ranking["orders"]:
        cells: tuple = None, None, None
        if is_comparable(order):
            values = [(one["answer_model"], one["judge"].value) for one in order["models"]]
            sure = sum(swap["certain"] for swap in order["swaps"])
            cells = _chain(values, _SPELT_OUT[1]), len(order["swaps"]), sure
        tau_b = Estimate(*(order[key] for key in TAU_B))
        rows.append((_grader(order["judge"], order["simulated"]), *cells, tau_b, order["n"]))
    return Table("orders", columns, tuple(rows) if len(own) > 1 else (), "Orders")


_METHODS = {DRAW: "by random sample (PPI++)", RATES: "by error rates"}
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


def corrected_document(corrected: Mapping[str, Any], judge: str | None = None) -> Document:
    """Return what is shown of the corrected figures of all judges, or of one by its label."""
    judges = [one for one in corrected["judges"] if judge in (None, one["judge"])]
    done = [one for one in judges if not one["why_none"]]
    untold = [one["why_none"] for one in judges if one["why_none"]]
    why = corrected["why_none"] or next(iter(untold), None)
    method = _METHODS[corrected["how"]]
    if not judges and not why:
        return Document("")
    several = counted(len(judges), "judge")
    headline = f"{len(done)} of {several} corrected {method}: {corrected['what']}"
    if not done:
        headline = f"Not corrected {method}: {message_of(why)}"
    elif len(judges) == 1 and done[0]["pairs"]:
        known = [m["answer_model"] for m in done[0]["models"] if m["corrected"].value is not None]
        sure = {(pair["above"], pair["below"]) for pair in done[0]["pairs"] if pair["certain"]}
        name = named(done[0]["judge"], done[0]["simulated"])
        unsure = "" if sure >= {*pairwise(known)} else ", but not every step is certain"
        headline = f"Corrected for bias, {name} ranks {' > '.join(known)}{unsure}"
    notes = [
        *reasons(one for one in untold if done or one != why),
        _PASSED.format(answers=counted(corrected["excluded"], "answer"))
        if corrected["excluded"]
        else "",
        *corrected["excluded_grades"],
    ]
    facts = (_ASSUMES if done else REMEDIES)[corrected["how"]]
    tables = _corrected_tables(corrected, done)
    return Document(headline, (facts,), tables, tuple(filter(None, notes)))


def _corrected_tables(
    corrected: Mapping[str, Any], judges: Sequence[Mapping[str, Any]]
) -> tuple[Table, Table]:
    """Return raw and corrected figures, and the differences of models."""
    rates = corrected["how"] == RATES
    kind, apart = ("share", "points") if rates else ("number", "difference")
    heads = (
        Column("judge"),
        Column("answering model"),
        Column("uncorrected", kind),
        Column("corrected", kind, "corrected"),
        Column("answers", "count"),
        Column("graded by annotators", "count"),
    )
    figures, pairs = [], []
    for one in judges:
        name = named(one["judge"], one["simulated"])
        figures += [(name, *model.values()) for model in one["models"]]
        pairs += [
            (
                name,
                pair["above"],
                pair["below"],
                pair["corrected"],
                "certain" if pair["certain"] else "inconclusive",
            )
            for pair in one["pairs"]
        ]
    columns = (
        Column("judge"),
        Column("above"),
        Column("below"),
        Column("corrected difference", apart),
        Column("result"),
    )
    return (
        Table("corrected", heads, tuple(figures), capital(corrected["what"])),
        Table("pairs", columns, tuple(pairs), "Corrected differences"),
    )
