"""Document of a comparison: the variant nearest to annotators, and every figure."""

from collections.abc import Callable, Iterator, Sequence

from concord.language.grade_statuses import reason, status_words
from concord.messages import Numeral, counted, joined, said
from concord.reports.agreement.columns import ANNOTATORS, MAJORITY
from concord.reports.cells import plain_share, written
from concord.reports.charts import Intervals, Line, Mark, Row, graders
from concord.reports.comparison.compare import (
    EXACT,
    ComparedVariant,
    Comparison,
    scale_name,
    target_name,
)
from concord.reports.document import Cell, Column, Document, Table, table_of
from concord.reports.panel.provenance import annotators_sentence, named
from concord.stats.baselines import Spread
from concord.stats.core.estimate import Estimate

_DISTANCE = "distance from annotators"
_WITHHELD = {
    "baseline": "{name} is no nearer than {against}.",
    "baseline_unsure": "{name} is not clearly nearer than {against}.",
    "ccc": "{name} is nearest, but {against} has a higher CCC.",
    "failure_recall": "{name} is nearest, but {against} has a higher recall of failing answers.",
}


def document(found: Comparison) -> Document:
    """Return the finding and the figures of every variant."""
    excluded = table_of(
        "excluded",
        found.left_out.items(),
        (
            ("reason", lambda one: reason(one[0])),
            (Column("answers", "count", "left out"), lambda one: one[1]),
        ),
        "Excluded answers",
    )
    tables = _table("figures", "", _FIGURES, found), _table("more", "Further figures", _MORE, found)
    simulated = any(row.cost.simulated for row in found.variants)
    notes = (
        found.study and found.study["note"],
        "Prices and times of simulated judges are not measured." if simulated else "",
    )
    charts = (distance(found),) if found.n else ()
    return Document(
        _headline(found),
        tuple(filter(None, _facts(found))),
        (*tables, excluded) if found.variants else (),
        tuple(filter(None, notes)),
        found.signature if found.variants else "",
        charts,
    )


def distance(found: Comparison) -> Intervals:
    """Return every variant's distance from annotators, with the two lines it is read against."""
    of = graders((row.variant, row.floor) for row in found.variants)
    on = counted(found.n, "answer")
    rows = (
        Row(
            _called(named(row.variant, row.simulated), row.scale),
            (Mark(row.variant, row.mae, on, of[row.variant]),),
        )
        for row in _ordered(found)
    )
    always, annotators = found.majority_baseline, found.ceiling["mae"]
    share = "unknown" if annotators.value is None else written(Estimate(annotators.value), "share")
    lines = [Line(annotators, f"annotators: {share}", "annotators")]
    if always["score"] is not None:
        level = Estimate(always["mae"].value)
        label = f"always {always['score']:g}: {written(level, 'share')}"
        lines.insert(0, Line(level, label, "constant"))
    known = [row.mae for row in found.variants] + [line.found for line in lines]
    ends = [end for one in known for end in (one.value, one.high) if end is not None]
    return Intervals(
        name="distance",
        title="",
        alt="Distance from annotators",
        axis="distance from annotators (0%: the same score)",
        kind="share",
        reach=(-0.004, 1.08 * max([0.1, *ends])),
        rows=tuple(rows),
        lines=tuple(lines),
        interrupted=True,
    )


def _ordered(found: Comparison) -> list[ComparedVariant]:
    """The nearest first, the text-feature baseline last."""
    return sorted(found.variants, key=lambda row: (row.floor, row.mae.value or 0))


def _called(name: str, scale: Sequence[int]) -> str:
    return joined(" · ", [name, scale_name(scale)])


def _headline(found: Comparison) -> str:
    if not found.variants and found.not_compared:
        return said("No judge can be compared on {on}", on=target_name(found.target))
    if not found.real:
        return "No judge has graded this sheet yet, so there is nothing to compare"
    best = found.of(found.headline["variant"])
    if best is None:
        return "The variants share no answer that annotators graded, so nothing can be compared"
    others = [row.further for row in found.real if row.variant != found.base]
    base, names = found.of(found.base), {}
    for key, row in (("name", best), ("base", base)):
        names[key] = "the text model" if row.floor else named(row.variant, row.simulated)
    if found.headline["withheld"]:
        finding = "No clear best variant on {on}"
    elif len(found.real) == 1:
        finding = "{name} is the only variant on {on}"
    elif best is base and all(one.low is not None and one.low > 0 for one in others):
        finding = "{name} is nearest to annotators on {on}"
    elif best is not base and best.further.high is not None and best.further.high < 0:
        finding = "{name} is nearer to annotators on {on} than {base}"
    else:
        finding = "Cannot tell yet which variant is nearest to annotators on {on}"
    return said(finding, on=target_name(found.target), **names)


def _facts(found: Comparison) -> Iterator[str]:
    if found.study:
        yield found.study["question"]
    for one in found.headline["withheld"]:
        name = found.headline["variant"]
        yield said(_WITHHELD[one["code"]], name=name, against=one["against"])
    if found.n:
        answers, questions = counted(found.n, "answer"), counted(found.questions, "question")
        yield f"{answers} to {questions}; scores mapped to 0-1."
    if len({row.scale for row in found.variants}) > 1:
        yield (
            "On a coarser scale the distance cannot be as small: read CCC and the order of the "
            "models too."
        )
    if found.holding_back and len(found.variants) > 1:
        yield said("Without {variant}, {without:,} answers are shared.", **found.holding_back[0])
    for variant, why in found.not_compared.items():
        yield said("{variant} is not compared: {why}.", variant=variant, why=why)
    yield from (row.note for row in found.variants if row.note)
    yield annotators_sentence(sum(p.simulated for p in found.annotators), len(found.annotators))


def _models_order(row: ComparedVariant) -> str | None:
    """Return how its order of the answering models compares with that of the annotators."""
    if not row.order.comparable:
        return None
    if not row.order.swaps:
        return f"{row.order.one_sided:,} tied" if row.order.one_sided else "same"
    sure = sum(swap["certain"] for swap in row.order.swaps)
    return f"{len(row.order.swaps):,} reversed, {sure:,} certain"


def _scores_used(spread: Spread) -> str | None:
    if spread.effective is None:
        return None
    return f"{spread.used} of {spread.of} (effectively {spread.effective:.1f})"


def _unscored(row: ComparedVariant) -> str:
    """Return the share of answers without a score, and how many for which reason."""
    counts = (f"{n} {status_words(status)}" for status, n in row.no_score["why"].items())
    why = joined(", ", counts)
    return plain_share(row.no_score["value"]) + (f" ({why})" if why else "")


def _of_test(row: ComparedVariant, metric: str) -> Estimate | None:
    return row.paired["difference"] if row.paired and row.paired["metric"] == metric else None


# Title, kind, and the cell of a variant.
_Figures = tuple[tuple[str, str, Callable[[ComparedVariant], Cell]], ...]
_FIGURES: _Figures = (
    (_DISTANCE, "share", lambda row: row.mae),
    ("minus the base, points", "points", lambda row: row.further),
    ("exact agreement", "share", lambda row: row.own["exact"]),
    ("QWK", "number", lambda row: row.own["qwk"]),
    ("recall of failing answers", "share", lambda row: row.own["failure_recall"]),
    ("models' order", "text", _models_order),
)
_MORE: _Figures = (
    ("model", "text", lambda row: "text features" if row.floor else row.model),
    ("prompt", "text", lambda row: row.prompt),
    ("examples", "text", lambda row: row.examples),
    ("scale", "text", lambda row: scale_name(row.scale)),
    ("temperature", "precise", lambda row: row.temperature),
    ("calls", "text", lambda row: row.calls),
    ("skill over the baseline", "number", lambda row: row.skill),
    ("bias, points", "points", lambda row: row.bias),
    ("CCC", "number", lambda row: row.ccc),
    ("within one", "share", lambda row: row.own["within_one"]),
    ("failing answers", "count", lambda row: row.own["failing"]),
    ("exact agreement minus the base, points", "points", lambda row: _of_test(row, EXACT)),
    ("p (sign flips by cluster)", "p", lambda row: row.paired and row.paired["test"].p_value),
    ("scores used", "text", lambda row: _scores_used(row.spread)),
    ("same score when repeated", "share", lambda row: row.test_retest.exact),
    ("answers without a score", "text", _unscored),
    ("USD per 1,000 answers", "usd", lambda row: row.cost.per_1000),
    ("seconds per answer", "number", lambda row: row.cost.seconds),
    ("answers scored, of the whole sheet", "count", lambda row: row.graded),
)


def _table(name: str, title: str, figures: _Figures, found: Comparison) -> Table:
    """Return figures of every variant, of the annotators and of the majority-class baseline."""
    columns = (Column("figure"), *(Column(head, kind) for head, kind, _ in figures))
    rows: list[tuple] = []
    for row in found.variants:
        head = named(row.variant, row.simulated)
        head = said("{variant} (base)", variant=head) if row.variant == found.base else head
        rows.append((head, *(cell(row) for *_, cell in figures)))
    ceiling, always = found.ceiling, found.majority_baseline
    beside = (
        {ANNOTATORS: {_DISTANCE: ceiling["mae"], "CCC": ceiling["ccc"]}} if ceiling["n"] else {}
    )
    if always["score"] is not None:
        own = always["own"] or {}
        beside[MAJORITY] = {
            _DISTANCE: always["mae"],
            "bias, points": always["bias"],
            "CCC": always["ccc"],
            "exact agreement": own.get("exact"),
            "within one": own.get("within_one"),
            "QWK": own.get("qwk"),
            "recall of failing answers": own.get("failure_recall"),
            "scores used": Numeral(f"{always['score']:g}"),
        }
    for head, known in beside.items():
        cells = [known.get(title) for title, *_ in figures]
        if any(cell is not None for cell in cells):
            rows.append((head, *cells))
    return Table(name, columns, tuple(rows), title, across=True)
