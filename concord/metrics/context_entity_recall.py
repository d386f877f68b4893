"""Context entity recall: how many names of the reference occur in what was retrieved."""

from collections.abc import Sequence

from concord.metrics.framework.metric import Canary, Example, Metric, Outcome, Switch
from concord.metrics.prompts.inputs import Inputs, Undefined, Verdict
from concord.model import Item, Unit
from concord.text.entity_names import all_forms, forms, named, passage, spoken

RUBRIC = "entities-in-contexts"
PRESENT, MISSING = 1, 0


async def metric(item: Item, by: Inputs) -> Outcome:
    """Return the share of the reference's entities of which any form is an entity of the contexts.

    The verdicts follow from the two lists without a request; an annotator's labels of the same
    entities give the share by that annotator.
    """
    wanted = await by.units("reference_entity")
    if not wanted:
        raise Undefined("not_applicable", "The reference answer names no entity.")
    labels = by.labelled(RUBRIC, wanted)
    if labels is not None:
        return _outcome(wanted, [labels[unit.id].score == PRESENT for unit in wanted])
    listed = all_forms(unit.text for unit in await by.units("context_entity"))
    texts = [context.text for context in item.contexts]
    found = {
        "listed": [bool(forms(unit.text) & listed) for unit in wanted],
        "in the text": [any(named(unit.text, text) for text in texts) for unit in wanted],
    }
    hits = found[by.switch("found")]
    verdicts = [_verdict(unit, hit, texts) for unit, hit in zip(wanted, hits, strict=True)]
    await by.conclude(RUBRIC, wanted, verdicts)
    parts = {name: sum(one) / len(one) for name, one in found.items()}
    flags = by.flags("reference_entity")
    return _outcome(wanted, hits)._replace(parts=parts, flags=flags)


def _outcome(wanted: Sequence[Unit], hits: Sequence[bool]) -> Outcome:
    missing = [spoken(unit.text) for unit, hit in zip(wanted, hits, strict=True) if not hit]
    reason = f"Missing: {'; '.join(missing)}." if missing else "All were found."
    return Outcome(sum(hits) / len(hits), reason=reason, units=len(wanted))


def _verdict(unit: Unit, hit: bool, texts: Sequence[str]) -> Verdict:
    """Return the rule's verdict on one entity, with a passage that names it."""
    if not hit:
        return Verdict(MISSING, "Not found.")
    return Verdict(PRESENT, "Found.", passage(unit.text, texts))


METRIC = Metric(
    name="context_entity_recall",
    title="Context entity recall",
    sentence="How many entities of the reference answer occur in the contexts?",
    formula="entities of the reference that the contexts name / entities of the reference",
    needs=("contexts", "reference"),
    metric=metric,
    source="RAGAS",
    switches=(
        Switch(
            "found",
            ("listed", "in the text"),
            "Whether an entity must be in the list of the contexts' entities, or in their text.",
        ),
    ),
    rubrics=(RUBRIC,),
    by_rule=True,
    when_low="Try hybrid search, other chunking or another embedding model.",
    others="RAGAS compares exact strings; here any form of a name matches, and each counts "
    "once. A reference without names scores 0 there and is undefined here.",
    example=Example(
        4 / 6,
        "four of six names are in the contexts: 4/6 = 0.667",
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
    canaries=(
        Canary(
            "one name of two",
            right=(0.5, 0.5),
            contexts=("The ferry leaves from Turku at eight.",),
            reference=("The ferry goes from Turku to Mariehamn.",),
            units={"reference_entity": ["Turku", "Mariehamn"]},
        ),
        Canary(
            "the same text, in Japanese",
            right=(1, 1),
            contexts=("夏目漱石は1905年に『吾輩は猫である』を発表した。",),
            reference=("夏目漱石は1905年に『吾輩は猫である』を発表した。",),
        ),
    ),
)
