"""A new grading set: its answers, its annotators and its blocks."""

from typing import NamedTuple

import streamlit as st

from concord.clock import day_of
from concord.grading import adjudications, assignments, campaigns, grading_sets
from concord.grading import annotators as pauses
from concord.grading.assignments import Progress
from concord.grading.grading_sets import (
    BLOCK_SIZE,
    FIRST_QUESTIONS,
    REPEAT_SHARE,
    AnnotatorWorkload,
    GradingSet,
)
from concord.importing import default_rubric
from concord.messages import Problem, counted, duration, extent, joined, said
from concord.model import Sheet
from concord.reports.panel import unit_words
from concord.reports.units import decomposition
from concord.rubrics.model import Rubric, of_units
from concord.samples.load import answers_in
from concord.stats.core.minimums import ANSWERS_FLOOR
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui.frame import remember
from concord.ui.language import language, plain, say
from concord.ui.widgets import action_button, next_screen_link, number_field


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


MOST_IN_A_BLOCK = 200
TYPICAL_S = 60  # seconds per answer, until annotators' own pace is known
_RANDOM = "A random sample"
_NO_POOL = (
    "Gold and training items come from the few-shot pool, which is empty. To use them, move some "
    "questions there under Splits before you create this set."
)


def form(store: Store, sheet: Sheet, sets: list[GradingSet]) -> None:
    """Make a set; says what it will ask of an annotator before it is made."""
    key = f"sets.new.{sheet.id}"
    name = st.text_input(
        say("Name"), grading_sets.next_name(sets), max_chars=80, key=f"{key}.name.{len(sets)}"
    ).strip()
    names = [*rubric_versions.names(store), *of_units()]
    words = unit_words.called(store, names)
    rubric = st.selectbox(
        say("Rubric"),
        names,
        names.index(default_rubric.proposed_for_set(store, sheet)),
        key=f"{key}.rubric",
        format_func=lambda one: say(joined("", [words[one]])),  # a title is data
    )
    try:
        there = len(grading_sets.drawable(store, sheet.id))
    except Problem as problem:
        st.info(plain(str(problem)))
        return
    questions = _size(there, key)
    if questions is None and there == sheet.questions:
        st.caption(say(_NO_POOL))
        next_screen_link("pages/splits.py", said("Go to Splits"))
    elif rubric not in of_units():  # which have neither
        st.caption(say("Add gold and training items in the new set."))
    seed, size, repeated = _fine(sheet, key)
    first = answers_in(store, sheet, language())
    asked = grading_sets.preview(store, sheet.id, questions, seed, size, repeated, first)
    if rubric in of_units():
        _meaning_of_units(of_units()[rubric], asked)
    else:
        _meaning(asked, _pace(store, sets))
    why = None if name else say("Name the grading set first.")
    make = say("Create grading set")
    if action_button(make, why, type="primary", key="sets.make"):
        rubric_id, _ = rubric_versions.named(store, rubric)
        made = grading_sets.create(
            store, sheet.id, rubric_id, name, questions, seed, size, repeated, first
        )
        decomposition.by_rule(store, made)
        st.rerun()


def offer_first(store: Store, sheet: Sheet) -> None:
    """Offer to grade a first set at once, in the usual size under the sheet's rubric."""
    rubric = default_rubric.proposed_for_set(store, sheet)
    try:
        there = len(grading_sets.drawable(store, sheet.id))
    except Problem as problem:
        st.info(plain(str(problem)))
        return
    whole = there <= FIRST_QUESTIONS
    with st.container(border=True):
        st.header(say("Grade a first set"), anchor=False)
        st.write(plain(_first(sheet, there, rubric, whole)))
        if st.button(
            say("Start grading"), type="primary", icon=":material/play_arrow:", key="grader.first"
        ):
            rubric_id, _ = rubric_versions.named(store, rubric)
            made = grading_sets.create(
                store,
                sheet.id,
                rubric_id,
                grading_sets.next_name([]),
                None if whole else FIRST_QUESTIONS,
                sheet.seed(),
                first=answers_in(store, sheet, language()),
            )
            remember(set=made.id)
            st.rerun()
        st.page_link(
            "pages/annotate.py", label=say("Choose rubric and size"), icon=":material/tune:"
        )


def _first(sheet: Sheet, there: int, rubric: str, whole: bool) -> str:
    return said(
        "All {n:,} questions of “{sheet}” with all their answers, in random order, graded by the "
        "rubric {rubric}. One answer in ten is repeated later, unmarked, to measure how consistent "
        "your grades are."
        if whole
        else "{n:,} questions of “{sheet}” with all their answers, sampled at random and in random "
        "order, graded by the rubric {rubric}. One answer in ten is repeated later, unmarked, "
        "to measure how consistent your grades are.",
        n=there if whole else FIRST_QUESTIONS,
        sheet=sheet.name,
        rubric=rubric,
    )


def _size(there: int, key: str) -> int | None:
    """Return the number of questions to sample; None for the whole sheet."""
    whole = said("The whole sheet ({questions})", questions=counted(there, "question"))
    sizes = [whole, _RANDOM]
    small = there <= FIRST_QUESTIONS
    chosen = st.radio(
        say("Answers to grade"),
        sizes,
        index=0 if small else 1,
        key=f"{key}.size.{there}",
        format_func=say,
        horizontal=True,
    )
    if chosen == sizes[0]:
        return None
    first = min(FIRST_QUESTIONS, there)
    return number_field(say("Questions"), 1, there, first, key=f"{key}.questions.{there}")


def _fine(sheet: Sheet, key: str) -> tuple[int, int, float]:
    """The seed, how many answers a block has, and the share of them that comes back hidden."""
    with st.expander(say("Seed, blocks and hidden repeats"), icon=":material/tune:"):
        seed = number_field(
            say("Seed"),
            0,
            999_999,
            sheet.seed(),
            key=f"{key}.seed",
        )
        size = number_field(
            say("Answers per block"),
            1,
            MOST_IN_A_BLOCK,
            BLOCK_SIZE,
            key=f"{key}.block",
        )
        percent = st.slider(
            say("Hidden repeats, in %"),
            0,
            30,
            round(100 * REPEAT_SHARE),
            key=f"{key}.repeats",
        )
    return int(seed), int(size), percent / 100


def _pace(store: Store, sets: list[GradingSet]) -> float | None:
    """Return the median seconds per answer of this sheet's annotators; None where unknown."""
    paces = sorted(p.pace for one in sets for p in annotators(store, one) if p.pace)
    return paces[len(paces) // 2] if paces else None


def _meaning_of_units(rubric: Rubric, work: AnnotatorWorkload) -> None:
    asked = said(
        "Each annotator goes through {answers} and grades the {parts} of each one by one.",
        answers=counted(work.answers, "answer"),
        parts=decomposition.source(rubric.units).plural,
    )
    made = said(
        "They are created immediately."
        if decomposition.is_by_rule(rubric.units)
        else "A metric judge splits answers into parts."
    )
    kept = said("Annotators do not get an answer before it has been split.")
    st.info(say(joined(" ", [asked, made, kept])), icon=":material/schedule:")


def _meaning(asked: AnnotatorWorkload, pace: float | None) -> None:
    hours = (asked.answers + asked.repeats) * (pace or TYPICAL_S) / 3600
    source = (
        said("at the annotators' pace so far")
        if pace
        else said("at {n} seconds per answer", n=TYPICAL_S)
    )
    gets = said(
        "Each annotator gets {answers} in {blocks} of {size}, {repeats} of them twice: about "
        "{hours:.1f} hours {source}.",
        answers=counted(asked.answers, "answer"),
        blocks=counted(len(asked.blocks), "block"),
        size=extent(asked.blocks),
        repeats=asked.repeats,
        hours=hours,
        source=source,
    )
    st.info(say(gets), icon=":material/schedule:")
    if asked.answers < ANSWERS_FLOOR:
        words = said("Alerts take {least} graded answers of an annotator.", least=ANSWERS_FLOOR)
        st.caption(plain(words))
