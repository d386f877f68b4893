"""The command `members`."""

import click

from concord.commands import options
from concord.commands.frame import BY, say_documents, verb


@verb
@click.option("--add", nargs=2, metavar="NAME ROLE", help="Add a member.")
@click.option(
    "--role", nargs=2, metavar="NAME ROLE", help="Change a member's role, or remove it with none."
)
@click.option(
    "--open", "opened", nargs=2, metavar="NAME SET", help="Allow a member to grade a set."
)
@click.option("--close", "closed", nargs=2, metavar="NAME SET", help="Remove a member from a set.")
@click.option("--invite", metavar="NAME", help="Print a sign-in link for a member.")
@click.option(
    "--days", type=click.FloatRange(0.01, 366), default=14.0, help="Days until the link expires."
)
@click.option("--url", default="http://localhost:8501", help="Address of the server.")
@click.option("--withdraw", metavar="NAME", help="Withdraw all links of a member.")
@options.as_json
def members(store, sheet_name, add, role, opened, closed, invite, days, url, withdraw, json_out):
    """List members and roles; add, invite and change members.

    Without members, no sign-in is required. Roles are annotator, lead and viewer; none removes
    access. The first member must be a lead.
    """
    from concord.grading import grading_sets
    from concord.reports.document import Document
    from concord.reports.workflow import team
    from concord.team import invitations
    from concord.team import members as stored

    if add:
        _check_first(store, add[1])
        stored.add(store, *add, BY)
    if role:
        stored.give_role(store, *role, BY)
    for said, change in ((opened, grading_sets.join), (closed, grading_sets.leave)):
        if said:
            change(store, _set(store, sheet_name, said[1]), _grader_id(store, said[0]), BY)
    if withdraw:
        invitations.withdraw(store, stored.named(store, withdraw))
    link = _link(store, invite, days, url) if invite else None
    listed = team.report(store)
    document = {"members": listed} | ({"link": link} if link else {})
    say_documents(document, json_out, Document(link) if link else team.document(listed))


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
    from concord.team import invitations
    from concord.team import members as stored

    secret = invitations.make(store, stored.named(store, name), BY, days)
    return f"{url.rstrip('/')}/join/{secret}"
