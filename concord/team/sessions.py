"""Sessions of signed-in browsers, until expiry, idle timeout, sign-out or removal of the member.

Every keypress saved and every screen opened uses a session. Use is recorded only once in a while,
and only when no other writer holds the database, so that grading never waits for it.
"""

from concord.clock import in_hours, now
from concord.store.database import Store
from concord.store.permissions import Who
from concord.team.invitations import hashed, new_secret
from concord.team.members import Member, get

HOURS, IDLE_HOURS = 12, 2
NOTED_HOURS = 1 / 12
_IS_OPEN = "ended_at is null and expires_at > ? and coalesce(used_at, began_at) > ?"


def begin(store: Store, member: Member, hours: float = HOURS) -> str:
    """The secret of a new session, for the browser alone; only its hash is stored."""
    secret = new_secret()
    with store.write():
        store.insert(
            "sessions",
            member_id=member.id,
            secret_hash=hashed(secret),
            began_at=now(),
            expires_at=in_hours(hours),
        )
    return secret


def who(store: Store, secret: str) -> Who | None:
    """Return the user of a browser session, with current role; None where it is over."""
    row = store.row(
        f"""select id, member_id, coalesce(used_at, began_at) as used_at from sessions
        where secret_hash = ? and {_IS_OPEN}""",
        (hashed(secret), *_times()),
    )
    if row is None:
        return None
    # Every five minutes at most: a write for every request would compete with the grades.
    if row["used_at"] < in_hours(-NOTED_HOURS):
        _note(store, row["id"])
    # Read each time: a changed role or a removed member takes effect at the next request.
    return get(store, row["member_id"]).who()


def since(store: Store) -> dict[int, str]:
    """Return since when each member is signed in by a link, by member id."""
    rows = store.rows(
        f"""select member_id, min(began_at) as began_at from sessions where {_IS_OPEN}
        group by member_id""",
        _times(),
    )
    return dict(rows)


def end(store: Store, secret: str) -> None:
    """End a browser's session."""
    with store.write():
        store.execute(
            "update sessions set ended_at = ? where secret_hash = ? and ended_at is null",
            (now(), hashed(secret)),
        )


def end_all(store: Store, member: Member) -> int:
    """End every session of a member, in all browsers; return how many there were."""
    with store.write():
        return store.execute(
            f"update sessions set ended_at = ? where member_id = ? and {_IS_OPEN}",
            (now(), member.id, *_times()),
        )


def _times() -> tuple[str, str]:
    """Return the times before which an open session has expired, and has been idle too long."""
    return now(), in_hours(-IDLE_HOURS)


def _note(store: Store, session_id: int) -> None:
    """Record that a session is in use; skipped while another writer is active."""
    with store.write_if_free() as is_free:
        if is_free:
            store.execute("update sessions set used_at = ? where id = ?", (now(), session_id))
