"""Statuses in words: why a grade has no score, as a part of a sentence."""

from concord.messages import is_message, said

_WORDS = {
    "scored": said("scored"),
    "cannot_grade": said("cannot grade"),
    "not_applicable": said("not applicable"),
    "missing_input": said("missing input"),
    "refused": said("refused"),
    "unparsable": said("unparsable"),
    "truncated": said("truncated"),
    "too_long": said("too long"),
    "failed": said("failed"),
    "not_asked": said("not asked"),
}


def status_words(status: str) -> str:
    """One of `concord.model.STATUSES` in words; a reason that is one already stays as it is."""
    if is_message(status):
        return status
    return _WORDS.get(status, status.replace("_", " "))
