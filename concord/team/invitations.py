"""Invitations: sign-in links of one member each, and the limit on attempts per address.

The secret of a link is 32 random bytes. Only its SHA-256 is stored, so reading the database, a
backup or an export does not yield a working link. A link can be used repeatedly until it expires or
is revoked, because browsers lose cookies during a long campaign.
"""

import hashlib
import secrets

from concord.clock import in_hours, now
from concord.messages import Problem
from concord.store.database import Store
from concord.team.members import Member, get

DAYS = 14
TRIES, TRIES_HOURS = 10, 0.25


def make(store: Store, member: Member, by: str, days: float = DAYS) -> str:
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


def withdraw(store: Store, member: Member) -> int:
    """Revoke all links of a member; return how many."""
    with store.write():
        return store.execute(
            """update invitations set withdrawn_at = ? where member_id = ? and withdrawn_at is null
            and expires_at > ?""",
            (now(), member.id, now()),
        )


def open_until(store: Store) -> dict[int, str]:
    """Return the expiry of each member's link by member id; members without one are left out."""
    rows = store.rows(
        """select member_id, max(expires_at) as until from invitations where withdrawn_at is null
        and expires_at > ? group by member_id""",
        (now(),),
    )
    return dict(rows)


def opened(store: Store, secret: str, address: str) -> Member:
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
