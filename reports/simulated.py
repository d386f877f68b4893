"""Simulated: how names and sentences say that a grader is simulated."""

import re
from typing import Any

_PEOPLE = re.compile(r"\bpeople\b(?!'s)")


def named(name: str, simulated: bool) -> str:
    """A grader's name; a simulated one says so, once."""
    return f"{name} (simulated)" if simulated and "simulated" not in name else name


def people_sentence(simulated: int, people: int) -> str:
    """How many of the people a figure rests on are simulated; '' where none is."""
    if not simulated:
        return ""
    if simulated < people:
        are = "is" if simulated == 1 else "are"
        return f"{simulated} of the {people} people {are} simulated."
    return "The person is simulated." if people == 1 else "All of the people are simulated."


def worded(found: Any, simulated: bool) -> Any:
    """What a report found, with every `why_none` in it said of simulated people where they are."""
    if not simulated:
        return found
    if isinstance(found, list):
        return [worded(one, simulated) for one in found]
    if not isinstance(found, dict):
        return found
    return {
        key: _PEOPLE.sub("simulated people", one)
        if key == "why_none" and isinstance(one, str)
        else worded(one, simulated)
        for key, one in found.items()
    }
