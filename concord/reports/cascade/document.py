"""Document of a cascade: the bound on its error rate, its savings, and what is missing."""

import math

from concord.messages import counted, on_command_line, said
from concord.reports.cascade.cascade import (
    ANNOTATORS,
    CERTIFIED,
    NOTHING,
    REPLAYED,
    TWO_JUDGES,
    WITHIN_ONE,
)
from concord.reports.cells import percent, rounded_up, written
from concord.reports.decision.cost import dollars
from concord.reports.decision.results import Row
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.panel.decision_conditions import MET, NOT_MET
from concord.reports.panel.provenance import named
from concord.reports.probabilities.judge_probabilities import REPEATS

MISSING = said(
    "No judge gave a probability with its scores or graded an answer more than once. Run a "
    "decision model, a judge with log-probabilities or a stated confidence, or a cheap judge three "
    "times, on its card under Judges{on_command_line}.",
    on_command_line=on_command_line("`judge NAME --repeat 3`"),
)
_PROBABILITY = {
    "native": "native probability",
    "stated": "stated confidence",
    "logprobs": "log-probability",
    "imported": "imported probability",
}


def document(found: Row) -> Document:
    """Return what is shown of a cascade."""
    tried, cheap = found.tried, _named(found, found.cheap)
    others = f"{counted(found.setting, found.unit)} set the threshold, {found.certifying} others"
    provenance = f"{others} tested it, one answer of each. Seed {found.seed}."
    tables = (_test(found), _replay(found)) if tried else ()
    if not tried:
        why = found.why_none or f"annotators graded too few {found.unit}s"
        return Document(f"Not certified: {why}.", (), tables, (), provenance)
    to = "annotators" if found.to == ANNOTATORS else _named(found, found.to)
    off = " by two or more" if found.agreement == WITHIN_ONE else ""
    facts = [
        f"Coverage: {written(found.coverage, 'share')} of {counted(found.answers, 'answer')} "
        f"accepted from {cheap}; the others go to {to}. An error differs from an annotator's score"
        f"{off}."
    ]
    between = found.ceiling.value
    if between is not None and 1 - between > found.at_most:
        facts.append(
            f"Annotators differ from one another on {percent(1 - between)}% of these answers, so "
            f"a limit of {100 * found.at_most:g}% is hardly attainable."
        )
    notes = []
    if found.cost["why_none"]:
        notes.append(f"The cost is undefined: {found.cost['why_none']}.")
    if found.verdict != NOTHING:
        notes.append(
            f"The bound is for one choice of judges and limits, made beforehand, and {found.unit}s "
            f"like these with at most {counted(found.most, 'answer')} each."
        )
    upper, certainty = rounded_up(tried.upper), percent(found.certainty)
    headline = (
        f"Not certified: accepting {cheap} {_where(found)} may leave up to {upper} of these scores "
        f"in error ({certainty}% confidence); the limit is {100 * found.at_most:g}%."
    )
    if found.verdict != NOTHING:
        certified = found.verdict == CERTIFIED
        state = "Certified" if certified else "Simulated data, so not certified"
        headline = (
            f"{state}: accept {cheap} {_where(found)}. At most {upper} of these scores are in "
            f"error ({certainty}% confidence)."
        )
    return Document(headline, tuple(facts), tables, tuple(notes), provenance)


def source(kind: str, judge: str, second: str | None, asks: int) -> str:
    """Return a source of confidence as text, of the names of its judges."""
    if kind == TWO_JUDGES:
        return f"{judge} where {second} agrees"
    return f"{judge}, asked {asks} times" if kind == REPEATS else f"{judge}: {_PROBABILITY[kind]}"


def _where(found: Row) -> str:
    least = found.tried.confidence
    if found.everywhere:
        return "on every answer"
    if found.source == TWO_JUDGES:
        return f"where {_named(found, found.second)} gives the same score"
    if found.source != REPEATS:
        # Scaled to sum to 1: of a judge that puts much outside the scale it is no probability.
        of = "stated confidence" if found.source == "stated" else "probability on scores"
        return f"where its {of} is at least {100 * least:.9g}%"
    same = math.ceil(least * found.asks - 1e-9)
    if same == found.asks:
        return f"where all {same} repeats give the same score"
    return f"where at least {same} of {found.asks} repeats give the same score"


def _test(found: Row) -> Table:
    parts = (
        (Column(f"test {found.unit}s", "count"), "tried.questions"),
        (Column("errors", "count"), "tried.errors"),
        (Column("error rate at most", "bound"), "tried.upper"),
        (Column("limit", "share"), "at_most"),
        ("result", lambda one: MET if one.tried.passes else NOT_MET),
        (
            Column("needed at these errors", "count"),
            lambda one: one.more or "over 100,000",
        ),
        (Column("needed without errors", "count"), "needed"),
        (Column("AURC", "value", "risk-coverage curve"), "aurc"),
    )
    return table_of("test", [found], parts)


def _replay(found: Row) -> Table:
    """The cascade, the expensive judge alone and the cheap judge alone, on the same answers."""
    price = "USD per 1,000 answers"
    names = ("cascade", f"{_named(found, found.to)} alone", f"{_named(found, found.cheap)} alone")
    rows = zip(REPLAYED, names, strict=True) if found.replay and found.replay["n"] else ()
    paid = found.cost
    parts = (
        ("same answers", lambda row: row[1]),
        (Column("answers", "count"), lambda _: found.replay["n"]),
        (Column("exact agreement", "share"), lambda row: found.replay[row[0]]["exact"]),
        (
            Column("recall of failing answers", "share"),
            lambda row: found.replay[row[0]]["failure_recall"],
        ),
        (
            f"{price} (simulated)" if found.simulated else price,
            lambda row: None if paid.get(row[0]) is None else dollars(paid[row[0]]),
        ),
    )
    return table_of("replay", rows, parts)


def _named(found: Row, judge: str) -> str:
    return named(judge, judge in found.simulated)
