"""BLEU of the answer: how many runs of words it shares with the reference answers."""

import math

from concord.messages import said
from concord.metrics.framework.against_reference import NEEDS
from concord.metrics.framework.metric import Example, Metric, Outcome, Switch, under_each
from concord.metrics.framework.rouge import compared
from concord.metrics.prompts.inputs import Hand
from concord.model import Item
from concord.text.bleu import SMOOTHINGS, bleu
from concord.text.tokens import tokens

SMOOTHING = Switch(
    "smoothing",
    SMOOTHINGS,
    said(
        "What counts where no run of a length is shared: half a match and less, one more, or "
        "nothing."
    ),
)


async def metric(item: Item, by: Hand) -> Outcome:
    """BLEU of the answer, a corpus of one segment, against all its reference answers together."""
    answer = tokens(item.answer)
    references = compared(item.reference, answer).references
    value, each = under_each(
        [SMOOTHING], by, lambda chosen: bleu(answer, references, chosen["smoothing"])
    )
    reason = said("Runs of one to four tokens against {n} reference answers.", n=len(references))
    if len(references) == 1:
        reason = said("Runs of one to four tokens against the reference answer.")
    return Outcome(value, reason=reason, parts=each, units=len(references))


METRIC = Metric(
    name="bleu",
    title=said("BLEU of the answer"),
    sentence=said("How many runs of one to four words does the answer share with the reference?"),
    formula=said(
        "brevity penalty x geometric mean over n = 1..4 of shared runs of n tokens / runs of the "
        "answer; penalty e^(1 - r/c) where the answer (c tokens) is shorter than the reference (r)"
    ),
    needs=NEEDS,
    metric=metric,
    source=said("Papineni et al. 2002; the whole text is one segment, on a scale of 0 to 1"),
    asks=False,
    switches=(SMOOTHING,),
    when_low=said(
        "Read some: BLEU was made for whole corpora and is rough for one answer; see chrF."
    ),
    others="RAGAS splits both texts at full stops and then compares the answer's first sentence "
    "alone, with each sentence of the reference: an answer that is one sentence of its "
    "reference scores 1, and so does one that goes on with nonsense. Here the whole text is "
    "one piece. RAGAS keeps case, which does not count here, and gives a text of under four "
    "words 0, also where it is the reference; here the mean is over the lengths that the text "
    "has, so that such a text scores 1. Chinese, Japanese and Korean count by characters "
    "here.",
    example=Example(
        math.exp(-1),
        "every run of the answer is in the reference, which is twice as long: e^(1 - 10/5) = 0.368",
        answer="Berlin is Germany's largest city.",
        reference=["Berlin is Germany's largest city. It lies on the Spree."],
    ),
)
