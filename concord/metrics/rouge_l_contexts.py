"""ROUGE-L of the contexts: recall of the reference in what was retrieved."""

from itertools import chain

from concord.messages import said
from concord.metrics.framework.against_reference import which
from concord.metrics.framework.metric import Example, Metric, Outcome, under_each
from concord.metrics.framework.rouge import compared, figure
from concord.metrics.prompts.inputs import Hand
from concord.model import Item
from concord.text.tokens import tokens

FIGURE = figure("recall")


async def metric(item: Item, by: Hand) -> Outcome:
    """ROUGE-L of all contexts as one text, best first; `best_chunk` is the most that one gives."""
    ranked = sorted(item.contexts, key=lambda one: one.rank)
    chunks = [tokens(one.text) for one in ranked]
    whole = list(chain.from_iterable(chunks))
    against = compared(item.reference, whole)
    value, each = under_each([FIGURE], by, lambda said: against.best(whole, said["figure"]))
    best = max(against.best(chunk, by.switch("figure")) for chunk in chunks)
    parts = {**each, "best_chunk": best}
    return Outcome(value, reason=which(against.references), parts=parts, units=len(chunks))


METRIC = Metric(
    name="rouge_l_contexts",
    title=said("ROUGE-L of the contexts"),
    sentence=said(
        "How much of the reference answer occurs in the retrieved contexts, in its order?"
    ),
    formula=said(
        "l = longest common subsequence of tokens of all contexts, best first, and of the "
        "reference; recall l / tokens of the reference; precision l / tokens of the contexts"
    ),
    needs=("retrieved", "contexts", "reference"),
    metric=metric,
    source=said("Lin 2004; recall counts, since precision mostly says how long the contexts are"),
    asks=False,
    switches=(FIGURE,),
    when_low=said(
        "Look whether the right passage was retrieved at all: search, chunks, embedding."
    ),
    others="The widely used package keeps only Latin letters and digits, so that two identical "
    "Chinese, Japanese or Korean texts score 0; here they score 1. One source calls the "
    "F1 a geometric mean; it is harmonic.",
    example=Example(
        6 / 11,
        "six characters in common of the eleven of the reference: 6/11 = 0.545 (precision 6/19)",
        contexts=["法国位于西欧,与比利时、卢森堡、德国等国接壤..."],
        reference=["法国位于西欧,首都是巴黎。"],
    ),
)
