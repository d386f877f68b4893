"""Receipt: what a reply took, kept beside it whatever it was for."""

from collections.abc import Iterable
from typing import NamedTuple

from concord.clock import now
from concord.store.database import Store, marks


class Receipt(NamedTuple):
    """What one reply took: tokens are counts, `cost` USD (None: unknown), `latency` seconds.

    `price` is JSON, USD per million tokens as used; model and fingerprint are the server's words.
    """

    finish_reason: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    price: str | None = None
    price_date: str | None = None
    cost: float | None = None
    latency: float | None = None
    model: str | None = None
    system_fingerprint: str | None = None


def keep(store: Store, table: str, replies: Iterable[tuple], **more: object) -> None:
    """Put replies into a table; a second good one to the same request is not kept.

    Args:
        store: Inside `write()`.
        table: `replies` or `asked`.
        replies: Each a named tuple whose last field is its receipt.
        more: Columns that all of them share.
    """
    for reply in replies:
        columns = (*more, *reply._fields[:-1], *Receipt._fields, "created_at")
        store.execute(
            f"insert into {table} ({', '.join(columns)}) values ({marks(columns)})"
            " on conflict do nothing",
            (*more.values(), *reply[:-1], *reply[-1], now()),
        )
