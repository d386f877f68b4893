"""Simulated: how names and sentences say that a grader is simulated."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from concord.messages import said, with_nouns
from concord.model import Grader
from concord.reports.panel.unit_words import with_reasons

T = TypeVar("T")
_REST = re.compile(r"(?<=@[0-9a-f]{6})[0-9a-f]{10}$")  # of a fingerprint of 16 letters


@dataclass(frozen=True)
class Annotator:
    """An annotator whose grades count."""

    name: str
    simulated: bool


def counted(annotators: Iterable[Grader]) -> tuple[Annotator, ...]:
    """Return the annotators whose grades count, as results name them."""
    return tuple(Annotator(one.name, one.simulated) for one in annotators)


def short_label(label: str) -> str:
    """A judge's label with the first 6 letters of its fingerprint, as on the screen Judges."""
    return _REST.sub("", label)


def named(name: str, simulated: bool) -> str:
    """A grader's name to read, with the beginning of its fingerprint; a simulated one says so."""
    name = short_label(name)
    if not simulated or "simulated" in name:
        return name
    return said("{name} (simulated)", name=name)


def annotators_sentence(simulated: int, annotators: int) -> str:
    """Return how many of the annotators are simulated; '' where none are."""
    if not simulated:
        return ""
    if simulated < annotators:
        if simulated == 1:
            return said("1 of the {annotators} annotators is simulated.", annotators=annotators)
        return said(
            "{n} of the {annotators} annotators are simulated.", n=simulated, annotators=annotators
        )
    return said(
        "The annotator is simulated." if annotators == 1 else "All of the annotators are simulated."
    )


def worded(found: T, simulated: bool) -> T:
    """Return a result with every reason in it said of simulated annotators where they are."""
    nouns = {"graders": said("simulated annotators")}
    return with_reasons(found, lambda why: with_nouns(why, nouns)) if simulated else found
