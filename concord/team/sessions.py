"""Sign-in links of one member each, and sessions of signed-in browsers.

The secret of a link is 32 random bytes. Only its SHA-256 is stored, so reading the database, a
backup or an export does not yield a working link. A link can be used repeatedly until it expires or
is revoked, because browsers lose cookies during a long campaign.

A session lasts until expiry, idle timeout, sign-out or removal of the member.
Every keypress saved and every screen opened uses a session. Use is recorded only once in a while,
and only when no other writer holds the database, so that grading never waits for it.
"""

import hashlib
import secrets

from concord.clock import in_hours, now
from concord.messages import Problem
from concord.store.database import Store
from concord.store.permissions import Who
from concord.team.members import Member, get

LINK_DAYS = 14
TRIES, TRIES_HOURS = 10, 0.25
HOURS, IDLE_HOURS = 12, 2
NOTED_HOURS = 1 / 12
_IS_OPEN = "ended_at is null and expires_at > ? and coalesce(used_at, began_at) > ?"


def invite(store: Store, member: Member, by: str, days: float = LINK_DAYS) -> str:
    """Create a link for a member and return its secret, which is shown once and not stored."""
    secret = new_secret()
    with store.write():
        store.insert(
            "invitations",
            member_id=member.id,
            secret_hash=hashed(secret),
            expires_at=in_hours(24 * days),
            made_by=by,
            created_at=now(),
        )
    return secret


def withdraw_links(store: Store, member: Member) -> int:
    """Revoke all links of a member; return how many."""
    with store.write():
        return store.execute(
            """update invitations set withdrawn_at = ? where member_id = ? and withdrawn_at is null
            and expires_at > ?""",
            (now(), member.id, now()),
        )


def links_until(store: Store) -> dict[int, str]:
    """Return the expiry of each member's link by member id; members without one are left out."""
    rows = store.rows(
        """select member_id, max(expires_at) as until from invitations where withdrawn_at is null
        and expires_at > ? group by member_id""",
        (now(),),
    )
    return dict(rows)


def opened_link(store: Store, secret: str, address: str) -> Member:
    """Return the member a link signs in; a Problem for an invalid link or too many attempts."""
    _check_tries(store, address)  # also before the lock: attempts must not delay a grade
    with store.write():
        _check_tries(store, address)
        row = store.row(
            """select member_id from invitations where secret_hash = ? and withdrawn_at is null
            and expires_at > ?""",
            (hashed(secret), now()),
        )
        member = get(store, row["member_id"]) if row else None
        let_in = bool(member and member.who())
        # Stored before the Problem is raised, so that it is not rolled back with it.
        store.execute("delete from sign_ins where not let_in and created_at < ?", (in_hours(-24),))
        store.insert("sign_ins", address=address, let_in=int(let_in), created_at=now())
    if not let_in:
        # The same text for unknown, expired and withdrawn links: nothing can be learned by trying.
        raise Problem("This link is not valid. Ask the sender for a new one.")
    return member


def new_secret() -> str:
    """32 random bytes as text for an address."""
    return secrets.token_urlsafe(32)


def hashed(secret: str) -> str:
    """Return the stored hash of a secret. 32 random bytes need no salt and no slow hash."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _check_tries(store: Store, address: str) -> None:
    tried = store.value(
        "select count(*) from sign_ins where address = ? and not let_in and created_at > ?",
        (address, in_hours(-TRIES_HOURS)),
    )
    if tried >= TRIES:
        raise Problem("Too many links were tried from here. Wait a quarter of an hour.")


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
