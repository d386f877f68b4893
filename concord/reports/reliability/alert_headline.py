"""The headline over annotator cards: who has an alert, and whose agreement is not tested.

Without the second, “no alert” would reassure about annotators whose agreement was never tested.
"""

from collections.abc import Sequence
from typing import NamedTuple

from concord.messages import Said, counted, joined, said, small
from concord.reports.reliability.annotator_cards import AnnotatorCard
from concord.stats.core.minimums import ANNOTATOR_FLOOR, GOLD_FLOOR, REPEAT_FLOOR, TIMED_FLOOR


class Untested(NamedTuple):
    """How many annotators there are to test, whose agreement is not tested, and never will be.

    `never` is of `untested`: what is assigned does not suffice.
    """

    annotators: int
    untested: int
    never: int


def headline(found: Sequence[AnnotatorCard], raised: Sequence[str]) -> Said:
    """Return the headline; `raised` are the names of those who have an alert and still grade."""
    alerts, of = _alerts(found, raised), _untested(found)
    none_tested = of.untested == of.annotators
    if not of.untested or not (_has_tests(found) or of.never == of.annotators):
        return alerts  # which says already that there is nothing to compare yet
    parts = (alerts, _agreement(of)) if raised or not none_tested else (_agreement(of), alerts)
    return joined("; ", [parts[0], small(parts[1])])


def detail(found: Sequence[AnnotatorCard]) -> Said:
    """Return what an alert means or requires, and what the headline has no room for."""
    of = _untested(found)
    never = said("{sentence}.", sentence=_never(of)) if 0 < of.never < of.untested else ""
    meaning = _meaning() if _has_tests(found) else _requirement()
    return joined(" ", [never, meaning])


def _meaning() -> Said:
    return said("An alert is a reason to read the answers. It excludes no grade.")


def _requirement() -> Said:
    return said(
        "Alerts need grades to compare: three annotators with {n} shared answers, or of an "
        "annotator {gold} gold items, {repeats} hidden repeats or {timed} timed answers.",
        n=ANNOTATOR_FLOOR,
        gold=GOLD_FLOOR,
        repeats=REPEAT_FLOOR,
        timed=TIMED_FLOOR,
    )


def _alerts(found: Sequence[AnnotatorCard], raised: Sequence[str]) -> Said:
    if raised:
        return said("Annotators with an alert: {names}", names=joined(", ", raised))
    if not _has_tests(found):
        return said("No alert can be computed yet")
    if any(one.alerts for one in found):
        return said("No annotator who still grades has an alert")
    return said("No annotator has an alert")


def _agreement(of: Untested) -> Said:
    if of.never == of.annotators:
        return said("Agreement cannot be tested")
    if of.untested == of.annotators:
        return said("Agreement is not tested yet")
    if of.never == of.untested:
        return _never(of)
    return said(
        "Agreement of {n} of {annotators} is not tested",
        n=of.untested,
        annotators=counted(of.annotators, "annotator"),
    )


def _never(of: Untested) -> Said:
    return said(
        "Agreement of {n} of {annotators} cannot be tested",
        n=of.never,
        annotators=counted(of.annotators, "annotator"),
    )


def _untested(found: Sequence[AnnotatorCard]) -> Untested:
    """Count those who have grades, or have some to give; nothing more comes of who was removed."""
    left = [one for one in found if not one.removed]
    people = [one for one in left if one.measured.signals or (one.testable and not one.paused)]
    untested = [one for one in people if not one.agreement_tested]
    never = [one for one in untested if one.testable and not one.testable.agreement]
    return Untested(len(people), len(untested), len(never))


def _has_tests(found: Sequence[AnnotatorCard]) -> bool:
    return any(one.measured.tests for one in found)
