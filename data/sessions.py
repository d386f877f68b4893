"""Sessions: browsers that were let in, each until it expires, is ended, or its member leaves."""

from data.clock import in_hours, now
from data.guard import Who
from data.invitations import hashed, new_secret
from data.members import Member, get
from data.store import Store

HOURS = 12


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
    """The person behind a browser's session as things are now; None where it is over."""
    row = store.row(
        "select member_id from sessions where secret_hash = ? and ended_at is null"
        " and expires_at > ?",
        (hashed(secret), now()),
    )
    return get(store, row["member_id"]).who() if row else None


def since(store: Store) -> dict[int, str]:
    """Since when each member is signed in by a link, by member id; who is not is left out."""
    rows = store.rows(
        "select member_id, min(began_at) as began_at from sessions where ended_at is null"
        " and expires_at > ? group by member_id",
        (now(),),
    )
    return {row["member_id"]: row["began_at"] for row in rows}


def end(store: Store, secret: str) -> None:
    """End a browser's session."""
    with store.write():
        store.execute(
            "update sessions set ended_at = ? where secret_hash = ? and ended_at is null",
            (now(), hashed(secret)),
        )


def end_all(store: Store, member: Member) -> int:
    """End every session of a member, in whatever browser; returns how many there were."""
    with store.write():
        return store.execute(
            "update sessions set ended_at = ? where member_id = ? and ended_at is null"
            " and expires_at > ?",
            (now(), member.id, now()),
        )
