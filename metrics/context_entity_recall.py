"""Context entity recall: how many names of the reference occur in what was retrieved."""

from collections.abc import Sequence

from data.model import Item, Unit, normalised
from metrics.frame.example import Example
from metrics.frame.hand import Hand, Unmeasured
from metrics.frame.measure import Measure, Outcome, Switch


async def measure(item: Item, by: Hand) -> Outcome:
    """The share of the reference's entities of which any form is an entity of the contexts."""
    wanted = await by.units("reference_entity")
    if not wanted:
        raise Unmeasured("not_applicable", "The reference answer names no entity.")
    listed = await by.units("context_entity")
    text = normalised("\n".join(context.text for context in item.contexts))
    found = {
        "listed": [bool(forms(unit) & all_forms(listed)) for unit in wanted],
        "in the text": [any(form in text for form in forms(unit)) for unit in wanted],
    }
    hits = found[by.switch("found")]
    missing = [unit.text for unit, hit in zip(wanted, hits, strict=True) if not hit]
    return Outcome(
        sum(hits) / len(hits),
        reason=f"Missing: {'; '.join(missing)}." if missing else "All were found.",
        parts={name: sum(one) / len(one) for name, one in found.items()},
        units=len(wanted),
    )


def forms(unit: Unit) -> frozenset[str]:
    """The forms of one entity, normalised."""
    return frozenset(normalised(form) for form in unit.text.split(" | ") if form.strip())


def all_forms(units: Sequence[Unit]) -> frozenset[str]:
    """Every form of several entities."""
    return frozenset().union(*map(forms, units))


MEASURE = Measure(
    name="context_entity_recall",
    title="Context entity recall",
    sentence="How many of the reference answer's names occur in what was retrieved?",
    formula="entities of the reference that the contexts name / entities of the reference",
    needs=("contexts", "reference"),
    measure=measure,
    source="RAGAS; each entity once, whatever its form",
    switches=(
        Switch(
            "found",
            ("listed", "in the text"),
            "Whether an entity must be in the list of the contexts' entities, or in their text.",
        ),
    ),
    when_low="Look at the lists first: what counts as an entity is a matter of judgement.",
    others="RAGAS compares names letter by letter, so another case or spelling is a miss; in "
    "older versions a name listed twice counted twice, and a reference without names "
    "scores 0. Here any form of a name finds it, each counts once, and no names is "
    "undefined.",
    example=Example(
        4 / 6,
        "of six names four are in the contexts: 4/6 = 0.667",
        contexts=["Shah Jahan had the Taj Mahal built in Agra, India, for Mumtaz Mahal."],
        reference=[
            "The Taj Mahal on the Yamuna in Agra was begun in 1631 by Shah Jahan for Mumtaz Mahal."
        ],
        units={
            "reference_entity": [
                "Taj Mahal",
                "Yamuna",
                "Agra",
                "1631",
                "Shah Jahan",
                "Mumtaz Mahal",
            ],
            "context_entity": ["Taj Mahal", "Agra", "Shah Jahan", "Mumtaz Mahal", "India"],
        },
    ),
)
