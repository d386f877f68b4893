"""Document of a comparison: the variant nearest to annotators, and every figure."""

from collections.abc import Iterator, Mapping

from concord.messages import counted, joined, said
from concord.model import status_words
from concord.reports.agreement.columns import ANNOTATORS, MAJORITY
from concord.reports.cells import plain_share, written
from concord.reports.charts import Intervals, Line, Mark, graders
from concord.reports.comparison.compare import scale_name, target_name
from concord.reports.document import Column, Document, Table
from concord.reports.panel.provenance import annotators_sentence, named
from concord.reports.ranking.document import is_comparable
from concord.stats.core.estimate import Estimate

_WITHHELD = {
    "baseline": "{name} is no nearer than {against}.",
    "baseline_unsure": "{name} is not clearly nearer than {against}.",
    "ccc": "{name} is nearest, but {against} has a higher CCC.",
    "failure_recall": "{name} is nearest, but {against} has a higher recall of failing answers.",
}


def document(compared: Mapping) -> Document:
    """Return the finding and the figures of every variant."""
    rows = compared["variants"]
    heads = Column("reason"), Column("answers", "count", "left out")
    left_out = tuple((status_words(why), n) for why, n in compared["left_out"].items())
    notes = [row["note"] for row in rows]
    if compared["study"]:
        notes.append(compared["study"]["note"])
    if any(row["cost"].simulated for row in rows):
        notes.append("Prices and times of simulated judges are not measured.")
    return Document(
        _headline(compared),
        tuple(filter(None, _facts(compared))),
        (*_tables(compared), Table("excluded", heads, left_out, "Excluded answers"))
        if rows
        else (),
        tuple(filter(None, notes)),
        compared["signature"] if rows else "",
        (distance(compared),) if compared["n"] else (),
    )


def distance(compared: Mapping) -> Intervals:
    """Return every variant's distance from annotators, with the two lines it is read against."""
    variants, answers = compared["variants"], counted(compared["n"], "answer")
    colours = graders((row["variant"], row["floor"]) for row in variants)
    rows = tuple(
        (
            joined(" · ", [named(row["variant"], row["simulated"]), scale_name(row["scale"])]),
            (Mark(row["variant"], row["mae"], answers, colours[row["variant"]]),),
        )
        for row in sorted(variants, key=lambda row: (row["floor"], row["mae"].value))
    )
    always, annotators = compared["majority_baseline"], compared["ceiling"]["mae"]
    share = "unknown" if annotators.value is None else written(Estimate(annotators.value), "share")
    level = Estimate(always["mae"].value)
    label = f"always {always['score']:g}: {written(level, 'share')}"
    lines = [
        Line(level, label, "constant"),
        Line(annotators, f"annotators: {share}", "annotators"),
    ]
    known = [row["mae"] for row in variants] + [line.found for line in lines]
    ends = [end for one in known for end in (one.value, one.high) if end is not None]
    return Intervals(
        name="distance",
        title="",
        alt="Distance from annotators",
        axis="distance from annotators (0%: the same score)",
        kind="share",
        reach=(-0.004, 1.08 * max([0.1, *ends])),
        rows=rows,
        lines=tuple(lines),
    )


def _headline(compared: Mapping) -> str:
    rows, on = {row["variant"]: row for row in compared["variants"]}, compared["target"]
    real = [row for row in rows.values() if not row["floor"]]
    if not rows and compared["not_compared"]:
        return f"No judge can be compared on {target_name(on)}"
    if not real:
        return "No judge has graded this sheet yet, so there is nothing to compare"
    best, base = rows.get(compared["headline"]["variant"]), rows[compared["base"]]
    if best is None:
        return "The variants share no answer that annotators graded, so nothing can be compared"
    if compared["headline"]["withheld"]:
        finding = "No clear best variant on {on}"
    elif len(real) == 1:
        finding = "{name} is the only variant on {on}"
    elif best is base and all((row["further"].low or 0) > 0 for row in real if row is not base):
        finding = "{name} is nearest to annotators on {on}"
    elif best is not base and (best["further"].high or 0) < 0:
        finding = "{name} is nearer to annotators on {on} than {base}"
    else:
        finding = "Cannot tell yet which variant is nearest to annotators on {on}"
    names = (named(row["variant"], row["simulated"]) for row in (best, base))
    return said(finding, on=target_name(on), **dict(zip(("name", "base"), names, strict=True)))


def _facts(compared: Mapping) -> Iterator[str]:
    if compared["study"]:
        yield compared["study"]["question"]
    best, withheld = compared["headline"].values()
    for one in withheld:
        yield said(_WITHHELD[one["code"]], name=best, against=one["against"])
    if compared["n"]:
        questions = counted(compared["questions"], "question")
        yield f"{counted(compared['n'], 'answer')} to {questions}; scores mapped to 0-1."
    if len({row["scale"] for row in compared["variants"]}) > 1:
        yield "On a coarser scale the distance cannot be as small: read CCC too."
    if compared["holding_back"]:
        without = compared["holding_back"][0]
        yield "Without {variant}, {without:,} answers are shared.".format(**without)
    for variant, why in compared["not_compared"].items():
        yield f"{variant} is not compared: {why}."
    simulated = [annotator.simulated for annotator in compared["annotators"]]
    yield annotators_sentence(sum(simulated), len(simulated))


def _models_order(row: Mapping) -> str | None:
    """Return how its order of the answering models compares with that of the annotators."""
    order = row["order"]
    if not is_comparable(order):
        return None
    if not order["swaps"]:
        return f"{order['one_sided']:,} tied" if order["one_sided"] else "same"
    sure = sum(swap["certain"] for swap in order["swaps"])
    return f"{len(order['swaps']):,} reversed, {sure:,} certain"


def _unscored(row: Mapping) -> str:
    """Return the share of answers without a score, and how many for which reason."""
    counts = (f"{n} {status_words(status)}" for status, n in row["no_score"]["why"].items())
    why = joined(", ", counts)
    return plain_share(row["no_score"]["value"]) + (f" ({why})" if why else "")


# Key in the results, head, and kind; a key of two parts lies in the figures of its own scale.
_FIGURES = {
    "figures": (
        ("mae", "distance from annotators", "share"),
        ("further", "minus the base, points", "points"),
        ("exact", "exact agreement", "share"),
        ("qwk", "QWK", "number"),
        ("failure_recall", "recall of failing answers", "share"),
        ("models_order", "models' order", "text"),
    ),
    "more": (
        ("model", "model", "text"),
        ("prompt", "prompt", "text"),
        ("examples", "examples", "text"),
        ("scale", "scale", "text"),
        ("temperature", "temperature", "precise"),
        ("calls", "calls", "text"),
        ("skill", "skill over the baseline", "number"),
        ("bias", "bias, points", "points"),
        ("ccc", "CCC", "number"),
        ("within_one", "within one", "share"),
        ("paired_exact", "exact agreement minus the base, points", "points"),
        ("p", "p (sign flips by cluster)", "p"),
        ("same", "same score when repeated", "share"),
        ("unscored", "answers without a score", "text"),
        ("per_1000", "USD per 1,000 answers", "usd"),
        ("seconds", "seconds per answer", "number"),
    ),
}


def _tables(compared: Mapping) -> Iterator[Table]:
    """Yield the figures of every variant, of the annotators and of the majority-class baseline."""
    lines: dict[str, Mapping] = {}
    for row in compared["variants"]:
        head, test = named(row["variant"], row["simulated"]), row["paired"]
        head = f"{head} (base)" if row["variant"] == compared["base"] else head
        lines[head] = {
            **row,
            **row["own"],
            "model": "text features" if row["floor"] else row["model"],
            "scale": scale_name(row["scale"]),
            "models_order": _models_order(row),
            "paired_exact": test["difference"] if test and test["metric"] == "exact" else None,
            "p": test and test["test"].p_value,
            "same": row["test_retest"] and row["test_retest"].exact,
            "unscored": _unscored(row),
            "per_1000": row["cost"].per_1000,
            "seconds": row["cost"].seconds,
        }
    ceiling, always = compared["ceiling"], compared["majority_baseline"]
    if ceiling["n"]:
        lines[ANNOTATORS] = {"mae": ceiling["mae"], "ccc": ceiling["ccc"]}
    if always["score"] is not None:
        lines[MAJORITY] = {**always, **(always["own"] or {})}
    for name, figures in _FIGURES.items():
        columns = (Column("figure"), *(Column(head, kind) for _, head, kind in figures))
        rows = ((head, *(line.get(key) for key, *_ in figures)) for head, line in lines.items())
        title = "Further figures" if name == "more" else ""
        yield Table(name, columns, tuple(rows), title, across=True)
