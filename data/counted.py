"""Counted: a number of things in words, as `1 answer` and `1,204 answers`."""

from words.said import Said


def counted(count: int, noun: str, plural: str = "") -> Said:
    """The count with its noun in the singular or the plural, which is `noun` and an s unless said.

    Only 1 takes the singular; thousands are parted by commas. Other languages say it from the
    plural, as `{n:,} answers`.
    """
    several = plural or f"{noun}s"
    english = f"{count:,} {noun if count == 1 else several}"
    return Said(english, f"{{n:,}} {several}", {"n": count})
