"""Exact match: whether the answer is the reference answer."""

from concord.messages import said
from concord.metrics.framework.against_reference import NEEDS, as_chosen, best
from concord.metrics.framework.metric import Example, Metric, Outcome, Switch
from concord.metrics.prompts.inputs import Hand
from concord.model import Item
from concord.text.tokens import tokens

LETTERS = Switch(
    "letters",
    ("folded", "verbatim", "words"),
    said(
        "Whether case, width and white space are evened out, nothing is, or only words are "
        "compared."
    ),
)


async def metric(item: Item, by: Hand) -> Outcome:
    """1 where the answer equals some reference answer, else 0."""
    return best(item, by, [LETTERS], _same)


def _same(answer: str, reference: str, chosen) -> float:
    if chosen["letters"] == "words":
        return float(tokens(answer) == tokens(reference))
    return float(as_chosen(answer, chosen) == as_chosen(reference, chosen))


METRIC = Metric(
    name="exact_match",
    title=said("Exact match"),
    sentence=said("Is the answer the reference answer?"),
    formula=said("1 where the answer equals a reference answer, else 0"),
    needs=NEEDS,
    metric=metric,
    source=said(
        "RAGAS compares letter by letter, SQuAD words; ours evens out case, width and spaces"
    ),
    asks=False,
    switches=(LETTERS,),
    when_low=said("Use it only where one short answer is right: a name, a number, a label."),
    others="RAGAS compares the texts as they are; here full-width letters, case and white "
    "space do not count unless chosen otherwise.",
    example=Example(1.0, "the same but for case: 1", answer="berlin", reference=["Berlin"]),
)
