"""The verb `members`."""

import click

from verbs.frame import BY, as_json, say, verb


@verb
@click.option("--add", nargs=2, metavar="NAME ROLE", help="Make a person a member.")
@click.option("--role", nargs=2, metavar="NAME ROLE", help="Give a member another role, or none.")
@click.option("--open", "opened", nargs=2, metavar="NAME SET", help="Let a member grade a set.")
@click.option("--close", "closed", nargs=2, metavar="NAME SET", help="Let a member leave a set.")
@click.option("--invite", metavar="NAME", help="Print a link that lets a member in.")
@click.option("--days", type=click.FloatRange(0.01, 366), default=14.0, help="How long it opens.")
@click.option("--url", default="http://localhost:8501", help="Where the server is reached.")
@click.option("--withdraw", metavar="NAME", help="Let no link of a member open any more.")
@as_json
def members(store, sheet_name, add, role, opened, closed, invite, days, url, withdraw, json_out):
    """List who may sign in, and as what; add, invite and change members.

    While there are no members nobody signs in. Roles are grader, lead and viewer; none shuts the
    door. The first member has to be a lead.
    """
    from data import invitations, set_graders
    from data import members as stored

    if add:
        _check_first(store, add[1])
        stored.add(store, *add, BY)
    if role:
        stored.give_role(store, *role, BY)
    for said, change in ((opened, set_graders.join), (closed, set_graders.leave)):
        if said:
            change(store, _set(store, sheet_name, said[1]), _grader_id(store, said[0]), BY)
    if withdraw:
        invitations.withdraw(store, stored.named(store, withdraw))
    link = _link(store, invite, days, url) if invite else None
    listed = _listed(store)
    document = {"members": listed} | ({"link": link} if link else {})
    say(document, json_out, link or "\n".join(map(_line, listed)) or "Nobody: no one signs in.")


def _check_first(store, role) -> None:
    from data import members as stored
    from problems import Problem

    if not stored.are_asked(store) and role != "lead":
        raise Problem(
            "From the first member on everybody signs in, and somebody has to lead. Add a lead "
            "first."
        )


def _set(store, sheet_name, name):
    from data import grading_sets, sheets

    return grading_sets.named(store, sheets.chosen(store, sheet_name).id, name)


def _grader_id(store, name) -> int:
    from data import members as stored

    return stored.named(store, name).grader_id


def _link(store, name, days, url) -> str:
    from data import invitations
    from data import members as stored

    secret = invitations.make(store, stored.named(store, name), BY, days)
    return f"{url.rstrip('/')}/join/{secret}"


def _listed(store) -> list[dict]:
    from data import grading_sets, sessions, set_graders
    from data import members as stored

    since = sessions.since(store)
    return [
        {
            "name": one.name,
            "role": one.role,
            "signed_in_since": since.get(one.id),
            "sets": [
                grading_sets.get(store, set_id).name
                for set_id in set_graders.sets_of(store, one.grader_id)
            ],
        }
        for one in stored.every(store)
    ]


def _line(member) -> str:
    sets = f", grades {', '.join(member['sets'])}" if member["sets"] else ""
    since = member["signed_in_since"]
    signed_in = f", signed in since {since[:16].replace('T', ' ')} UTC" if since else ""
    return f"{member['name']}: {member['role']}{sets}{signed_in}"
