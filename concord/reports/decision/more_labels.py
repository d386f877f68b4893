"""More labels: how many further questions, and so answers, a verdict needs, as a range.

The error depends on the number of questions (documents, where several share one), so they come
first; equal ends of a range are printed once.

The answers labelled so far stay. Those to come are simulated with the procedure that decides, at
the look that follows those already taken (`further_questions`). Of those to come it is assumed that
the judge does as well as the reference judge: a difference found on few questions is mostly chance,
and planning with it promises too much.
"""

import math

from concord.reports.decision.looks import Look
from concord.reports.decision.results import (
    CANNOT_TELL,
    SETTLED,
    Judged,
    MoreLabels,
    Verdicts,
    per_question,
)
from concord.reports.panel.decision_conditions import BY_KEY
from concord.stats.core.estimate import Reason, Why, reason
from concord.stats.decision.conditions import REFERENCE, ProcedureTerms
from concord.stats.intervals.group_sequential import LOOKS_AT_MOST
from concord.stats.planning.further_questions import Looked, further_questions

NO_LOOK = reason("all_looks_spent")
ALL_GRADED = reason("all_planned_questions_graded")
ALL_DOCUMENTS = reason("all_planned_documents_graded")
NO_END = reason("more_than_100_000_questions")


def more_labels(
    judged: Judged, found: Verdicts, terms: ProcedureTerms, look: Look, planned: int
) -> MoreLabels:
    """Return the range for one judge.

    Args:
        judged: The judge.
        found: All of them, with their grades.
        terms: Of the decision.
        look: This one.
        planned: Questions planned; more than these count as if they had been planned.
    """
    if judged.verdict != CANNOT_TELL:
        return _none(SETTLED)
    if look.number >= LOOKS_AT_MOST:
        return _none(NO_LOOK)
    tested = judged.p is not None
    if tested and found.clusters >= planned:
        return _none(ALL_GRADED if found.clusters == found.questions else ALL_DOCUMENTS)
    spent = look.shares if tested else ()
    place = next(n for n, one in enumerate(found.judges) if one is judged)
    forecast = further_questions(found.grades, place, terms, Looked(spent, planned))
    if forecast.why_none:
        return _none(forecast.why_none)
    if forecast.low is None or forecast.high is None:
        # The reference judge is compared with none, so of it that condition would mislead.
        of_itself = not place and forecast.blocked == REFERENCE
        why = NO_END if of_itself else _blocked(forecast.blocked)
        # What is planned of a candidate may be worse than what it has reached so far.
        if place:
            why = reason("as_good_as_reference", why=why)
        return _none(why)
    return MoreLabels(*(math.ceil(end * per_question(found)) for end in forecast[:2]))


def _blocked(condition: str | None) -> Reason:
    """Why no number of labels suffices, by the condition that holds least often."""
    words = BY_KEY.get(condition)
    return words.no_labels or NO_END if words else NO_END


def _none(why: Why) -> MoreLabels:
    return MoreLabels(None, None, why)
