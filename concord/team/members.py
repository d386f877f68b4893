"""Members: who may sign in, with which role, and what signed-in leads changed.

Without members there is no authentication: on one machine the file belongs to the account that can
open it. A member's name is the address an identity provider returns, or the name an invitation link
was made for. Changes are noted by the database itself (`permissions.NOTED`).
"""

from typing import NamedTuple

from concord.clock import now
from concord.messages import Problem, joined, said
from concord.store import graders
from concord.store.database import Row, Store
from concord.store.permissions import GRADER, ROLES, Who

# The variable that is set in the app, and in what it starts, where people sign in: API keys are
# then bound to servers.
BOUND = "CONCORD_KEYS_BOUND"

NONE = "none"
ANNOTATOR = "annotator"  # what texts call the role that the database keeps as `grader`
_SELECT = """select m.id, m.name, m.grader_id, r.role from members m join member_roles r
    on r.id = (select max(id) from member_roles where member_id = m.id)"""


class Member(NamedTuple):
    """A member; `role` is grader, lead, viewer, or none for one who may no longer sign in.

    `grader_id`: None for one whose grades were deleted.
    """

    id: int
    name: str
    grader_id: int | None
    role: str

    def who(self) -> Who | None:
        """The user for permissions; None for one who may no longer sign in."""
        return None if self.role == NONE else Who(self.name, self.role, self.grader_id)


def are_asked(store: Store) -> bool:
    """True where users sign in: there is at least one member."""
    return store.has("select 1 from members")


def add(store: Store, name: str, role: str, by: str) -> Member:
    """Make a person a member, who grades under the same name; a Problem where there is one."""
    name = " ".join(name.split())
    with store.write():
        if find(store, name):
            raise Problem(
                "{name} is a member already. Give another role, or another name.", name=name
            )
        member_id = store.insert(
            "members",
            name=name,
            grader_id=graders.ensure(store, "person", name),
            made_by=by,
            created_at=now(),
        )
        _give(store, member_id, role, by)
    return find(store, name)


def give_role(store: Store, name: str, role: str, by: str) -> Member:
    """Change a member's role; `none` denies access at the next request."""
    with store.write():
        member = named(store, name)
        _keep_a_lead(store, member, role)
        if member.grader_id is None and role != NONE:  # the person was deleted meanwhile
            grader = graders.ensure(store, "person", member.name)
            store.execute("update members set grader_id = ? where id = ?", (grader, member.id))
        _give(store, member.id, role, by)
    return named(store, name)


def find(store: Store, name: str) -> Member | None:
    """Return the member of that name, ignoring case and spacing; None where unknown."""
    folded = " ".join(name.split()).casefold()
    return next((one for one in every(store) if one.name.casefold() == folded), None)


def named(store: Store, name: str) -> Member:
    """Return the member of that name; a Problem that lists the members where unknown."""
    found = find(store, name)
    if not found:
        known = joined(", ", (one.name for one in every(store))) or said("none yet")
        raise Problem("{name} is not a member. Members are: {known}.", name=name, known=known)
    return found


def every(store: Store) -> list[Member]:
    """Return all members by name, including those who left."""
    return [_member(row) for row in store.rows(f"{_SELECT} order by m.name collate nocase")]


def get(store: Store, member_id: int) -> Member:
    """The member of that id."""
    return _member(store.row(f"{_SELECT} where m.id = ?", (member_id,)))


def _give(store: Store, member_id: int, role: str, by: str) -> None:
    role = GRADER if role == ANNOTATOR else role
    if role not in (*ROLES, NONE):
        names = [ANNOTATOR if one == GRADER else one for one in (*ROLES, NONE)]
        raise Problem(
            "“{role}” is not a role. Roles: {roles}.", role=role, roles=joined(", ", names)
        )
    store.insert("member_roles", member_id=member_id, role=role, given_by=by, created_at=now())


def _keep_a_lead(store: Store, member: Member, role: str) -> None:
    leads = [one for one in every(store) if one.role == "lead"]
    if role != "lead" and leads == [member]:
        raise Problem(
            "{member} is the only lead. Make another member a lead first.", member=member.name
        )


def _member(row: Row) -> Member:
    return Member(row["id"], row["name"], row["grader_id"], row["role"])


class Change(NamedTuple):
    """A row change: user, action (`insert`, `update` or `delete`), table and UTC time."""

    who: str
    what: str
    table: str
    row_id: int | None
    at: str


def newest_changes(store: Store, count: int) -> list[Change]:
    """The last so many changes."""
    rows = store.rows(
        "select who, what, table_name, row_id, at from changes order by id desc limit ?", (count,)
    )
    return [Change(*row) for row in rows]
