"""Undefined: why there is no number, and a reply that came and cannot be taken."""

# The status of a number that nobody was asked for; it is never stored.
NOT_ASKED = "not_asked"
NOT_LABELLED = "This annotator has not labelled all of it."


class Undefined(Exception):
    """There is no number for this item: `status` of grades, and the reason in one sentence."""

    def __init__(self, status: str, reason: str):
        super().__init__(reason)
        self.status, self.reason = status, reason


class Unreadable(ValueError):
    """An unusable reply; the message says why in one sentence."""
