"""Statuses in words: why a grade has no score, as a part of a sentence."""

from collections.abc import Mapping

from concord.messages import Said, is_message, joined, said

_WORDS = {
    "scored": said("scored"),
    "good": said("usable"),
    "cannot_grade": said("cannot grade"),
    "not_applicable": said("not applicable"),
    "missing_input": said("missing input"),
    "refused": said("refused"),
    "unparsable": said("unparsable"),
    "truncated": said("truncated"),
    "too_long": said("too long"),
    "failed": said("failed"),
    "not_asked": said("not requested"),
}


def status_words(status: str) -> str:
    """One of `concord.model.STATUSES` in words; a reason that is one already stays as it is."""
    if is_message(status):
        return status
    return _WORDS.get(status, status.replace("_", " "))


def reasons(counts: Mapping[str, int]) -> Said:
    """Count and reason, as `12 refused; 3 cannot grade`."""
    return joined(
        "; ",
        [said("{count:,} {why}", count=count, why=reason(why)) for why, count in counts.items()],
    )


def reason(why: str) -> Said:
    """A reason, whatever held it: out of a frame it is a plain str, found by its English again."""
    return said(status_words(why))
