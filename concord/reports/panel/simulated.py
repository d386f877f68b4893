"""Simulated: how names and sentences say that a grader is simulated."""

import re
from typing import Any

from concord.messages import Said, is_message, said
from concord.reports.panel.unit_words import with_reasons

_PEOPLE = re.compile(r"\bpeople\b(?!'s)")


def named(name: str, simulated: bool) -> str:
    """A grader's name; a simulated one says so, once."""
    if not simulated or "simulated" in name:
        return name
    return said("{name} (simulated)", name=name)


def people_sentence(simulated: int, people: int) -> str:
    """How many of the people a figure rests on are simulated; '' where none is."""
    if not simulated:
        return ""
    if simulated < people:
        if simulated == 1:
            return said("1 of the {people} people is simulated.", people=people)
        return said("{n} of the {people} people are simulated.", n=simulated, people=people)
    return said("The person is simulated." if people == 1 else "All of the people are simulated.")


def worded(found: Any, simulated: bool) -> Any:
    """Return a result with every reason in it said of simulated people where they are."""
    return with_reasons(found, _reason) if simulated else found


def _reason(why: str) -> str:
    """A reason said of simulated people; other languages say behind it that they are."""
    english = _PEOPLE.sub("simulated people", why)
    if english == why:
        return why
    if not is_message(why):
        return english
    told = said("{why} (the people are simulated)", why=why)
    return Said(english, told.template, told.values)
