"""Share: a part of a loop's time that may be spent on something other than its requests. Pure."""


class Share:
    """What is spent is earned back while time goes by.

    Args:
        part: How much of the time may be spent, from 0 to 1.
        most_s: How many seconds may be saved up, so that a crowd is let through.
    """

    def __init__(self, part: float, most_s: float):
        self._part, self._most_s, self._left_s, self._seen = part, most_s, most_s, 0.0

    def is_left(self, now: float) -> bool:
        """Whether there is any left at a time in seconds, which never goes back."""
        earned = self._part * (now - self._seen)
        self._left_s, self._seen = min(self._most_s, self._left_s + earned), now
        return self._left_s > 0

    def spend(self, seconds: float) -> None:
        """Take away so much, also what is not there yet."""
        self._left_s -= seconds
