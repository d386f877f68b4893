"""The annotators of a grading set: how far each is, and who is paused."""

from typing import NamedTuple

import streamlit as st

from concord.clock import day_of
from concord.grading import adjudications, assignments, campaigns, grading_sets
from concord.grading import annotators as pauses
from concord.grading.assignments import Progress
from concord.grading.grading_sets import GradingSet
from concord.messages import counted, duration, joined, said
from concord.reports.units import decomposition
from concord.rubrics.model import Rubric
from concord.stats.core.minimums import ANSWERS_FLOOR
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui.language import plain, say


class Person(NamedTuple):
    """One grader of a set: how far, when last, the median seconds per answer, whether gone.

    `paused` is since when; None for one who may grade. `to_adjudicate` counts the answers of the
    sheet that are left to adjudicate.
    """

    name: str
    progress: Progress
    graded_at: str | None
    pace: float | None
    gone: bool = False
    paused: str | None = None
    to_adjudicate: int = 0


def annotators(store: Store, grading_set: GradingSet) -> list[Person]:
    """Return the graders of a set by name, never by how much or how fast they grade.

    Who has nothing to grade in a campaign is among them only with answers left to adjudicate, be it
    as one who left.
    """
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    versions = list(rubric.versions().values())
    begun = {row["id"]: row for row in assignments.annotators(store, grading_set.id)}
    asked = {row["id"]: row for row in grading_sets.of_set(store, grading_set.id)}
    here = assignments.everyone(store, grading_set.id)
    held = adjudications.assigned_of_sheet(store, grading_set.sheet_id, versions).items()
    gone = {
        grader_id: {"name": one.annotator}
        for grader_id, one in held
        if one.left and campaigns.has_left(store, grading_set, grader_id)
    }
    found = []
    for grader_id, row in sorted((gone | asked | begun).items(), key=lambda one: one[1]["name"]):
        to_adjudicate = adjudications.left_of(store, grader_id, grading_set.sheet_id)
        if grader_id in here or to_adjudicate:
            person = Person(
                row["name"],
                assignments.done(store, grading_set, grader_id, versions),
                begun[grader_id]["graded_at"] if grader_id in begun else None,
                assignments.pace(store, grader_id),
                campaigns.has_left(store, grading_set, grader_id),
                pauses.paused_since(store, grader_id),
                to_adjudicate,
            )
            found.append(person)
    return found


def progress_line(person: Person) -> None:
    """Show an annotator's progress, last activity, and the time left or the pause."""
    done, total = person.progress
    open_cases = [adjudications.left_words(person.to_adjudicate)] if person.to_adjudicate else []
    if person.gone:
        words = said(
            "{name}: removed from the set; {done:,} graded, and kept", name=person.name, done=done
        )
        st.write(plain(joined(" · ", [words, *open_cases])))
        return
    parts = []
    if total or not open_cases:
        parts.append(said("{done:,} of {total:,}", done=done, total=total))
    if person.graded_at:
        parts.append(said("last on {day}", day=day_of(person.graded_at)))
    left = (total - done) * (person.pace or 0)
    parts += open_cases
    if person.paused:
        parts.append(said("paused since {day}", day=day_of(person.paused)))
    elif left >= 60:
        parts.append(said("about {time} left", time=duration(left)))
    words = said("{name}: {what}", name=person.name, what=joined(" · ", parts))
    st.progress(done / max(1, total), plain(words))


def too_few_answers(answers: int) -> None:
    """Say of a set that it is too small for alerts on its annotators."""
    if answers < ANSWERS_FLOOR:
        words = said("Alerts take {least} graded answers of an annotator.", least=ANSWERS_FLOOR)
        st.caption(plain(words))


def graded_otherwise(store: Store, grading_set: GradingSet) -> int:
    """Return the number of a set's answers graded by annotators who did not begin it."""
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    return assignments.graded_otherwise(
        store, grading_set.id, list(rubric_versions.criteria(store, rubric))
    )


def units_ready(store: Store, grading_set: GradingSet, rubric: Rubric) -> None:
    """Show how many answers of a set graded by units are decomposed, and what the others lack."""
    if not rubric.units:
        return
    taken = assignments.decomposition_progress(store, grading_set.id, rubric.units)
    ready = said("{answers} can be graded by unit.", answers=counted(taken.ready, "answer"))
    st.write(say(joined(" ", [ready, decomposition.sentence(rubric.units, taken)])))
