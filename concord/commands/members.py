"""The command `members`."""

import click

from concord.commands import options
from concord.commands.frame import BY, say_documents, verb


@verb
@options.text("--add", "NAME ROLE", "Add a member.", nargs=2)
@options.text("--role", "NAME ROLE", "Change a member's role, or remove it with none.", nargs=2)
@options.text("--open", "opened", "NAME SET", "Allow a member to grade a set.", nargs=2)
@options.text("--close", "closed", "NAME SET", "Remove a member from a set.", nargs=2)
@options.text("--invite", "NAME", "Print a sign-in link for a member.")
@options.text("--days", click.FloatRange(0.01, 366), "Days until it expires.", default=14.0)
@options.text("--url", str, "Address.", default="http://localhost:8501")
@options.text("--withdraw", "NAME", "Withdraw.")
def members(store, sheet_name, add, role, opened, closed, invite, days, url, withdraw):
    """List members and roles; add, invite and change members.

    Without members, no sign-in is required. Roles are annotator, lead and viewer; none removes
    access. The first member must be a lead.
    """
    from concord.grading import grading_sets
    from concord.reports import lists
    from concord.reports.document import Document
    from concord.team import members as stored
    from concord.team import sessions

    if add:
        _check_first(store, add[1])
        stored.add(store, *add, BY)
    if role:
        stored.give_role(store, *role, BY)
    for said, change in ((opened, grading_sets.join), (closed, grading_sets.leave)):
        if said:
            change(store, _set(store, sheet_name, said[1]), _grader_id(store, said[0]), BY)
    if withdraw:
        sessions.withdraw_links(store, stored.named(store, withdraw))
    link = _link(store, invite, days, url) if invite else None
    listed = lists.members(store)
    document = {"members": listed} | ({"link": link} if link else {})
    shown = Document(link or "", tables=() if link else (lists.member_table(listed),))
    say_documents(document, shown)


def _check_first(store, role) -> None:
    from concord.messages import Problem
    from concord.team import members as stored

    if not stored.are_asked(store) and role != "lead":
        raise Problem(
            "With the first member sign-in becomes required, and the team needs a lead. Add a lead "
            "first."
        )


def _set(store, sheet_name, name):
    from concord.grading import grading_sets
    from concord.store import sheets

    return grading_sets.named(store, sheets.chosen(store, sheet_name).id, name)


def _grader_id(store, name) -> int:
    from concord.team import members as stored

    return stored.named(store, name).grader_id


def _link(store, name, days, url) -> str:
    from concord.team import members as stored
    from concord.team import sessions

    secret = sessions.invite(store, stored.named(store, name), BY, days)
    return f"{url.rstrip('/')}/join/{secret}"
