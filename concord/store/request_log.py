"""Request log: every reply to a request other than a judgement, kept so that nothing is paid twice.

A request is identified by its `digest`: the hash of the requester (purpose, endpoint, headers and
model) and of the whole request.
"""

from typing import NamedTuple

from concord.store.database import Store
from concord.store.runs import Receipt, keep

GOOD = "good"
# What asking again does not change.
FINAL = ("refused", "too_long")


class AskedReply(NamedTuple):
    """One raw reply on its way to the disk, with what it took.

    `status` is `good`, or `refused`, `unparsable`, `truncated`, `too_long` or `failed` with the
    reason in `why`.
    """

    purpose: str
    asker: str
    digest: str
    attempt: int
    request: str
    raw: str
    status: str
    why: str = ""
    receipt: Receipt = Receipt()


class RequestState(NamedTuple):
    """State of a request: the id of its good reply, else its failure count and last failure."""

    good_id: int | None
    attempts: int
    status: str
    why: str

    def is_settled(self, attempts: int) -> bool:
        """True where it has no reply and `attempts` are used up, so it is not sent again."""
        if self.good_id is not None or self.status == "failed":
            return False
        return self.status in FINAL or self.attempts >= attempts


def add(store: Store, reply: AskedReply) -> None:
    """Put a reply on disk; a second good one to the same request is not kept."""
    with store.write():
        keep(store, "asked", [reply])


def states(store: Store, asker: str) -> dict[str, RequestState]:
    """Return the state of every request of a requester, by digest."""
    rows = store.rows(
        "select digest, max(case when status = 'good' then id end) as good_id,"
        " sum(status <> 'failed') as attempts, max(id) as last from asked"
        " where asker = ? group by digest",
        (asker,),
    )
    last = {
        row["id"]: row
        for row in store.rows("select id, status, why from asked where asker = ?", (asker,))
    }
    return {
        row["digest"]: RequestState(
            row["good_id"], row["attempts"], last[row["last"]]["status"], last[row["last"]]["why"]
        )
        for row in rows
    }


def good_id(store: Store, digest: str) -> int:
    """The good reply to a request."""
    return store.value("select id from asked where digest = ? and status = 'good'", (digest,))


def raw(store: Store, asked_id: int) -> str:
    """A reply exactly as received."""
    return store.value("select raw from asked where id = ?", (asked_id,))
