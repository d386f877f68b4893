"""Comparison of the answer with each reference; the highest value counts."""

from collections.abc import Callable, Mapping, Sequence

from concord.messages import said
from concord.metrics.framework.metric import Outcome, Switch, under_each
from concord.metrics.prompts.inputs import Hand, Undefined
from concord.model import Item
from concord.text.normal_form import normalised

NEEDS = ("answer", "reference")
LETTERS = Switch(
    "letters",
    ("folded", "verbatim"),
    said("Whether case, width and white space are evened out before letters are compared."),
)


def as_chosen(text: str, chosen: Mapping[str, str]) -> str:
    """The text as the switch `letters` has it compared."""
    return text if chosen[LETTERS.name] == "verbatim" else normalised(text)


def best(
    item: Item,
    by: Hand,
    switches: Sequence[Switch],
    number: Callable[[str, str, Mapping[str, str]], float],
) -> Outcome:
    """Return the highest value against any reference, and the value under every other choice.

    `number` takes the answer, one reference and the choices made.
    """
    references = written(item)
    value, each = under_each(
        switches,
        by,
        lambda chosen: max(number(item.answer, one, chosen) for one in references),
    )
    return Outcome(value, reason=which(references), parts=each, units=len(references))


def written(item: Item) -> list[str]:
    """The reference answers that are not empty; Undefined where none is, or the answer is."""
    references = [one for one in item.reference if one.strip()]
    if not item.answer.strip() or not references:
        raise Undefined(
            "not_applicable",
            said("The answer is empty, so there is nothing to compare.")
            if references
            else said("The reference is empty, so there is nothing to compare."),
        )
    return references


def which(references: Sequence[object]) -> str:
    """Return a sentence on the references compared with."""
    several = f"the best of {len(references)} reference answers"
    return f"Against {'the reference answer' if len(references) == 1 else several}."
