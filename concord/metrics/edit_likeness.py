"""Edit likeness: how few letters must change to make the answer the reference answer."""

from concord.messages import said
from concord.metrics.framework.against_reference import LETTERS, NEEDS, as_chosen, best
from concord.metrics.framework.metric import Example, Metric, Outcome, Switch
from concord.metrics.prompts.inputs import Hand
from concord.model import Item
from concord.text import similarity

BY = {"levenshtein": similarity.edit_likeness, "jaro": similarity.jaro}
DISTANCE = Switch(
    "distance",
    tuple(BY),
    said(
        "Whether letters put in, taken out and replaced are counted, or shared letters and their "
        "order (Jaro, made for names)."
    ),
)


async def metric(item: Item, by: Hand) -> Outcome:
    """The likeness of the answer to the reference answer it is most like."""
    return best(
        item,
        by,
        [DISTANCE, LETTERS],
        lambda answer, reference, chosen: BY[chosen["distance"]](
            as_chosen(answer, chosen), as_chosen(reference, chosen)
        ),
    )


METRIC = Metric(
    name="edit_likeness",
    title=said("Edit likeness"),
    sentence=said("How alike are the answer and the reference answer, letter by letter?"),
    formula=said("1 - letters put in, taken out or replaced / letters of the longer text"),
    needs=NEEDS,
    metric=metric,
    source=said("Levenshtein 1966, as RAGAS's non-LLM string similarity; Jaro 1989"),
    asks=False,
    switches=(DISTANCE, LETTERS),
    when_low=said("Read some: a right answer that is longer than the reference is low too."),
    others="RAGAS compares letters as they are; here case, width and white space are "
    "evened out unless chosen otherwise.",
    example=Example(
        33 / 37,
        "four of 37 letters differ: 1 - 4/37 = 0.892",
        answer="The Eiffel Tower is located in Paris.",
        reference=["The Eiffel Tower is located in India."],
    ),
)
