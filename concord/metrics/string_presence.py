"""String presence: occurrence of the reference answer in the answer."""

from concord.messages import said
from concord.metrics.framework.against_reference import NEEDS, as_chosen, best
from concord.metrics.framework.metric import Example, Metric, Outcome, Switch
from concord.metrics.prompts.inputs import Hand
from concord.model import Item
from concord.text.tokens import STOPS, tokens

LETTERS = Switch(
    "letters",
    ("folded", "verbatim"),
    said(
        "Whether the reference is sought in whole words with case, width and white space evened "
        "out, or letter by letter, even within a word."
    ),
)


async def metric(item: Item, by: Hand) -> Outcome:
    """Return 1 where some reference answer occurs in the answer, else 0."""
    return best(item, by, [LETTERS], _stands)


def _stands(answer: str, reference: str, chosen) -> float:
    if chosen["letters"] == "verbatim":
        return float(reference in answer)
    sought = as_chosen(reference, chosen).rstrip(STOPS + " ") or as_chosen(reference, chosen)
    whole = _run_of(tokens(reference), tokens(answer))
    return float(whole and sought in as_chosen(answer, chosen))


def _run_of(part: list[str], whole: list[str]) -> bool:
    """True where tokens occur consecutively in others: “no” is not in “know”, 3 not in 3.5."""
    starts = range(len(whole) - len(part) + 1)
    return any(whole[start : start + len(part)] == part for start in starts)


METRIC = Metric(
    name="string_presence",
    title=said("String presence"),
    sentence=said("Does the answer contain the reference answer?"),
    formula=said(
        "1 where the answer holds a reference answer, less its closing mark, in whole words; else 0"
    ),
    needs=NEEDS,
    metric=metric,
    source=said("RAGAS, which finds “no” in “know” as well; ours seeks whole words"),
    asks=False,
    switches=(LETTERS,),
    when_low=said("Use it only where the reference is a name, number or term that must be said."),
    others="RAGAS looks for the letters as they are; here case, width and white space are "
    "evened out unless chosen otherwise.",
    example=Example(
        1.0,
        "the reference is the last word: 1",
        answer="The chemical formula for water is H2O.",
        reference=["H2O"],
    ),
)
