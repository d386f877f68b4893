"""Left out: how many answers figures leave out and why, as a part of a sentence."""

from collections.abc import Mapping

from concord.language.grade_statuses import status_words
from concord.messages import Said, is_message, joined, said


def reasons(counts: Mapping[str, int]) -> Said:
    """Count and reason, as `12 sealed; 3 cannot grade`."""
    return joined("; ", [_counted(count, why) for why, count in counts.items()])


def reason(why: str) -> Said:
    """A reason, whatever held it: out of a frame it is a plain str, found by its English again."""
    words = status_words(why)
    return words if is_message(words) else said(words)


def _counted(count: int, why: str) -> Said:
    return said("{count:,} {why}", count=count, why=reason(why))
