"""Team: accounts, their roles, and what they did."""

from collections.abc import Callable

import streamlit as st

from concord.grading import grading_sets
from concord.grading.grading_sets import GradingSet
from concord.messages import counted, said
from concord.reports import lists
from concord.store import sheets
from concord.store.database import Store
from concord.store.permissions import GRADER, LEAD, VIEWER
from concord.team import members, sessions
from concord.team.members import NONE, Member
from concord.ui import render
from concord.ui.actions import refusals
from concord.ui.frame import base_address, may_act
from concord.ui.language import plain, say
from concord.ui.widgets import action_button, empty, finding, number_field

ROLES = {
    GRADER: "annotator: own queue only",
    VIEWER: "viewer: sees every screen, changes nothing",
    LEAD: "lead: everything",
    NONE: "none: can no longer sign in",
}
_LINK = "team.link"
_MOST_DAYS = 366


def unavailable(store: Store) -> bool:
    """Show an empty state and return True where there is no team."""
    if store.who is None or not may_act(store):
        empty(
            "Sign-in is off",
            (
                "A single user needs no sign-in. For a team, add a lead with “members” and start "
                "Concord with “app --team”; see docs/team.md."
            ),
        )
    elif store.who.role != LEAD:
        empty("Only leads manage the team", "Ask a lead to change something here.")
    return store.who is None or store.who.role != LEAD


def headline(store: Store) -> None:
    """The finding: how many may sign in, and how many did."""
    may = [one for one in members.every(store) if one.role != NONE]
    title = said("{members} may sign in", members=counted(len(may), "member"))
    finding(title, said("Signed in now: {n}.", n=len(sessions.since(store))))


def members_table(store: Store) -> None:
    """Show every member with role, sets, session and link."""
    render.show_table(lists.member_table(lists.members(store)), "team")


def invite(store: Store) -> None:
    """Show the link just made; it cannot be shown again."""
    link = st.session_state.pop(_LINK, None)
    if link:
        name, secret = link
        st.info(
            say(
                "Send this link to {name} only. It is shown once: only its hash is stored.",
                name=plain(name),
            )
        )
        st.code(f"{base_address()}/join/{secret}", language=None, wrap_lines=True)


def one_member(store: Store) -> None:
    """Show the actions for one member."""
    with st.container(border=True):
        names = [one.name for one in members.every(store)]
        name = st.selectbox("Member", names, key="team.one")
        member = members.named(store, name)
        _role(store, member)
        if member.role != NONE:
            with st.container(horizontal=True, vertical_alignment="bottom"):
                label = "Link validity, days"
                days = number_field(label, 1, _MOST_DAYS, sessions.LINK_DAYS, key="team.days")
                make = st.button("Create link", icon=":material/link:", key="team.invite")
                withdraw = st.button(
                    "Withdraw all links", icon=":material/link_off:", key="team.withdraw"
                )
                leave = st.button("Sign out everywhere", icon=":material/logout:", key="team.out")
            if make:
                _do(_make_link, store, member, int(days))
            if withdraw:
                _do(sessions.withdraw_links, store, member)
            if leave:
                _do(sessions.end_all, store, member)
            _sets(store, member)


def _role(store: Store, member: Member) -> None:
    roles = list(ROLES)
    role = st.selectbox(
        "Role",
        roles,
        index=roles.index(member.role),
        format_func=lambda one: say(ROLES[one]),
        key=f"team.role.{member.id}.{member.role}",
    )
    same = role == member.role
    why = "Choose another role first." if same else None
    if action_button("Change role", why, key="team.give"):
        _do(members.give_role, store, member.name, role, store.by())


def _sets(store: Store, member: Member) -> None:
    """Show which grading sets are open to a member."""
    every = {
        one.id: f"{sheet.name}: {one.name}"
        for sheet in sheets.all_sheets(store)
        for one in grading_sets.of_sheet(store, sheet.id)
    }
    if not every:
        return
    open_now = [one.id for one in _sets_of(store, member)]
    key = f"team.sets.{member.id}.{'-'.join(map(str, open_now))}"
    chosen = st.multiselect(
        "Grading sets this member may grade",
        list(every),
        default=open_now,
        format_func=every.get,
        placeholder="None yet",
        select_all=False,  # what Enter would choose
        key=key,
    )
    same = set(chosen) == set(open_now)
    why = "Choose other sets first." if same else None
    label = "Give access to these sets only"
    if action_button(label, why, key="team.open"):
        _do(_open, store, member, chosen)


def new_member(store: Store) -> None:
    """One more person."""
    with st.form("team.new", clear_on_submit=True, border=True):
        st.subheader("Add a member", anchor=False)
        name = st.text_input(
            "Name, or email address from the identity provider", max_chars=80, key="team.name"
        )
        role = st.selectbox(
            "Role",
            [GRADER, VIEWER, LEAD],
            format_func=lambda one: say(ROLES[one]),
            key="team.new.role",
        )
        if st.form_submit_button("Add member", type="primary") and name.strip():
            _do(members.add, store, name, role, store.by())


def _do(act: Callable, *given) -> None:
    """Make a change and show the screen with it, or why it was refused."""
    with refusals():
        act(*given)
        st.rerun()


def _make_link(store: Store, member: Member, days: int) -> None:
    st.session_state[_LINK] = (member.name, sessions.invite(store, member, store.by(), days))


def _open(store: Store, member: Member, chosen: list[int]) -> None:
    open_now = {one.id: one for one in _sets_of(store, member)}
    for set_id in set(chosen) - open_now.keys():
        grading_sets.join(store, grading_sets.get(store, set_id), member.grader_id, store.by())
    for set_id in open_now.keys() - set(chosen):
        grading_sets.leave(store, open_now[set_id], member.grader_id, store.by())


def _sets_of(store: Store, member: Member) -> list[GradingSet]:
    return [grading_sets.get(store, one) for one in grading_sets.sets_of(store, member.grader_id)]


def changed(store: Store) -> None:
    """Show the changes by leads, newest first."""
    with st.expander("Audit log", icon=":material/history:"):
        found = lists.changes(store)
        if found.tables:
            render.body(found, "team")
        else:
            st.caption(say(found.headline))
