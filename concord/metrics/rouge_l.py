"""ROUGE-L of the answer: how much of the reference it says in the same words and order."""

from concord.messages import said
from concord.metrics.framework.against_reference import NEEDS, which
from concord.metrics.framework.metric import Example, Metric, Outcome, under_each
from concord.metrics.framework.rouge import compared, figure
from concord.metrics.prompts.inputs import Hand
from concord.model import Item
from concord.text.tokens import tokens

FIGURE = figure("f1")


async def metric(item: Item, by: Hand) -> Outcome:
    """Return the ROUGE-L of the answer against the reference answer with the highest value."""
    answer = tokens(item.answer)
    against = compared(item.reference, answer)
    value, each = under_each([FIGURE], by, lambda said: against.best(answer, said["figure"]))
    units = len(against.references)
    return Outcome(value, reason=which(against.references), parts=each, units=units)


METRIC = Metric(
    name="rouge_l",
    title=said("ROUGE-L of the answer"),
    sentence=said(
        "How much of the reference answer does the answer say in the same words and order?"
    ),
    formula=said(
        "l = longest common subsequence of tokens; precision l / tokens of the answer, recall "
        "l / tokens of the reference, F1 = 2 x precision x recall / (precision + recall)"
    ),
    needs=NEEDS,
    metric=metric,
    source=said(
        "Lin 2004; one token per Chinese, Japanese or Korean character, one per word elsewhere"
    ),
    asks=False,
    switches=(FIGURE,),
    when_low=said("Read some: right answers in other words are low too, so never take it alone."),
    others="RAGAS reduces English words to their stems, so “the running runners” compared "
    "with “the runner runs” is 0.667 there and 0.333 here. The widely used package, "
    "which it takes, keeps only Latin letters and digits, so that two identical "
    "Chinese, Japanese or Korean texts score 0; here they score 1. One source calls "
    "the F1 a geometric mean; it is harmonic.",
    example=Example(
        2 / 3,
        "three tokens in common: precision 3/3, recall 3/6, F1 = 2 x 1 x 0.5 / 1.5 = 0.667",
        answer="The cat sat.",
        reference=["The cat sat on the mat."],
    ),
)
