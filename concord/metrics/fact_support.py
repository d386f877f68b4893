"""Fact support: the share of an answer's facts that the reference document supports."""

from concord.metrics.framework.metric import Canary, Example, Metric, Outcome, Switch
from concord.metrics.framework.retrieved import documents
from concord.metrics.framework.support import SUPPORT, supported
from concord.metrics.prompts.inputs import Inputs, Undefined
from concord.model import Item


async def metric(item: Item, by: Inputs) -> Outcome:
    """Return the share of supported facts, with the shares of refuted and missing ones as parts."""
    if by.switch("only") == "retrieved" and not _was_retrieved(item):
        raise Undefined("not_applicable", "The reference document was not retrieved.")
    nothing = "The answer states no facts to look up."
    found = await supported(by, "facts-in-document", "fact", nothing)
    refuted = found.parts["contradicted"]
    strict = found.parts["strict"]
    rates = {"supports": strict, "refutes": refuted, "not enough info": 1 - strict - refuted}
    return found._replace(parts={**found.parts, **rates})


def _was_retrieved(item: Item) -> bool:
    """True where a relevant document was retrieved; Undefined where the ids do not show it."""
    if not item.relevant_ids and item.metadata.get("relevant_ids") != []:
        raise Undefined("missing_input", "The relevant documents are not known.")
    return documents(item).found > 0


METRIC = Metric(
    name="fact_support",
    title="Fact support",
    sentence="How many facts of the answer does the reference document support, and how many does "
    "it refute?",
    formula="facts supported by the reference document / facts of the answer",
    needs=("question", "answer", "reference_contexts"),
    metric=metric,
    source="WikiChat 2023",
    switches=(
        SUPPORT,
        Switch(
            "only",
            ("all", "retrieved"),
            "Whether answers count if their document was not retrieved.",
        ),
    ),
    rubrics=("facts-in-document",),
    when_low="Review the refuted facts one by one.",
    others="WikiChat's script counts a reply that is not spelled as expected as a refutation; "
    "here it is unreadable.",
    example=Example(
        0.4,
        "two of five facts are supported, one is refuted, two are not mentioned: 2/5",
        question="Who built the harbour bridge?",
        answer="Anna Lind built it in 1932. It is the longest, red, and closed at night.",
        reference_contexts=["Anna Lind built the harbour bridge in 1932. It is open at night."],
        units={
            "fact": [
                "Anna Lind built the harbour bridge.",
                "The harbour bridge was built in 1932.",
                "The harbour bridge is closed at night.",
                "The harbour bridge is the longest.",
                "The harbour bridge is red.",
            ]
        },
        verdicts={"facts-in-document": [3, 3, 0, 1, 1]},
    ),
    canaries=(
        Canary(
            "nothing to look up",
            none="not_applicable",
            question="Can you help me choose a bicycle?",
            answer="Gladly! What do you need it for, and how much would you like to spend?",
            reference_contexts=("Bicycles are sold on the second floor.",),
        ),
        Canary(
            "a wrong height, in Japanese",
            right=(0, 0),
            question="この塔の高さは何メートルですか。",
            answer="この塔の高さは120メートルです。",
            reference_contexts=("この塔の高さは85メートルである。",),
        ),
    ),
)
