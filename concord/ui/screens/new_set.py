"""A new grading set: its questions, who grades them, how many each answer and by when."""

from collections import Counter
from typing import Any

import streamlit as st

from concord.grading import assignments, campaigns, grading_sets
from concord.grading.grading_sets import BLOCK_SIZE, REPEAT_SHARE, GradingSet
from concord.importing import grade_scales
from concord.messages import Problem, counted, duration, extent
from concord.model import Sheet
from concord.reports.panel import wording
from concord.reports.units import decomposition
from concord.rubrics.model import of_units
from concord.samples.load import answers_in
from concord.store import graders
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui.actions import refusals
from concord.ui.frame import remember
from concord.ui.language import language, plain
from concord.ui.widgets import action_button, number_field

SECONDS = 60  # per answer, until annotators' own pace is known


def form(store: Store, sheet: Sheet, sets: list[GradingSet]) -> None:
    """Make a set, with its campaign where annotators are named."""
    try:
        drawable = grading_sets.drawable(store, sheet.id)
    except Problem as problem:
        st.info(plain(problem))
        return
    key, there = f"sets.new.{sheet.id}", len(drawable)
    names = [*rubric_versions.names(store), *of_units()]
    words = wording.called(store, names)
    left, middle, right = st.columns([2, 3, 1])
    name = left.text_input(
        "Name", grading_sets.next_name(sets), max_chars=80, key=f"{key}.name.{len(sets)}"
    ).strip()
    first = names.index(grade_scales.proposed_for_set(store, sheet))
    rubric = middle.selectbox("Rubric", names, first, key=f"{key}.rubric", format_func=words.get)
    wanted = grading_sets.first_questions(drawable)
    label, at = f"Questions, of {there:,}", f"{key}.questions.{there}"
    questions = int(number_field(label, 1, there, wanted, key=at, place=right))
    above = st.container()
    with st.popover("Seed and hidden repeats", icon=":material/tune:", type="tertiary"):
        seed = int(number_field("Seed", 0, 999_999, sheet.seed(), key=f"{key}.seed"))
        usual = round(100 * REPEAT_SHARE)
        percent = st.slider("Hidden repeats, in %", 0, 30, usual, key=f"{key}.repeats")
    opened = answers_in(store, sheet, language())
    drawn = grading_sets.drawn(store, sheet.id, questions, BLOCK_SIZE, seed, opened)
    with above:
        people, plan = people_fields(store, key, len(drawn.answers), questions)
    st.info(
        workload(store, sets, len(drawn.answers), len(people), plan), icon=":material/schedule:"
    )
    why = None if name else "Name the grading set first."
    if action_button("Create grading set", why, type="primary", key="sets.make"):
        with refusals():
            with store.write():
                rubric_id, _ = rubric_versions.named(store, rubric)
                of = sheet.id, rubric_id, name, questions, seed, BLOCK_SIZE, percent / 100, opened
                made = grading_sets.create(store, *of)
                begin(store, made, people, plan)
            decomposition.by_rule(store, made)
            st.rerun()


def people_fields(
    store: Store, key: str, answers: int, questions: int
) -> tuple[list[str], dict[str, Any]]:
    """Ask who grades, how many each answer and by when; return names and options of a campaign.

    Blocks are proposed for as many people as are named.
    """
    known = [one.name for one in graders.of_kind(store, "person") if not one.simulated]
    left, middle, right = st.columns([3, 1, 1])
    names = left.multiselect(
        "Annotators",
        known,
        accept_new_options=True,
        key=f"{key}.names",
        placeholder="Everyone with the link, or names",
    )
    # Until two are named, the field can only hold 1 and must not keep it: overlap is the default.
    several = len(names) > 1
    at = f"{key}.each" if several else f"{key}.alone"
    each = number_field("Per answer", 1, max(1, len(names)), 1 + several, key=at, place=middle)
    until, shared = due_field(right, f"{key}.until", None), 1.0
    blocks = campaigns.blocks_for(answers, questions, max(1, len(names)))
    if several:
        with st.popover("Blocks and overlap", icon=":material/grid_view:", type="tertiary"):
            at = f"{key}.blocks.{len(names)}.{answers}"
            blocks = number_field("Blocks", 1, max(1, questions), blocks, key=at)
            if each > 1:
                at = f"{key}.shared"
                shared = st.slider("Blocks graded by several, in %", 0, 100, 100, key=at) / 100
    plan = {
        "annotators_per_answer": int(each),
        "shared": shared if each > 1 else 0.0,
        "deadline": until,
        "blocks": int(blocks),
    }
    return names, plan


def due_field(place, key: str, stored: str | None) -> str | None:
    """Ask for a due date: typed, since a picker drops what is typed; `stored` where invalid."""
    typed = place.text_input(
        "Due date", stored or "", key=key, placeholder="YYYY-MM-DD", max_chars=10
    )
    try:
        return campaigns.day(typed)
    except Problem as problem:
        place.error(plain(problem))
        return stored


def workload(
    store: Store, sets: list[GradingSet], answers: int, annotators: int, plan: dict[str, Any]
) -> str:
    """Return what a set asks of each annotator, with the time it takes."""
    people = {person for one in sets for person in assignments.everyone(store, one.id)}
    paces = sorted(pace for one in people if (pace := assignments.pace(store, one)))
    pace = paces[len(paces) // 2] if paces else SECONDS
    if not annotators:
        time = duration(answers * pace)
        return f"{counted(answers, 'answer')}: {time}"
    with_blocks = plan["annotators_per_answer"], plan["shared"], 1
    seats = campaigns.seats_of_blocks(range(plan["blocks"]), *with_blocks)
    own = Counter(campaigns.assigned_annotators(seats, range(annotators), 1).values()).values()
    each = max(own) * answers / plan["blocks"]
    blocks = f"{extent(own)} of {counted(plan['blocks'], 'block')}"
    return f"Per annotator: {each:.0f} answers, {blocks}, {duration(each * pace)}"


def begin(store: Store, made: GradingSet, names: list[str], plan: dict[str, Any]) -> None:
    """Assign a set to the annotators named, if any; inside `write()`."""
    if names:
        people = [campaigns.named(store, name) for name in names]
        campaigns.begin(store, made, people, by=store.by(), **plan)


def offer_first(store: Store, sheet: Sheet) -> None:
    """Offer to grade a first set at once, in the usual size under the sheet's rubric."""
    try:
        drawable = grading_sets.drawable(store, sheet.id)
    except Problem as problem:
        st.info(plain(problem))
        return
    questions = grading_sets.first_questions(drawable)
    opened = answers_in(store, sheet, language())
    of = questions, BLOCK_SIZE, sheet.seed(), opened
    answers = len(grading_sets.drawn(store, sheet.id, *of).answers)
    rubric = grade_scales.proposed_for_set(store, sheet)
    with st.container(border=True):
        st.header("Grade a first set", anchor=False)
        what = f"{counted(questions, 'question')}, {counted(answers, 'answer')} of “{sheet.name}”"
        time = duration(answers * SECONDS)
        st.write(plain(f"{what} · {rubric} · {time}"))
        icon = ":material/edit_note:"
        if st.button("Grade this set myself", type="primary", icon=icon, key="grader.first"):
            rubric_id, _ = rubric_versions.named(store, rubric)
            name = grading_sets.next_name([])
            made = grading_sets.create(
                store, sheet.id, rubric_id, name, questions, sheet.seed(), first=opened
            )
            remember(set=made.id)
            st.rerun()
        st.page_link("pages/annotate.py", label="Choose rubric and size", icon=":material/tune:")
