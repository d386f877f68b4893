"""Problem: an error the user can fix, shown unchanged by the app and the command line.

Anything that is not a Problem is a bug and is left to crash with its traceback.
"""


class Problem(Exception):
    """Something the user can put right: one or more full sentences that end in the remedy."""


class Conflict(Problem):
    """The request would overwrite or contradict something already stored."""
