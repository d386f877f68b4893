"""Document of a comparison: the variant nearest to annotators, every figure, what is missing."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from concord.language.grade_statuses import reason, status_words
from concord.messages import Numeral, Said, counted, joined, said
from concord.reports.cells import percent, plain_share, written
from concord.reports.charts import Grader, Intervals, Line, Mark, Row, ScoresUsed, Shares, graders
from concord.reports.comparison.constant_baseline import baseline_name
from concord.reports.comparison.paired_variants import (
    FURTHER,
    IS_BASE,
    NEARER,
    BaselineFigures,
    ComparedVariant,
    Comparison,
    beyond,
    scale_name,
    scores_used,
    target_name,
    variant_name,
)
from concord.reports.document import Cell, Column, Document, Table, table_of
from concord.reports.panel.provenance import annotators_sentence
from concord.stats.baselines import Spread
from concord.stats.core.estimate import Estimate

_ANNOTATORS = "annotators"


def distance(found: Comparison) -> Intervals:
    """Return every variant's distance from annotators, compared with the annotators' own."""
    of, always = _graders(found), _majority_baseline(found)
    rows = [
        _row(found, row.variant, row.scale, row.mae, of[row.variant]) for row in _ordered(found)
    ]
    rows += [_row(found, *one, "constant") for one in always]
    annotators = found.ceiling.mae
    named = [
        *((row.variant, row.mae) for row in found.variants),
        *((a, mae) for a, _, mae in always),
    ]
    parts = [
        said("{name} {number}", name=name, number=written(mae, "share")) for name, mae in named
    ]
    known = annotators.value is not None
    label = (
        said("annotators: {share}%", share=percent(annotators.value))
        if known
        else "distance between annotators is unknown"
    )
    return Intervals(
        name="distance",
        title="",
        alt=said(
            "Distance from annotators in percent of the scale: {variants}; between annotators "
            "{annotators}.",
            variants=joined("; ", parts),
            annotators=written(annotators, "share"),
        ),
        axis="distance from annotators (0%: the same score)",
        kind="share",
        reach=(-0.004, 1.08 * _widest([*(mae for _, mae in named), annotators])),
        rows=tuple(rows),
        lines=(Line(annotators, label, "annotators"),),
        interrupted=True,
    )


def scores(found: Comparison) -> Shares | None:
    """Return how often annotators and each variant give each score of their scale.

    A variant without scores, as one whose grades are continuous, is left out; None where all are.
    """
    of, annotators = _graders(found), found.annotator_spread
    scored = [row for row in _ordered(found) if row.spread.share is not None]
    if not scored:
        return None
    told = [(_ANNOTATORS, annotators), *((row.variant, row.spread) for row in scored)]
    parts = [
        said("{variant}, scores used: {scores}", variant=name, scores=scores_used(spread) or "—")
        for name, spread in told
    ]
    return Shares(
        name="scores",
        title="Scores used",
        alt=said("{sentence}.", sentence=joined("; ", parts)),
        rows=(
            _used(_ANNOTATORS, found.annotator_scale, annotators, "annotators"),
            *(_used(row.variant, row.scale, row.spread, of[row.variant]) for row in scored),
        ),
    )


def _graders(found: Comparison) -> Mapping[str, Grader]:
    return graders((row.variant, row.floor) for row in found.variants)


def _ordered(found: Comparison) -> list[ComparedVariant]:
    """The nearest first, the text-feature baseline last."""
    return sorted(found.variants, key=lambda row: (row.floor, row.mae.value or 0))


def _majority_baseline(found: Comparison) -> list[tuple[str, Sequence[int], Estimate]]:
    """Its name, scale and distance, where there is one."""
    always = found.majority_baseline
    if always.score is None:
        return []
    name = said("majority-class baseline, always {score:g}", score=always.score)
    return [(name, found.annotator_scale, always.mae)]


def _row(found: Comparison, name: str, scale: Sequence[int], mae: Estimate, of: Grader) -> Row:
    on = said("{n:,} {units}", n=found.n, units="answers")
    return Row(_called(name, scale), (Mark(name, mae, on, of),))


def _used(name: str, scale: Sequence[int], spread: Spread, of: Grader) -> ScoresUsed:
    total = sum(spread.counts) or 1
    shares = tuple(count / total for count in spread.counts)
    return ScoresUsed(_called(name, scale), tuple(scale), shares, of)


def _called(name: str, scale: Sequence[int]) -> str:
    return joined(" · ", [name, scale_name(scale)])


def _widest(found: Sequence[Estimate]) -> float:
    ends = [end for one in found for end in (one.value, one.high)]
    return max([0.1, *(end for end in ends if end is not None)])


def document(found: Comparison) -> Document:
    """Return the finding, the figures of every variant and the paired tests."""
    if not found.variants:
        return Document(_headline(found), tuple(_not_compared(found)))
    study = found.study
    return Document(
        _headline(found),
        ((study.question,) if study else ()) + tuple(_facts(found)),
        (_figures(found), _paired(found), _excluded(found)),
        (*_missing(found), *((study.note, study.published) if study else ())),
        found.signature,
        tuple(filter(None, (distance(found), scores(found)))) if found.n else (),
    )


def models_order(row: ComparedVariant) -> str | None:
    """Return how its order of the answering models compares with that of the annotators."""
    if not row.order.comparable:
        return None
    swaps = row.order.swaps
    if row.order.one_sided and not swaps:
        pairs = counted(row.order.one_sided, "pair")
        return said("no swap, {pairs} tied by one side only", pairs=pairs)
    if not swaps:
        return "same as annotators"
    sure = sum(swap["certain"] for swap in swaps)
    return said("{swaps}, {sure} certain", swaps=counted(len(swaps), "swap"), sure=sure)


def commonest(spread: Spread) -> str | None:
    """Return the most frequent score with its share."""
    if spread.commonest is None:
        return None
    share = written(spread.share, "share")
    return said("{score} ({share})", score=spread.commonest, share=share)


def _headline(found: Comparison) -> Said:
    if not found.variants and found.not_compared:
        return said("No judge can be compared on {on}", on=target_name(found.target))
    if not found.real:
        return "No judge has graded this sheet yet, so there is nothing to compare"
    if not found.n:
        return "The variants share no answer that annotators graded, so nothing can be compared"
    best, base = found.nearest, found.of(found.base)
    about = {"name": variant_name(best), "on": target_name(found.target)}
    if found.headline.withheld:
        return said("No clear best variant on {on}", **about)
    if len(found.real) == 1:
        return said("{name} is the only variant on {on}", **about)
    if _is_nearest(found):
        return said("{name} is nearest to annotators on {on}", **about)
    if _is_nearer(found):
        base_name = variant_name(base)
        return said("{name} is nearer to annotators on {on} than {base}", **about, base=base_name)
    return said("Cannot tell yet which variant is nearest to annotators on {on}", **about)


def _is_nearest(found: Comparison) -> bool:
    """True where the base is nearer to annotators than every other variant, beyond error."""
    base = found.of(found.base) if found.variants else None
    others = [row for row in found.real if row is not base]
    return (
        bool(others)
        and not found.headline.withheld
        and found.nearest is base
        and all(beyond(row.further) == FURTHER for row in others)
    )


def _is_nearer(found: Comparison) -> bool:
    """True where another variant is nearer to annotators than the base, beyond error."""
    best = found.nearest
    return best is not found.of(found.base) and beyond(best.further) == NEARER


def _distances(found: Comparison) -> Iterator[str]:
    """Yield the distances that the headline rests on."""
    best, base = found.nearest, found.of(found.base)
    known = len(found.real) == 1 or (
        not found.headline.withheld and (_is_nearest(found) or _is_nearer(found))
    )
    yield said(
        "Mean distance of {name} from annotators: {distance} of the scale."
        if known
        else "{name} has the smallest mean distance from annotators: {distance} of the scale.",
        name=variant_name(best),
        distance=written(best.mae, "share"),
    )
    if known and best is not base:
        yield said(
            "Mean distance of {name} from annotators: {distance} of the scale.",
            name=variant_name(base),
            distance=written(base.mae, "share"),
        )


def _facts(found: Comparison) -> Iterator[str]:
    if found.real and found.n:
        yield from _distances(found)
    for one in found.headline.withheld:
        yield said("Caveat: {reason}.", reason=one.sentence)
    if len(found.variants) > 1 and found.n:
        yield said(
            "{variants} variants on the same {answers} to {questions}, with scores mapped to 0-1.",
            variants=len(found.variants),
            answers=counted(found.n, "answer"),
            questions=counted(found.questions, "question"),
        )
        if any(row.mae.low is not None for row in found.variants):
            yield said(
                "95% CIs are in brackets; those of differences are simultaneous over "
                "{comparisons}.",
                comparisons=counted(found.compared, "comparison"),
            )
    if len({row.scale for row in found.variants}) > 1:
        yield said(
            "Annotators graded on {scale}. On a coarser scale the distance cannot be as small: "
            "read CCC and the order of the models too.",
            scale=scale_name(found.annotator_scale),
        )
    if found.ceiling.mae.value is not None:
        yield said(
            "Mean distance between annotators: {share} of the scale.",
            share=written(found.ceiling.mae.value, "share"),
        )
    if found.holding_back and len(found.variants) > 1:
        yield said(
            "Without {variant}, {without:,} answers could be compared.",
            variant=found.holding_back[0].variant,
            without=found.holding_back[0].without,
        )
    yield from _not_compared(found)
    yield from (row.note for row in found.variants if row.note)
    yield annotators_sentence(sum(p.simulated for p in found.annotators), len(found.annotators))


def _not_compared(found: Comparison) -> Iterator[str]:
    for variant, why in found.not_compared.items():
        yield said("{variant} is not compared: {why}.", variant=variant, why=why)


# Title, kind, and the cell of a variant.
_COLUMNS: tuple[tuple[Said, str, Callable[[ComparedVariant], Cell]], ...] = (
    ("model", "text", lambda row: "text features" if row.floor else row.model),
    ("prompt", "text", lambda row: row.prompt),
    ("examples", "text", lambda row: row.examples),
    ("scale", "text", lambda row: scale_name(row.scale)),
    (
        "temperature",
        "text",
        lambda row: None if row.temperature is None else Numeral(f"{row.temperature:g}"),
    ),
    ("calls", "text", lambda row: None if row.calls is None else str(row.calls)),
    ("distance from annotators", "share", lambda row: row.mae),
    ("skill over the majority-class baseline", "number", lambda row: row.skill),
    ("distance minus that of the base, points", "points", lambda row: row.further),
    ("bias, points", "points", lambda row: row.bias),
    ("CCC", "number", lambda row: row.ccc),
    ("exact agreement, own scale", "share", lambda row: row.own.exact),
    ("within one, own scale", "share", lambda row: row.own.within_one),
    ("QWK, own scale", "number", lambda row: row.own.qwk),
    ("recall of failing answers, own scale", "share", lambda row: row.own.failure_recall),
    ("failing answers", "count", lambda row: row.own.failing),
    ("order of the answering models", "text", models_order),
    ("scores used", "text", lambda row: scores_used(row.spread)),
    ("most frequent score", "text", lambda row: commonest(row.spread)),
    ("same score when repeated", "share", lambda row: row.test_retest.exact),
    (
        "SD of the difference when repeated",
        "number",
        lambda row: row.test_retest.difference_sd,
    ),
    ("answers without a score", "text", lambda row: _unscored(row)),
    ("USD per 1,000 answers", "usd", lambda row: row.cost.per_1000),
    ("seconds per answer", "number", lambda row: row.cost.seconds),
    ("answers scored, of the whole sheet", "count", lambda row: row.graded),
)


def _figures(found: Comparison) -> Table:
    columns = (Column("figure"), *(Column(head, kind) for head, kind, _ in _COLUMNS))
    rows = [
        (_head(row, found.base), *(cell(row) for _, _, cell in _COLUMNS)) for row in found.variants
    ]
    if found.majority_baseline.score is not None:
        rows.append(_baseline(found.majority_baseline))
    title = "Figures of every variant"
    return Table("figures", columns, tuple(rows), title, across=True)


def _head(row: ComparedVariant, base: str | None) -> str:
    if row.variant == base:
        return said("{variant} (base)", variant=variant_name(row))
    return said("{variant} (floor)", variant=row.variant) if row.floor else variant_name(row)


def _baseline(always: BaselineFigures) -> tuple[Cell, ...]:
    own = always.own
    known = {
        "distance from annotators": always.mae,
        "bias, points": always.bias,
        "CCC": always.ccc,
        "exact agreement, own scale": own and own.exact,
        "within one, own scale": own and own.within_one,
        "QWK, own scale": own and own.qwk,
        "recall of failing answers, own scale": own and own.failure_recall,
        "failing answers": own and own.failing,
    }
    return (baseline_name(always.score), *(known.get(head) for head, _, _ in _COLUMNS))


def _paired(found: Comparison) -> Table:
    figures = {"exact": "exact agreement", "distance": "nearness to annotators"}
    parts = (
        ("variant", "variant"),
        ("figure", lambda row: figures[row.paired.metric]),
        (Column("answers", "count"), "paired.n"),
        (
            Column("difference, points", "points", in_file="difference"),
            "paired.difference",
        ),
        (Column("p (sign flips by cluster)", "p"), "paired.test.p_value"),
    )
    title = said("Each variant minus {base}", base=found.base)
    return table_of("paired", [row for row in found.variants if row.paired], parts, title)


def _excluded(found: Comparison) -> Table:
    parts = (
        ("reason", lambda one: reason(one[0])),
        (Column("answers", "count", "left out"), lambda one: one[1]),
    )
    return table_of("excluded", found.left_out.items(), parts, "Excluded answers")


def _missing(found: Comparison) -> Iterator[str]:
    """Yield why figures are missing, each reason once with the figure and its variants."""
    by: dict[tuple[str, str], list[str]] = {}
    for row in found.variants:
        for name, why in _reasons(row):
            if why and why != IS_BASE:
                by.setdefault((name, why), []).append(row.variant)
    for (name, why), who in by.items():
        yield said(
            "{name} of {variants}: {why}.", name=name, variants=joined(", ", who), why=said(why)
        )


def _reasons(row: ComparedVariant) -> Sequence[tuple[str, str | None]]:
    limits = row.mae.value is not None
    own = row.own.why_none
    return (
        ("95% CI of the distance" if limits else "Distance", row.mae.why_none),
        ("95% CI of the difference", row.further.why_none if limits else None),
        ("Skill", _undefined(row.skill)),
        ("CCC", _undefined(row.ccc)),
        ("Exact agreement, QWK and recall", own),
        ("QWK", None if own else _undefined(row.own.qwk)),
        ("Recall of failing answers", None if own else _undefined(row.own.failure_recall)),
        ("Cost", row.cost.why_none),
        ("Time", row.cost.why_no_seconds),
        (
            "Cost and time",
            "simulated, not measured" if row.cost.simulated else None,
        ),
    )


def _undefined(found: Estimate) -> str | None:
    return found.why_none if found.value is None else None


def _unscored(row: ComparedVariant) -> str:
    """Return the share of answers without a score, and how many for which reason."""
    share = plain_share(row.no_score.estimate.value)
    counts = [
        said("{count} {status}", count=count, status=status_words(status))
        for status, count in row.no_score.why.items()
    ]
    if not counts:
        return share
    return said("{share} ({counts})", share=share, counts=joined(", ", counts))
