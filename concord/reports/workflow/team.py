"""Team: members, their roles and grading sets, what lets them sign in, and what leads changed."""

from collections.abc import Sequence
from dataclasses import dataclass

from concord.grading import grading_sets
from concord.messages import joined, minute, said
from concord.reports.document import Column, Document, Table, table_of
from concord.store.database import Store
from concord.store.permissions import GRADER, LEAD, VIEWER
from concord.team import invitations, members, sessions
from concord.team.members import NONE, Change

ROLES = {
    GRADER: "annotator",
    VIEWER: "viewer",
    LEAD: "lead",
    NONE: "none",
}
NEWEST = 500  # changes that are listed
_DID = {"insert": "added", "update": "changed", "delete": "removed"}
_NAMED_OTHERWISE = {
    "question_roles": "splits",
    "carried_versions": "carried-over versions",
    "packs": "packages",
    "set_graders": "set access",
}


@dataclass(frozen=True)
class Member:
    """A member; `sets` are the grading sets that are open to them, times are in UTC.

    `signed_in_since` is None without a session, `link_open_until` without a valid link.
    """

    name: str
    role: str
    signed_in_since: str | None
    link_open_until: str | None
    sets: tuple[str, ...]


def report(store: Store) -> tuple[Member, ...]:
    """Return every member."""
    since, until = sessions.since(store), invitations.open_until(store)
    return tuple(
        Member(
            one.name,
            one.role,
            since.get(one.id),
            until.get(one.id),
            tuple(
                grading_sets.get(store, set_id).name
                for set_id in grading_sets.sets_of(store, one.grader_id)
            ),
        )
        for one in members.every(store)
    )


def table(found: Sequence[Member]) -> Table:
    """Return a row for each member."""
    parts = (
        (Column("Member"), "name"),
        (Column("Role"), lambda one: ROLES[one.role]),
        (Column("Grading sets"), lambda one: joined(", ", one.sets)),
        (Column("Signed in since, UTC"), lambda one: minute(one.signed_in_since)),
        (Column("Link valid until, UTC"), lambda one: minute(one.link_open_until)),
    )
    return table_of("members", found, parts)


def document(found: Sequence[Member]) -> Document:
    """Return the members, or that there are none."""
    if not found:
        return Document("No members: there is no sign-in.")
    return Document("", tables=(table(found),))


def of_what(table: str) -> str:
    """Return the displayed name of a table."""
    return _NAMED_OTHERWISE.get(table, table.replace("_", " "))


def changes(store: Store) -> Document:
    """Return the newest changes by leads."""
    parts = (
        (Column("When, UTC"), lambda one: minute(one.at)),
        (Column("Who"), "who"),
        (Column("Action"), lambda one: _DID[one.what]),
        (Column("Object"), lambda one: said(of_what(one.table))),
        (Column("Number", "count"), "row_id"),
    )
    found: list[Change] = members.newest_changes(store, NEWEST)
    note = said(
        "Shows at most the newest {n} changes. Grades and judges' replies are not listed: they "
        "record who gave them.",
        n=NEWEST,
    )
    return Document(
        "Audit log" if found else "No changes since sign-in was turned on.",
        tables=(table_of("changes", found, parts),) if found else (),
        notes=(note,) if found else (),
    )
