"""Criteria of metrics: what a metric is compared with that is named for none of the annotators'."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from concord.importing.proposals import name_words as known
from concord.importing.proposals.proposal import Doubt, GradeColumn
from concord.messages import said


def compared(
    grades: Sequence[GradeColumn], keys: Mapping[str, Sequence[str]], also: str = ""
) -> tuple[list[GradeColumn], list[Doubt]]:
    """Propose the annotators' only criterion, or their overall one, for such metrics.

    What a metric is compared with, or that it is compared with nothing, is stated in a doubt of the
    field `criterion`, which need not be settled.

    Args:
        grades: The columns of grades.
        keys: The keys under the paths with a placeholder.
        also: Another criterion that annotators graded; `''` for none.
    """
    theirs = {one.criterion for one in grades if one.kind in ("annotator", "mean")}
    theirs |= {also} if also else set()
    alone = [one for one in grades if one.kind == "metric" and _is_alone(one, keys, theirs)]
    if not theirs or not alone or any("{" in one for one in theirs):
        return [*grades], []
    only = "overall" if len(theirs) > 1 else min(theirs)
    if only not in theirs:
        why = said(
            "no annotator graded what these metrics are named for, so they are compared with "
            "nothing. To compare one, map it to a criterion of theirs, as in --map “{word}”",
            word=replace(alone[0], criterion=min(theirs)).text,
        )
        return [*grades], [_doubt(alone, why)]
    why = said(
        "no annotator graded what these metrics are named for, so they are compared with {only}. "
        "To keep one apart, map it to a criterion of its own, as in --map “{word}”",
        only=only,
        word=alone[0].text,
    )
    found = [replace(one, criterion=only) if one in alone else one for one in grades]
    return found, [_doubt(alone, why)]


def _doubt(metrics: Sequence[GradeColumn], why: str) -> Doubt:
    return Doubt("criterion", tuple(one.column for one in metrics), why)


def _is_alone(metric: GradeColumn, keys: Mapping[str, Sequence[str]], theirs: set[str]) -> bool:
    """True where annotators graded nothing that a metric is called, under each of its keys."""
    names = keys.get(metric.column, (metric.criterion,))
    return not theirs.intersection(*[{*names, *(known.slug(known.words(n)) for n in names)}])
