"""Metric words: the words that metrics keep as screens say them, and caveats of a mean."""

from collections import Counter
from collections.abc import Sequence

from concord import metrics
from concord.language.grade_statuses import status_words
from concord.messages import Said, counted, joined, said, short
from concord.reports.metrics.metric_records import Record

_KNOWN = {
    one: one
    for one in (
        # switches
        *(said("balance"), said("contexts"), said("distance"), said("duplicates"), said("figure")),
        *(said("facts to likeness"), said("letters"), said("noncommittal")),
        *(said("questions"), said("smoothing"), said("support"), said("threshold")),
        said("unclear"),
        # their choices
        *(said("balanced"), said("precision counts double"), said("recall counts double")),
        *(said("together"), said("one by one"), said("once"), said("all")),
        *(said("any"), said("majority"), said("never"), said("dropped")),
        *(said("folded"), said("verbatim"), said("halving"), said("add one")),
        *(said("none"), said("strict"), said("lenient"), said("retrieved"), said("listed")),
        *(said("in the text"), said("facts alone"), said("3 to 1"), said("1 to 1")),
        # flags
        *(said("nothing retrieved"), said("no relevant"), said("duplicates folded")),
        *(said("first reference only"), said("reference claims nothing"), said("altered")),
        *(said("insufficient information"), said("one question only")),
        *(said("fewer questions"), said("more questions")),
        # other numbers that come with a metric
        *(said("precision"), said("recall"), said("contradicted"), said("likeness"), said("facts")),
        *(said("share useful"), said("wrong"), said("score"), said("best chunk")),
        *(said("mean over references"), said("likeness of the questions")),
        # which way is better
        *(said("higher"), said("lower")),
    )
} | {
    "each": short("each", said("each of them")),
    "found": short("found", said("where an entity is found")),
    "kept": short("kept", said("unclear guesses count")),
    "only": short("only", said("which answers count")),
    "over": short("over", said("over which metrics")),
    "words": short("words", said("words alone")),
}

# What a run keeps of an item for each thing that it lacks, joined by “and”; these are too short to
# recognise by their templates.
_LACKS = {
    one: one
    for one in (
        said("It has no question."),
        said("It has no answer."),
        said("It has no contexts."),
        said("It has no reference answer."),
        said("It has no reference contexts."),
        said("It has only the whole document, no retrieved contexts."),
        said("It has contexts without ids."),
        said("It has no ids of the relevant documents."),
        said("It has no earlier turns."),
        said("It has no rubric given in the sheet."),
    )
}


def word(stored: str) -> str:
    """Return a switch, choice, flag or part in words; the user's own ones unchanged."""
    spoken = stored.replace("_", " ")
    return _KNOWN.get(spoken, spoken)


def reason(stored: str) -> Said:
    """Return the stored reason of a value in words; a model's own words are unchanged."""
    lacks = stored.removeprefix("It has ").removesuffix(".").split(" and ")
    known = [_LACKS.get(f"It has {one}.") for one in lacks]
    return joined(" ", known) if all(known) else said(stored)


def better(metric: str) -> str:
    """Return `higher` or `lower`, the better direction of a metric; '' where its file is gone."""
    found = metrics.available().get(metric)
    return found.better if found else ""


# The share of what was retrieved that is right says nothing where always as many are retrieved.
OF_RETRIEVED = ("document_precision", "context_precision_by_ids", "document_f1")


def notes(records: Sequence[Record]) -> list[str]:
    """Return sentences on the records of one metric: flags, and what a mean hides."""
    scored = [one for one in records if one.value is not None]
    return [*_fixed(scored), *_flagged(scored)]


def left_out(records: Sequence[Record], items: int) -> list[str]:
    """Return why answers have no value, each reason with its count, most frequent first."""
    whys = Counter((one.status, one.reason) for one in records if one.value is None)
    rest = items - len(records)
    return [
        said("{n:,} {status}: {why}", n=n, status=status_words(status), why=reason(why))
        for (status, why), n in whys.most_common()
    ] + ([said("{n:,} not requested yet", n=rest)] if rest else [])


def _fixed(scored: Sequence[Record]) -> list[str]:
    sizes = {one.units for one in scored}
    if not scored or scored[0].metric not in OF_RETRIEVED or len(sizes) > 1 or len(scored) < 2:
        return []
    size = sizes.pop()
    return [
        said(
            "Fixed k: {size:,} are retrieved each time, regardless of how many are relevant, so "
            "this cannot distinguish retrievers by how much they return. Read it together with "
            "recall.",
            size=size,
        )
    ]


def _flagged(scored: Sequence[Record]) -> list[str]:
    flags = Counter(flag for one in scored for flag in one.flags)
    return [
        said(
            "{flag}: {n:,} of {answers}.",
            flag=word(flag),
            n=n,
            answers=counted(len(scored), "answer"),
        )
        for flag, n in flags.most_common()
    ]
