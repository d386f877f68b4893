"""Embedding vectors, stored once per text and model."""

import hashlib
import struct
from collections.abc import Mapping, Sequence

from concord.clock import now
from concord.store.database import Store, marks

_FLOAT_BYTES = 4


def key(text: str) -> str:
    """Return the key of a text's vector: the hash of the exact text."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def of(store: Store, embedding: str, texts: Sequence[str]) -> dict[str, tuple[float, ...]]:
    """The vectors that are there, by text."""
    keys = {key(text): text for text in texts}
    rows = store.rows(
        f"select digest, vector from vectors where embedding = ? and digest in ({marks(keys)})",
        (embedding, *keys),
    )
    return {keys[row["digest"]]: _floats(row["vector"]) for row in rows}


def length(store: Store, embedding: str) -> int | None:
    """Return the dimension of the model's vectors; None where none is stored yet."""
    found = store.value(
        "select length(vector) from vectors where embedding = ? limit 1", (embedding,)
    )
    return found // _FLOAT_BYTES if found else None


def keep(store: Store, vectors: Mapping[tuple[str, str], Sequence[float]]) -> None:
    """Store vectors by (embedding, text); one that is there already stays."""
    if not vectors:
        return
    with store.write():
        for (embedding, text), vector in vectors.items():
            store.execute(
                """insert into vectors (embedding, digest, vector, created_at) values (?, ?, ?, ?)
                on conflict do nothing""",
                (embedding, key(text), struct.pack(f"<{len(vector)}f", *vector), now()),
            )


def _floats(blob: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(blob) // _FLOAT_BYTES}f", blob)
