"""Team: members, their roles and grading sets, what lets them sign in, and what leads changed."""

from collections.abc import Mapping, Sequence
from typing import Any

from concord.grading import grading_sets
from concord.messages import joined, minute
from concord.reports.document import Column, Document, Table, table_of
from concord.store.database import Store
from concord.store.permissions import GRADER, LEAD, VIEWER
from concord.team import members, sessions
from concord.team.members import NONE

ROLES = {GRADER: "annotator", VIEWER: "viewer", LEAD: "lead", NONE: "none"}
NEWEST = 500  # changes that are listed
_DID = {"insert": "added", "update": "changed", "delete": "removed"}
_OBJECTS = {
    "question_roles": "splits",
    "carried_versions": "carried-over versions",
    "packs": "packages",
    "set_graders": "set access",
}


def report(store: Store) -> list[dict[str, Any]]:
    """Return every member: role, sign-in and link in UTC (None without), sets open to them."""
    since, until = sessions.since(store), sessions.links_until(store)
    return [
        {
            "name": one.name,
            "role": one.role,
            "signed_in_since": since.get(one.id),
            "link_open_until": until.get(one.id),
            "sets": [
                grading_sets.get(store, set_id).name
                for set_id in grading_sets.sets_of(store, one.grader_id)
            ],
        }
        for one in members.every(store)
    ]


def table(found: Sequence[Mapping[str, Any]]) -> Table:
    """Return a row for each member."""
    parts = (
        ("Member", lambda one: one["name"]),
        ("Role", lambda one: ROLES[one["role"]]),
        ("Grading sets", lambda one: joined(", ", one["sets"])),
        ("Signed in since, UTC", lambda one: minute(one["signed_in_since"])),
        ("Link valid until, UTC", lambda one: minute(one["link_open_until"])),
    )
    return table_of("members", found, parts)


def document(found: Sequence[Mapping[str, Any]]) -> Document:
    """Return the members, or that there are none."""
    if not found:
        return Document("No members: there is no sign-in.")
    return Document("", tables=(table(found),))


def changes(store: Store) -> Document:
    """Return the newest changes by leads; grades and replies are not among them."""
    parts = (
        ("When, UTC", lambda one: minute(one.at)),
        ("Who", "who"),
        ("Action", lambda one: _DID[one.what]),
        ("Object", lambda one: _OBJECTS.get(one.table, one.table.replace("_", " "))),
        (Column("Number", "count"), "row_id"),
    )
    found = members.newest_changes(store, NEWEST)
    return Document(
        f"Audit log: the newest {NEWEST} changes" if found else "No changes yet.",
        tables=(table_of("changes", found, parts),) if found else (),
    )
