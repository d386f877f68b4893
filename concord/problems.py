"""Problem: an error the user can fix, as `concord.messages` defines it."""

from concord.messages import Conflict, Problem

__all__ = ["Conflict", "Problem"]
