"""The chrF of the answer: how many runs of letters it shares with the reference answer."""

from concord.messages import said
from concord.metrics.framework.against_reference import LETTERS, NEEDS, as_chosen, best
from concord.metrics.framework.metric import Example, Metric, Outcome
from concord.metrics.prompts.inputs import Hand
from concord.model import Item
from concord.text.chrf import chrf


async def metric(item: Item, by: Hand) -> Outcome:
    """Return the chrF of the answer against the reference answer with the highest value."""
    return best(
        item,
        by,
        [LETTERS],
        lambda answer, reference, chosen: chrf(
            as_chosen(answer, chosen), as_chosen(reference, chosen)
        ),
    )


METRIC = Metric(
    name="chrf",
    title=said("chrF of the answer"),
    sentence=said("How many runs of one to six letters does the answer share with the reference?"),
    formula=said(
        "P, R = mean share of shared runs of n letters, n = 1..6, of the answer's and of the "
        "reference's; 5 x P x R / (4 x P + R)"
    ),
    needs=NEEDS,
    metric=metric,
    source=said("Popović 2015; needs no words, so it serves any script, on a scale of 0 to 1"),
    asks=False,
    switches=(LETTERS,),
    when_low=said("Read some: right answers in other words are low too, so never take it alone."),
    others="It goes by letters, so it needs no words and is the better choice for Chinese, "
    "Japanese and Korean; the usual tokenizers of the others drop these scripts. RAGAS keeps case, "
    "which does not count here unless chosen otherwise.",
    example=Example(
        175 / 594,
        "runs of one letter 2 of 3 and 2 of 4, of two 1 of 2 and 1 of 3, of three 0: "
        "P = (2/3 + 1/2 + 0) / 3 = 0.389, R = (2/4 + 1/3 + 0) / 3 = 0.278, F = 0.295",
        answer="abd",
        reference=["abce"],
    ),
)
