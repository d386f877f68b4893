"""Choices: a measure's number under the choice made, and under every other one beside it. Pure."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from metrics.frame.hand import Hand
from metrics.frame.measure import Switch


def under_each(
    switches: Sequence[Switch], by: Hand, number: Callable[[Mapping[str, str]], Any]
) -> tuple[Any, dict[str, Any]]:
    """What `number` gives for the choices made, and what each single other choice would give.

    `number` takes the choice of every switch by its name. The second result is by choice, with
    those that were made among them; no two switches of a measure share the name of a choice.
    """
    chosen = {one.name: by.switch(one.name) for one in switches}
    each = {
        choice: number({**chosen, one.name: choice}) for one in switches for choice in one.choices
    }
    return number(chosen), each
