"""Undefined: why there is no number, and a reply that came and cannot be taken."""

from typing import Any

from concord.messages import said

# The status of a value that was not requested; it is never stored.
NOT_ASKED = "not_asked"
NOT_LABELLED = said("This annotator has not labelled all of it.")


class Undefined(Exception):
    """A metric has no value for an item: `status` of grades, and the reason in one sentence.

    The reason is a message like that of `said`, with `values`.
    """

    def __init__(self, status: str, reason: str, /, **values: Any):
        self.status, self.reason = status, said(reason, **values)
        super().__init__(self.reason)


class Unreadable(ValueError):
    """An unusable reply; the message says why in one sentence."""
