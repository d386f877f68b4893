"""The normal form of a text: by it texts that differ in form, case or white space are the same."""

import hashlib
import unicodedata
from collections.abc import Iterable
from functools import lru_cache


def normalised(text: str) -> str:
    """The text in NFKC, case-folded, with runs of white space collapsed to one space."""
    if text.isascii():  # which is its own NFKC
        return " ".join(text.lower().split())
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


@lru_cache(maxsize=512)  # an import asks for the hash of each question a dozen times in a row
def text_hash(text: str) -> str:
    """The first 16 hex digits of the SHA-256 of the normalised text."""
    return hashlib.sha256(normalised(text).encode()).hexdigest()[:16]


def folded(texts: Iterable[str]) -> list[str]:
    """The texts in their order, each kept the first time it occurs in normalised form."""
    first: dict[str, str] = {}
    for text in texts:
        first.setdefault(normalised(text), text)
    return list(first.values())
