"""Disagreements in words: number tagged, meaning of the causes, and exclusions from the list."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from concord.grading.disagreement_causes import CAUSES
from concord.language.grade_statuses import reason
from concord.messages import counted, joined, said
from concord.reports.disagreements.disagreements import DisagreementFilter
from concord.reports.panel.panel import Panel
from concord.reports.panel.reference_standard import EACH, NOBODY, NOT_BLIND, reference


def sentence(found: Counter, total: int) -> str:
    """Return how many are tagged and with what, as in “14 of 40 tagged: 9 rubric unclear”."""
    tagged = found.total()
    if not total:
        return said("This list contains no disagreements.")
    if not tagged:
        return said("{total}, none tagged yet.", total=counted(total, "disagreement"))
    causes = [
        said("{count} {cause}", count=count, cause=CAUSES[cause])
        for cause, count in found.most_common()
    ]
    return said(
        "{tagged} of {total:,} tagged: {causes}.",
        tagged=tagged,
        total=total,
        causes=joined(", ", causes),
    )


def meaning(found: Counter) -> str:
    """Return what to do about the causes; '' under five tags, which are too few.

    Working worst first does not tag a random sample, so no share of the total is claimed.
    """
    tagged = found.total()
    if tagged < ENOUGH:
        return ""
    (cause, count), *_ = found.most_common(1)
    if 2 * count <= tagged:
        return said("No single cause explains most of the tagged disagreements.")
    return said("Most common cause: {remedy}", remedy=_REMEDIES[cause])


def left_out(panel: Panel, wanted: DisagreementFilter) -> str:
    """Return a sentence per reason why answers or grades are not in the list; '' without any."""
    judges = [wanted.judge] if wanted.judge is not None else list(panel.judges)
    names = [criterion.name for criterion in panel.rubric.criteria]
    wanting = [wanted.criterion] if wanted.criterion else names
    found = _without_reference(panel, wanting)
    given = [panel.numbers(name, judge) for judge in judges for name in wanting]
    unscored = [one.status > 0 for one in given]  # continuous grades have a note of their own
    annotators = [panel.of(name, person) for person in panel.annotators for name in wanting]
    seen = [one.scored & ~one.blind for one in annotators]
    notes = [_excluded(counted(count, "answer"), reason(why)) for why, count in found.items()]
    without, late = (
        sum(int(np.sum(mask & panel.open)) for mask in masks) for masks in (unscored, seen)
    )
    grades = ((without, said("no score")), (late, said("given after seeing the judges")))
    notes += [_excluded(counted(count, "grade"), why) for count, why in grades if count]
    return joined(" ", notes)


def _without_reference(panel: Panel, names: Sequence[str]) -> Counter[str]:
    """Count the answers without an annotator's score on any of the criteria, by reason.

    Grades given after seeing the judges are counted as grades.
    """
    whys = [reference(panel, name, EACH).why for name in names]
    lacks = np.all([why != "" for why in whys], axis=0)
    found = Counter(whys[0][lacks].tolist())
    del found[NOT_BLIND]
    return found if panel.annotators else found - Counter({NOBODY: found[NOBODY]})


def _excluded(what: str, why: str) -> str:
    return said("Left out: {what} ({why}).", what=what, why=why)


ENOUGH = 5
_REMEDIES = {
    "judge_wrong": said(
        "the judge misreads the rubric. Change its prompt or give it examples from the few-shot "
        "pool."
    ),
    "person_wrong": said(
        "annotators made mistakes. Their grades are kept; the same annotators may regrade these "
        "answers."
    ),
    "rubric_unclear": said(
        "the rubric is unclear. Reword the criterion before changing the judge; "
        "what must then be graded again can be listed."
    ),
    "bad_question": said(
        "question or context is faulty. Correct the sheet; no judge can do better on these answers."
    ),
    "both_defensible": said(
        "both scores are defensible. The criterion is ambiguous, which limits agreement."
    ),
}
