"""Counted: a number of things in words, as `1 answer` and `1,204 answers`."""


def counted(count: int, noun: str, plural: str = "") -> str:
    """The count with its noun in the singular or the plural, which is `noun` and an s unless said.

    Only 1 takes the singular; thousands are parted by commas.
    """
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"
