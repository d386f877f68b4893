"""Document of a cascade: the bound on its error rate, its savings, and what is missing."""

import math
from collections.abc import Iterator

from concord.messages import Numeral, counted, on_command_line, said
from concord.reports.cascade.cascade import (
    ANNOTATORS,
    CERTIFIED,
    NOTHING,
    REPLAYED,
    TWO_JUDGES,
    WITHIN_ONE,
    Cascade,
    SourceCurve,
)
from concord.reports.cells import percent, rounded_up, written
from concord.reports.charts import Curve, Curves
from concord.reports.decision.cost import dollars
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.panel.decision_conditions import MET, NOT_MET
from concord.reports.panel.provenance import named
from concord.reports.probabilities.judge_probabilities import REPEATS

MISSING = said(
    "No judge gave a probability with its scores or graded an answer more than once. Run a "
    "decision model, a judge with log-probabilities or a stated confidence, or a cheap judge three "
    "times, on its card under Judges{on_command_line}. The cascade is then simulated on the stored "
    "replies at no cost.",
    on_command_line=on_command_line("`judge NAME --repeat 3`"),
)
_HEADLINE = {
    CERTIFIED: said(
        "{certified}: accept {judge} {where}. At most {upper} of these scores are in error "
        "({certainty}% confidence)."
    ),
    NOTHING: said(
        "Not certified: accepting {judge} {where} may leave up to {upper} of these scores in error "
        "({certainty}% confidence); the limit is {limit}%."
    ),
}
_ERROR = {
    False: "An error is an accepted score that differs from an annotator's score.",
    True: "An error is an accepted score that differs from an annotator's score by two or more.",
}
_CEILING = said(
    "Annotators differ from one another on {share}% of these answers, so a limit of {limit}% is "
    "hardly attainable."
)
_ONE_CHOICE = said(
    "The guarantee applies to one choice of judges, confidence and limits, made beforehand. Trying "
    "several until one passes weakens it."
)
_POPULATION = said(
    "The bound is for accepted answers to {unit}s like those of this sheet, of the same answering "
    "models and with at most {most} to a {unit}."
)
_SOURCE = {
    "native": said("{judge}: native probability of its score"),
    "stated": said("{judge}: stated confidence"),
    "logprobs": said("{judge}: log-probability of its score"),
    "imported": said("{judge}: imported probability of its score"),
}
_MOST_CURVES = 8
_SAMPLING = said(
    "Threshold set on {setting}, tested on {tested} others; {left} not sampled. One answer per "
    "{unit}, sampled in proportion to its number of answers; errors against one annotator each. "
    "Seed {seed}."
)


def document(found: Cascade) -> Document:
    """Return what is shown of a cascade."""
    return Document(
        _headline(found),
        tuple(_facts(found)),
        (_test(found), _replay(found), _sources(found)),
        (
            ""
            if found.verdict == NOTHING
            else said(_POPULATION, unit=found.unit, most=counted(found.most, "answer")),
            said("The cost is undefined: {why}.", why=found.cost["why_none"])
            if found.test.tried and found.cost["why_none"]
            else "",
            "" if found.verdict == NOTHING else _ONE_CHOICE,
        ),
        said(
            _SAMPLING,
            setting=counted(found.test.setting, found.unit),
            tested=found.test.certifying,
            left=found.test.not_drawn,
            unit=said(found.unit),
            seed=found.seed,
        ),
        _charts(found),
    )


def source(kind: str, judge: str, second: str | None, asks: int) -> str:
    """Return a source of confidence as text, of the names of its judges."""
    if kind == TWO_JUDGES:
        return said("{judge} where {second} agrees", judge=judge, second=second)
    if kind == REPEATS:
        return said("{judge}, asked {n} times", judge=judge, n=asks)
    return said(_SOURCE[kind], judge=judge)


def _headline(found: Cascade) -> str:
    if not found.test.tried:
        why = said("annotators graded too few {unit}s", unit=found.unit)
        return said("Not certified: {why}.", why=found.why_none or why)
    return said(
        _HEADLINE[NOTHING if found.verdict == NOTHING else CERTIFIED],
        certified="Certified" if found.verdict == CERTIFIED else "Simulated data, so not certified",
        judge=_named(found, found.cheap),
        where=_where(found),
        upper=rounded_up(found.test.tried.upper),
        certainty=percent(found.limits.certainty),
        limit=_limit(found),
    )


def _facts(found: Cascade) -> Iterator[str]:
    yield _ERROR[found.limits.agreement == WITHIN_ONE]
    cheap, again, annotators = _named(found, found.cheap), found.test_retest, found.ceiling.value
    if found.coverage.value is not None:
        yield said(
            "Coverage: {share} of {answers} accepted from {judge}; the others go to {to}.",
            share=written(found.coverage, "share"),
            answers=counted(found.answers, "answer"),
            judge=cheap,
            to=_to(found),
        )
    if again and again.exact.value is not None:
        yield said(
            "Test-retest agreement of {judge}: {same} exact, {flips} off by two or more.",
            judge=cheap,
            same=written(again.exact, "share"),
            flips=written(again.flips, "share"),
        )
    if annotators is not None and 1 - annotators > found.limits.at_most:
        yield said(_CEILING, share=percent(1 - annotators), limit=_limit(found))


def _limit(found: Cascade) -> Numeral:
    """The maximum error rate in percent as it was given, however small."""
    return Numeral(f"{100 * found.limits.at_most:g}")


def _where(found: Cascade) -> str:
    least = found.test.tried.confidence
    if least <= min(row["confidence"] for row in found.levels):
        return "on every answer"
    if found.source == TWO_JUDGES:
        return said("where {second} gives the same score", second=_named(found, found.second))
    if found.source != REPEATS:
        share = Numeral(f"{100 * least:.9g}%")
        if found.source == "stated":
            return said("where it states a confidence of at least {share}", share=share)
        # Scaled to sum to 1: of a judge that puts much outside the scale it is no probability.
        return said(
            "where its score has at least {share} of the probability on scores", share=share
        )
    same = math.ceil(least * found.asks - 1e-9)
    if same == found.asks:
        return said("where all {n} repeats give the same score", n=same)
    return said("where at least {n} of {asks} repeats give the same score", n=same, asks=found.asks)


def _test(found: Cascade) -> Table:
    tried = found.test.tried
    columns = (
        Column(f"test {found.unit}s", "count"),
        Column("errors", "count"),
        Column("error rate at most", "bound"),
        Column("limit", "share"),
        Column("result"),
        Column("needed at these errors", "count"),
        Column("needed without errors", "count"),
    )
    row = tried and (
        tried.questions,
        tried.errors,
        tried.upper,
        found.limits.at_most,
        MET if tried.passes else NOT_MET,
        found.test.more or "over 100,000",
        found.test.needed,
    )
    return Table("test", columns, (row,) if row else ())


def _replay(found: Cascade) -> Table:
    """The cascade, the expensive judge alone and the cheap judge alone, on the same answers."""
    price = "USD per 1,000 answers"
    columns = (
        Column("same answers"),
        Column("answers", "count"),
        Column("exact agreement", "share"),
        Column("recall of failing answers", "share"),
        Column(f"{price} (simulated)" if found.simulated else price),
    )
    if not found.replay or not found.replay["n"]:
        return Table("replay", columns, ())
    names = ("cascade", f"{_to(found)} alone", f"{_named(found, found.cheap)} alone")
    rows = []
    for key, name in zip(REPLAYED, names, strict=True):
        figures, paid = found.replay[key], found.cost.get(key)
        cells = name, found.replay["n"], figures["exact"], figures["failure_recall"]
        rows.append((*cells, None if paid is None else dollars(paid)))
    return Table("replay", columns, tuple(rows))


def _sources(found: Cascade) -> Table:
    parts = (
        (Column("source of confidence"), lambda one: _source(found, one)),
        (Column("used here"), lambda one: "yes" if one.used else "no"),
        (Column("answers", "count"), "n"),
        (Column("in error if all are accepted", "share"), "error_rate"),
        (Column("AURC", "value", "risk-coverage curve"), "aurc"),
    )
    return table_of("sources", found.sources, parts)


def _charts(found: Cascade) -> tuple[Curves, ...]:
    """The risk-coverage curves of the most trusted sources, and of the one that is used."""
    drawn = [one for one in found.sources if one.curve]
    drawn = sorted(drawn, key=lambda one: not one.used)[:_MOST_CURVES]
    if not drawn:
        return ()
    alt = "Risk-coverage curves of the sources of confidence, as in the table of sources."
    curves = (
        Curve(_source(found, one), place, one.curve, one.used) for place, one in enumerate(drawn)
    )
    return (
        Curves(
            "risk-coverage",
            "Error rate of the accepted scores, the most confident first",
            alt,
            "share of the answers accepted",
            "error rate",
            "share",
            tuple(curves),
            "sources",
            found.limits.at_most,
        ),
    )


def _source(found: Cascade, one: SourceCurve) -> str:
    second = one.second and _named(found, one.second)
    return source(one.source, _named(found, one.judge), second, one.asks)


def _named(found: Cascade, judge: str) -> str:
    return named(judge, judge in found.simulated)


def _to(found: Cascade) -> str:
    return "annotators" if found.to == ANNOTATORS else _named(found, found.to)
