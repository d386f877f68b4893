"""Annotators that count among the graders of a sheet, and why the others do not."""

from collections.abc import Iterable

from concord.messages import Problem, joined, said
from concord.model import Grader
from concord.stats.core.estimate import Reason, reason

AUTHOR = "author"
REPLACED = reason("annotator_replaced")
NOT_CHOSEN = reason("annotator_not_chosen")
PENDING = reason("annotator_pending")
MEAN = reason("annotator_is_mean")


def counting(
    persons: Iterable[Grader], names: tuple[str, ...] | None = None
) -> tuple[dict[int, Grader], dict[str, Reason]]:
    """Return the annotators that count, by grader id, and the reason by name for each excluded one.

    Simulated annotators count until someone other than the sample's author has graded. `names`
    restricts to those named, simulated or not; a Problem where one of them graded nothing. A mean
    of annotators is no annotator, and a pending annotator counts only once accepted.
    """
    annotators = {person.id: person for person in persons if person.kind == "person"}
    if names:
        _check(names, annotators)
        out, why = [p for p in annotators.values() if p.name not in names], NOT_CHOSEN
    else:
        real = any(
            not p.simulated and not p.pending and p.name != AUTHOR for p in annotators.values()
        )
        out, why = [p for p in annotators.values() if real and p.simulated], REPLACED
    excluded = {p.name: why for p in out}
    for person in annotators.values():
        if person.pending:
            excluded[person.name] = PENDING
        elif person.is_mean and person not in out:
            excluded[person.name] = MEAN
    return {i: p for i, p in annotators.items() if p.name not in excluded}, excluded


def _check(names: tuple[str, ...], annotators: dict[int, Grader]) -> None:
    known = {person.name for person in annotators.values()}
    for name in names:
        if name not in known:
            listed = joined(", ", sorted(known)) or said("none")
            found = {"name": name, "annotators": listed}
            raise Problem(
                "“{name}” has graded nothing here. These annotators have: {annotators}.", **found
            )
    for person in annotators.values():
        if person.name in names and person.pending:
            raise Problem(
                "“{name}” is pending: fewer than 10 graded answers and not accepted yet. Accept "
                "the annotator with “graders accept NAME”, or under Agreement, Annotators.",
                name=person.name,
            )
