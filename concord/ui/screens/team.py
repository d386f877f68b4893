"""Team: accounts, their roles, and what they did."""

from collections.abc import Callable

import streamlit as st

from concord.grading import grading_sets
from concord.grading.grading_sets import GradingSet
from concord.messages import counted, said
from concord.reports.workflow import team
from concord.store import sheets
from concord.store.database import Store
from concord.store.permissions import GRADER, LEAD, VIEWER
from concord.team import invitations, members, sessions
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
_DONE, _LINK = "team.done", "team.link"
_MOST_DAYS = 366


def unavailable(store: Store) -> bool:
    """Show an empty state and return True where there is no team."""
    if store.who is None or not may_act(store):
        empty(
            said("Sign-in is off"),
            said(
                "A single user needs no sign-in. For a team, add a lead with “members” and start "
                "Concord with “app --team”; see docs/team.md."
            ),
        )
    elif store.who.role != LEAD:
        empty(said("Only leads manage the team"), said("Ask a lead to change something here."))
    return store.who is None or store.who.role != LEAD


def headline(store: Store) -> None:
    """The finding: how many may sign in, and how many did."""
    in_now = len(sessions.since(store))
    may = [one for one in members.every(store) if one.role != NONE]
    finding(
        said("{members} may sign in", members=counted(len(may), "member")),
        said(
            "Signed in now: {n}. A session ends after {hours} hours, or after {idle} hours without "
            "use.",
            n=in_now,
            hours=sessions.HOURS,
            idle=sessions.IDLE_HOURS,
        ),
    )
    done = st.session_state.pop(_DONE, None)
    if done:
        st.success(plain(done))


def members_table(store: Store) -> None:
    """Show every member with role, sets, session and link."""
    render.show_table(team.table(team.report(store)), "team")


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
        name = st.selectbox(say("Member"), names, key="team.one")
        member = members.named(store, name)
        _role(store, member)
        if member.role != NONE:
            with st.container(horizontal=True, vertical_alignment="bottom"):
                label = say("Link validity, days")
                days = number_field(label, 1, _MOST_DAYS, invitations.DAYS, key="team.days")
                make = st.button(say("Create link"), icon=":material/link:", key="team.invite")
                withdraw = st.button(
                    say("Withdraw all links"), icon=":material/link_off:", key="team.withdraw"
                )
                leave = st.button(
                    say("Sign out everywhere"), icon=":material/logout:", key="team.out"
                )
            if make:
                _do(_make_link, store, member, int(days))
            if withdraw:
                _do(_withdraw, store, member)
            if leave:
                _do(_sign_out, store, member)
            _sets(store, member)


def _role(store: Store, member: Member) -> None:
    roles = list(ROLES)
    role = st.selectbox(
        say("Role"),
        roles,
        index=roles.index(member.role),
        format_func=lambda one: say(ROLES[one]),
        key=f"team.role.{member.id}.{member.role}",
    )
    same = role == member.role
    why = say("Choose another role first.") if same else None
    if action_button(say("Change role"), why, key="team.give"):
        _do(_give_role, store, member, role)


def _sets(store: Store, member: Member) -> None:
    """Show which grading sets are open to a member."""
    every = {
        one.id: say("{title}: {text}", title=sheet.name, text=one.name)
        for sheet in sheets.all_sheets(store)
        for one in grading_sets.of_sheet(store, sheet.id)
    }
    if not every:
        return
    open_now = [one.id for one in _sets_of(store, member)]
    key = f"team.sets.{member.id}.{'-'.join(map(str, open_now))}"
    chosen = st.multiselect(
        say("Grading sets this member may grade"),
        list(every),
        default=open_now,
        format_func=every.get,
        placeholder=say("None yet"),
        select_all=False,  # what Enter would choose
        key=key,
    )
    same = set(chosen) == set(open_now)
    why = say("Choose other sets first.") if same else None
    label = say("Give access to these sets only")
    if action_button(label, why, key="team.open"):
        _do(_open, store, member, chosen)


def new_member(store: Store) -> None:
    """One more person."""
    with st.form("team.new", clear_on_submit=True, border=True):
        st.subheader(say("Add a member"), anchor=False)
        name = st.text_input(
            say("Name, or email address from the identity provider"), max_chars=80, key="team.name"
        )
        role = st.selectbox(
            say("Role"),
            [GRADER, VIEWER, LEAD],
            format_func=lambda one: say(ROLES[one]),
            key="team.new.role",
        )
        if st.form_submit_button(say("Add member"), type="primary") and name.strip():
            _do(_add, store, name, role)


def _do(act: Callable[..., str], *given) -> None:
    """Make a change and show its result at the top of the screen, or why it was refused."""
    with refusals():
        st.session_state[_DONE] = act(*given)
        st.rerun()


def _add(store: Store, name: str, role: str) -> str:
    added = members.add(store, name, role, store.by())
    return said(
        "{name} was added. Make a link now, or sign in through an identity provider.",
        name=added.name,
    )


def _give_role(store: Store, member: Member, role: str) -> str:
    members.give_role(store, member.name, role, store.by())
    return said("{name} now has the role {role}.", name=member.name, role=team.ROLES[role])


def _make_link(store: Store, member: Member, days: int) -> str:
    st.session_state[_LINK] = (member.name, invitations.make(store, member, store.by(), days))
    return said("The link is valid for {days}.", days=counted(days, "day"))


def _withdraw(store: Store, member: Member) -> str:
    count = invitations.withdraw(store, member)
    return said(
        "{links} of {name} withdrawn. Existing sessions last until they end.",
        links=counted(count, "link"),
        name=member.name,
    )


def _sign_out(store: Store, member: Member) -> str:
    count = sessions.end_all(store, member)
    return said("{sessions} of {name} ended.", sessions=counted(count, "session"), name=member.name)


def _open(store: Store, member: Member, chosen: list[int]) -> str:
    open_now = {one.id: one for one in _sets_of(store, member)}
    for set_id in set(chosen) - open_now.keys():
        grading_sets.join(store, grading_sets.get(store, set_id), member.grader_id, store.by())
    for set_id in open_now.keys() - set(chosen):
        grading_sets.leave(store, open_now[set_id], member.grader_id, store.by())
    return said(
        "{sets} open to {name}.", sets=counted(len(chosen), "grading set"), name=member.name
    )


def _sets_of(store: Store, member: Member) -> list[GradingSet]:
    return [grading_sets.get(store, one) for one in grading_sets.sets_of(store, member.grader_id)]


def changed(store: Store) -> None:
    """Show the changes by leads, newest first."""
    with st.expander(say("Audit log"), icon=":material/history:"):
        found = team.changes(store)
        if found.tables:
            render.body(found, "team")
        else:
            st.caption(say(found.headline))
