"""A campaign as the lead sees it: blocks assigned to annotators, and answers moved one by one."""

from collections import Counter
from collections.abc import Collection

import streamlit as st

from concord.clock import day_of
from concord.grading import annotators as pauses
from concord.grading import assignments, campaigns, grading_sets
from concord.grading.campaigns import Campaign
from concord.grading.grading_sets import GradingSet
from concord.messages import Problem, counted, extent, joined, said
from concord.reports.workflow import campaign as report
from concord.store import graders
from concord.store.database import Store
from concord.ui.actions import changing, refusals, show_done, show_refused
from concord.ui.language import plain, say
from concord.ui.widgets import action_button, number_field

_UNASSIGNED = 0
_ALL = -1  # in place of a block


def campaign(store: Store, grading_set: GradingSet) -> None:
    """Show a set's campaign and how to change it, or the form that assigns a new set."""
    found = campaigns.find(store, grading_set.id)
    if found:
        _arranged(store, grading_set, found)
    elif store.may_lead() and not assignments.annotators(store, grading_set.id):
        with st.expander(say("Assign blocks to annotators"), icon=":material/group_add:"):
            form(store, grading_set)


def _set_day(store: Store, grading_set: GradingSet, typed: str, stored: str | None) -> None:
    """Store the typed deadline; the field reports an invalid one, and nothing changes."""
    try:
        day = campaigns.day(typed)
    except Problem:
        return
    if day != stored:
        with refusals():
            campaigns.set_deadline(store, grading_set, day)
            st.rerun()


def _arranged(store: Store, grading_set: GradingSet, found: Campaign) -> None:
    taken, free = (of(store, grading_set.id) for of in (campaigns.taken, campaigns.unassigned))
    blocks = campaigns.count(store, grading_set)
    here = {row["id"] for row in grading_sets.of_set(store, grading_set.id)}
    at_block = Counter(seat.block for seat, person in taken.items() if person in here)
    shared = sum(annotators > 1 for annotators in at_block.values())
    annotators = counted(len(here.intersection(taken.values())), "annotator", "annotators")
    parts = [
        said(
            "Assigned to {annotators}. Blocks assigned to {n} annotators each: {shared} of "
            "{blocks}.",
            annotators=annotators,
            shared=shared,
            blocks=blocks,
            n=found.annotators_per_answer,
        )
        if shared
        else said("Assigned to {annotators}: each block to one.", annotators=annotators)
    ]
    if found.deadline:
        parts.append(said("Due {day}.", day=day_of(found.deadline)))
        done, total = assignments.of_set(store, grading_set)
        if campaigns.is_past(found.deadline) and (free or done < total):
            parts.append(said("That date has passed."))
    st.write(say(joined(" ", parts)))
    if not store.may_lead():
        return
    left, _ = st.columns([1, 2])
    key = f"campaign.{grading_set.id}.until.{found.deadline}"
    typed = day_field(left, key, found.deadline, help=say("Annotators see this date."))
    _set_day(store, grading_set, typed, found.deadline)
    if free:
        lacking = _list(free)
        st.warning(
            say("Blocks that lack an annotator: {blocks}. Assign one below.", blocks=lacking)
        )
    head = say("Block assignment: move a block, remove an annotator")
    with st.expander(head, key=f"campaign.{grading_set.id}.moves"):
        _moves(store, grading_set, taken)


def _moves(store: Store, grading_set: GradingSet, taken: dict) -> None:
    key = f"campaign.{grading_set.id}"
    names = {one.id: one.name for one in graders.of_kind(store, "person")}
    own: dict[int, list[int]] = {}
    for seat, person in taken.items():
        own.setdefault(person or _UNASSIGNED, []).append(seat.block)
    holders = sorted(own, key=lambda one: (one == _UNASSIGNED, names.get(one, "").casefold()))
    for one in holders:
        if one != _UNASSIGNED:
            st.write(plain(_blocks(store, grading_set, one, names[one], own[one])))
    left, middle, right = st.columns(3)
    source = left.selectbox(
        say("From annotator"),
        holders,
        format_func=lambda one: names.get(one) or say("Unassigned"),
        key=f"{key}.from",
    )
    blocks = sorted({*own[source]})
    block = middle.selectbox(
        say("Block"),
        [*blocks, _ALL] if len(blocks) > 1 else blocks,
        format_func=lambda one: say("All blocks") if one == _ALL else str(one + 1),
        key=f"{key}.block",
    )
    moved = blocks if block == _ALL else [block]
    others = _targets(store, grading_set, {one for one in own if {*moved}.intersection(own[one])})
    target = right.selectbox(
        say("To annotator"),
        others,
        None,
        placeholder=say("Annotator"),
        accept_new_options=True,
        key=f"{key}.to",
    )
    st.text_input(say("Why"), key=f"{key}.why", max_chars=200)
    _mind(store, grading_set, source, moved, names)
    with st.container(horizontal=True):
        action_button(
            say("Assign blocks") if block == _ALL else say("Move block {n}", n=block + 1),
            None if (target or "").strip() else said("Choose an annotator first."),
            key=f"{key}.move",
            on_click=_move,
            args=(grading_set, moved, source or None, target, key),
        )
        if source != _UNASSIGNED and not campaigns.has_left(store, grading_set, source):
            _leave(grading_set, source, names[source], key)
    show_refused(f"{key}.refused")
    show_done(f"{key}.done")


def _move(
    grading_set: GradingSet, blocks: list[int], source: int | None, name: str, key: str
) -> None:
    with changing(f"{key}.refused") as store:
        to = campaigns.move_to(store, grading_set, blocks, source, name, store.by(), _why(key))
        st.session_state[f"{key}.done"] = report.assigned([block + 1 for block in blocks], to)
        st.session_state[f"{key}.to"] = None  # the next block goes to nobody by itself
        st.session_state[f"{key}.why"] = ""


def _remove(grading_set: GradingSet, person: int, name: str, key: str) -> None:
    with changing(f"{key}.refused") as store:
        left = campaigns.leave(store, grading_set, person, store.by(), _why(key))
        gone = report.departure(store, name, left)
        st.session_state[f"{key}.done"] = joined(" ", report.departed(gone))
        st.session_state[f"{key}.why"] = ""


def _why(key: str) -> str:
    """Return the reason as typed: what is typed right before the click is in the session alone."""
    return st.session_state.get(f"{key}.why") or ""


def _targets(store: Store, grading_set: GradingSet, there: Collection[int]) -> list[str]:
    """Return who of the set can take a block that `there` have: those who are not paused first."""
    here = {row["id"] for row in grading_sets.of_set(store, grading_set.id)} - {*there}
    known = [one for one in graders.of_kind(store, "person") if one.id in here]
    return [
        one.name
        for one in sorted(
            known,
            key=lambda one: (pauses.paused_since(store, one.id) is not None, one.name.casefold()),
        )
    ]


def _mind(
    store: Store, grading_set: GradingSet, source: int, blocks: list[int], names: dict
) -> None:
    """Warn about grades already given in the blocks to be moved."""
    found = {
        block: campaigns.graded(store, grading_set, source, block) if source else (0, 0)
        for block in blocks
    }
    words = [
        said(
            "{name} has graded {done} of {of} answers of block {n}. If you move it, another "
            "annotator grades all {of}, and {name}'s grades stay and count.",
            name=names[source],
            done=done,
            of=of,
            n=block + 1,
        )
        for block, (done, of) in found.items()
        if done
    ]
    if words:
        whole = any(done == of for done, of in found.values() if done)
        (st.warning if whole else st.caption)("\n\n".join(map(plain, words)))


def _leave(grading_set: GradingSet, person: int, name: str, key: str) -> None:
    label = plain(said("Remove {name}", name=name))
    with st.popover(label):
        st.write(
            say(
                "Blocks they have not started go to the others. Their grades stay and count. The "
                "rest of a started block is unassigned until you move that block."
            )
        )
        st.button(
            label,
            key=f"{key}.leave",
            type="primary",
            on_click=_remove,
            args=(grading_set, person, name, key),
        )


def _blocks(
    store: Store, grading_set: GradingSet, grader_id: int, name: str, blocks: list[int]
) -> str:
    """Return the blocks of an annotator, and that the annotator was removed or is paused."""
    gone = campaigns.has_left(store, grading_set, grader_id)
    if gone and campaigns.unfinished_blocks(store, grading_set, grader_id, blocks):
        return said(
            "{name}: {blocks}. Removed; ungraded answers there are unassigned until you move the "
            "block.",
            name=name,
            blocks=_list(blocks),
        )
    since = pauses.paused_since(store, grader_id)
    parts = [_list(blocks)]
    parts += [said("left the set")] if gone else []
    parts += [said("paused since {day}", day=day_of(since))] if since else []
    return said("{name}: {what}", name=name, what=joined(" · ", parts))


def _list(blocks: list[int]) -> str:
    return joined(", ", (str(block + 1) for block in sorted(blocks)))


def form(store: Store, grading_set: GradingSet) -> None:
    """Ask who grades the set, how many each answer, and by when; assign it so."""
    sizes = grading_sets.block_sizes(store, grading_set).values()
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
            with store.write():
                until = campaigns.day(typed)
                annotators = [graders.ensure(store, "person", name) for name in names]
                campaigns.begin(store, grading_set, annotators, each, shared, until, store.by())
            st.rerun()


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
) -> dict[campaigns.Seat, int]:
    """Return the annotator, from 0, of each seat as the set would be assigned."""
    seats = campaigns.seats_of_blocks(range(blocks), each, shared, grading_set.seed)
    return campaigns.assigned_annotators(seats, range(annotators), grading_set.seed)


def _meaning(taken: dict[campaigns.Seat, int], sizes: Collection[int], annotators: int) -> str:
    """Return a preview of the workload per annotator; `sizes` are the answers of each block."""
    own = Counter(taken.values()).values()
    met = campaigns.overlap(taken)
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
