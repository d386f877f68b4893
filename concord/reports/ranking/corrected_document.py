"""The document of corrected figures: the answering models by judges without the judges' bias."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from concord.messages import capital, counted, joined, quoted, said
from concord.reports.cells import reasons
from concord.reports.document import Column, Document, Part, Table, table_of
from concord.reports.panel.simulated import named
from concord.reports.ranking.corrected import (
    DRAW,
    DRAW_FIRST,
    RATES,
    Corrected,
    JudgeCorrected,
)

_METHODS = {
    DRAW: said("by random sample (PPI++)"),
    RATES: said("by error rates"),
}
_HEADLINES = {
    "certain": said("Corrected for bias, {judge} ranks {order}"),
    "open": said("Corrected for bias, {judge} ranks {order}, but not every step is certain"),
    "one": said("Corrected for bias, {judge} has a figure for only one answering model: {order}"),
    "none": said("Not corrected {method}: {why}"),
    "several": said("{n} of {judges} corrected {method}: {what}"),
}
_ASSUMES = {
    DRAW: said("Valid whatever the judge does, since annotators graded a random sample."),
    RATES: said("Assumes the same error rates for every answering model."),
}
_PASSED = said(
    "Uncorrected and corrected figures exclude {answers} graded before the sample was drawn, "
    "because the sample may have skipped such answers."
)
_INTERVALS = said("{what}, corrected {method}. 95% CI each.")
_OF_SETS = said("{what}, corrected {method}; sampled in {sets}. 95% CI each.")
_SEVERAL = said("the reasons differ by judge")
_RESULTS = {True: said("certain"), False: said("inconclusive")}


def document(found: Corrected, judge: str | None = None) -> Document:
    """Return what is shown of the corrected figures of all judges, or of one by its label."""
    judges = [one for one in found.judges if judge in (None, one.judge)]
    return Document(
        _headline(found, judges),
        tuple(_facts(found, judges)),
        (_models(found, judges), _pairs(found, judges), _reasons(judges)),
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
            _HEADLINES["several"],
            method=_METHODS[found.how],
            what=found.what,
            n=len(done),
            judges=counted(len(judges), "judge"),
        )
    if not done:
        why = {found.why_none} if found.why_none else {one.reason for one in judges}
        why = why.pop() if len(why) == 1 else _SEVERAL
        return said(_HEADLINES["none"], method=_METHODS[found.how], why=why)
    (one,) = done
    known = [model.answer_model for model in one.models if model.corrected.value is not None]
    steps = {(pair.above, pair.below): pair.certain for pair in one.pairs}
    certain = all(steps.get(step) for step in pairwise(known))
    return said(
        _HEADLINES["one" if len(known) < 2 else "certain" if certain else "open"],
        judge=named(one.judge, one.simulated),
        order=" > ".join(known),
    )


def _nothing(judges: Sequence[JudgeCorrected]) -> bool:
    return all(one.reason for one in judges)


def _facts(found: Corrected, judges: Sequence[JudgeCorrected]) -> Iterable[str]:
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
_JUDGE: Part = (Column(said("judge")), lambda pair: named(pair[0].judge, pair[0].simulated))


def _models(found: Corrected, judges: Iterable[JudgeCorrected]) -> Table:
    """Return raw and corrected means; the annotators' own for a judge without correction."""
    kind, _ = found.kinds
    graded = said("graded in the sample") if found.how == DRAW else said("graded by annotators")
    parts = [
        _JUDGE,
        (Column(said("answering model")), lambda pair: pair[1].answer_model),
        (Column(said("uncorrected"), kind), lambda pair: pair[1].raw),
        (Column(said("corrected"), kind, "corrected"), lambda pair: pair[1].corrected),
        (Column(said("answers"), "count"), lambda pair: pair[1].n),
        (Column(graded, "count"), lambda pair: pair[1].graded),
    ]
    if found.how == RATES:
        parts.append((Column(said("annotators' own"), kind), lambda pair: pair[1].own))
    models = ((one, model) for one in judges for model in one.models)
    shown = (pair for pair in models if not pair[0].reason or pair[1].own)
    return table_of("corrected", shown, parts, capital(found.what))


def _pairs(found: Corrected, judges: Iterable[JudgeCorrected]) -> Table:
    _, kind = found.kinds
    parts = (
        _JUDGE,
        (Column(said("above")), lambda pair: pair[1].above),
        (Column(said("below")), lambda pair: pair[1].below),
        (Column(said("corrected difference"), kind), lambda pair: pair[1].corrected),
        (Column(said("uncorrected difference"), kind), lambda pair: pair[1].raw),
        (
            Column(said("result")),
            lambda pair: None if pair[1].corrected.value is None else _RESULTS[pair[1].certain],
        ),
    )
    pairs = ((one, pair) for one in judges for pair in one.pairs)
    return table_of("pairs", pairs, parts, said("Differences between answering models"))


def _reasons(judges: Sequence[JudgeCorrected]) -> Table:
    """Return why a judge, or one of its answering models, is not corrected."""
    columns = (
        Column(said("judge")),
        Column(said("answering model")),
        Column(said("not corrected because")),
    )
    rows = []
    for one in judges:
        judge = named(one.judge, one.simulated)
        if one.reason:
            rows.append((judge, said("all"), one.reason))
            continue
        lacking = (model for model in one.models if model.corrected.value is None)
        rows += [(judge, model.answer_model, model.corrected.why_none) for model in lacking]
    alone = len(judges) == 1 and judges[0].reason  # the headline says it
    return Table("reasons", columns, () if alone else tuple(rows))
