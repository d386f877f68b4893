"""Counted: a number of things in words, as `1 answer` and `1,204 answers`."""

from concord.messages import Said, said


def counted(count: int, noun: str, plural: str = "") -> Said:
    """The count with its noun in the singular or the plural, which is `noun` and an s unless said.

    Only 1 takes the singular; thousands are parted by commas. Another language chooses among its
    own plural forms of the message `{n:,} answer`, `{n:,} answers`.
    """
    several = plural or f"{noun}s"
    english = f"{count:,} {noun if count == 1 else several}"
    return Said(english, f"{{n:,}} {noun}", {"n": count}, plural=f"{{n:,}} {several}")


def duration(seconds: float) -> str:
    """A length of time in words, no finer than it matters."""
    if seconds < 90:
        return said("{n} s", n=max(1, round(seconds)))
    if seconds < 90 * 60:
        return said("{n} min", n=round(seconds / 60))
    return said("{n:.1f} h", n=seconds / 3600)
