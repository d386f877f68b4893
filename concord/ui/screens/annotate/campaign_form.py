"""The form that assigns the blocks of a new grading set to annotators, with a preview."""

from collections import Counter
from collections.abc import Collection

import streamlit as st

from concord.grading import campaign_plan, campaigns, grading_sets
from concord.grading.grading_sets import GradingSet
from concord.messages import Problem, Said, counted, extent, joined, said
from concord.store import graders
from concord.store.database import Store
from concord.ui.actions import refusals
from concord.ui.language import plain, say
from concord.ui.widgets import action_button, number_field


def form(store: Store, grading_set: GradingSet) -> None:
    """Ask who grades the set, how many each answer, and by when; assign it so."""
    sizes = grading_sets.block_sizes(store, grading_set.id, grading_set.created_at).values()
    key = f"campaign.{grading_set.id}"
    st.write(
        say(
            "Without assigned blocks, every annotator grades the whole set, {blocks}. With them, "
            "each annotator grades their own blocks. Several annotators grade the shared blocks, "
            "which show inter-annotator agreement.",
            blocks=counted(len(sizes), "block"),
        )
    )
    known = [g.name for g in graders.of_kind(store, "person") if not g.simulated]
    names = st.multiselect(
        say("Annotators"),
        known,
        accept_new_options=True,
        key=f"{key}.names",
        placeholder=say("Names"),
    )
    left, middle, right = st.columns(3)
    # Until two are named, the field can only hold 1 and must not keep it: overlap is the default.
    several = len(names) > 1
    each = number_field(
        say("Annotators per shared answer"),
        1,
        max(1, len(names)),
        2 if several else 1,
        key=f"{key}.each" if several else f"{key}.alone",
        place=left,
    )
    shared = 0.0
    if each > 1:
        percent = right.slider(say("Shared blocks, in %"), 0, 100, 100, key=f"{key}.shared")
        shared = percent / 100
    typed = day_field(middle, f"{key}.until", None)
    if names:
        taken = _planned(grading_set, len(sizes), len(names), each, shared)
        st.info(plain(_meaning(taken, sizes, len(names))))
    why = None if names else say("Choose annotators first.")
    label = say("Assign blocks")
    if action_button(label, why, type="primary", key=f"{key}.begin"):
        with refusals():
            _begin(store, grading_set, names, each, shared, typed)
            st.rerun()


def _begin(
    store: Store, grading_set: GradingSet, names: list[str], each: int, shared: float, day: str
) -> None:
    with store.write():
        until = campaigns.day(day)
        annotators = [graders.ensure(store, "person", name) for name in names]
        campaigns.begin(store, grading_set, annotators, each, shared, until, store.by())


def day_field(place, key: str, stored: str | None, **options) -> str:
    """A field for the day to be done by: typed, since a picker drops what is typed into it."""
    typed = place.text_input(
        say("Due date"),
        stored or "",
        key=key,
        placeholder=say("YYYY-MM-DD"),
        max_chars=10,
        **options,
    )
    try:
        campaigns.day(typed)
    except Problem as problem:
        place.error(plain(str(problem)))
    return typed


def _planned(
    grading_set: GradingSet, blocks: int, annotators: int, each: int, shared: float
) -> dict[campaign_plan.Seat, int]:
    """Return the annotator, from 0, of each seat as the set would be assigned."""
    seats = campaign_plan.seats(range(blocks), each, shared, grading_set.seed)
    return campaign_plan.assigned_annotators(seats, range(annotators), grading_set.seed)


def _meaning(taken: dict[campaign_plan.Seat, int], sizes: Collection[int], annotators: int) -> Said:
    """Return a preview of the workload per annotator; `sizes` are the answers of each block."""
    own = Counter(taken.values()).values()
    met = campaign_plan.overlap(taken)
    pairs = [met[a, b] for a in range(annotators) for b in range(a + 1, annotators)]
    grades = {"own": extent(own), "blocks": counted(len(sizes), "block")}
    asked = said("Each annotator grades {own} of {blocks}.", **grades)
    if any(pairs):
        asked = said(
            "Each annotator grades {own} of {blocks}; every two annotators share {shared}.",
            shared=extent(pairs),
            **grades,
        )
    return joined(" ", [asked, said("Answers per block: {size}.", size=extent(sizes))])
