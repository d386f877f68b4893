"""Context precision and utilization: rank of the useful contexts above the useless ones."""

from functools import partial

from concord.metrics.framework.metric import Example, Metric, Outcome
from concord.metrics.framework.retrieved import context_precision
from concord.metrics.framework.support import DUPLICATES, of_hits
from concord.metrics.prompts.inputs import Inputs
from concord.model import Item


async def _precision(rubric: str, item: Item, by: Inputs) -> Outcome:
    """Return context precision from verdicts on chunks; `no_relevant` where none is useful.

    A duplicate chunk counts at its first rank, unless chosen otherwise.
    """
    chunks = await by.units("chunk")
    verdicts = await by.verdicts(rubric, chunks)
    hits = [verdicts[chunk.id].score > 0 for chunk in chunks]
    found, useful = of_hits(
        (one.text for one in chunks), hits, by, "contexts are useful", number=context_precision
    )
    ranks = ", ".join("yes" if one else "no" for one in useful)
    return found._replace(
        reason=f"{found.reason[:-1]}: {ranks}.",
        parts={**found.parts, "share useful": sum(useful) / len(useful)},
    )


_declared = partial(
    Metric,
    formula="mean over useful ranks k of: useful contexts up to k / k; 0 where none is useful",
    switches=(DUPLICATES,),
)
CONTEXT_PRECISION = _declared(
    name="context_precision",
    title="Context precision",
    sentence="Are the contexts that the reference answer needs ranked before the others?",
    needs=("question", "contexts", "reference"),
    metric=partial(_precision, "chunks-for-reference"),
    source="RAGAS",
    rubrics=("chunks-for-reference",),
    when_low="Improve the ranking, for example with a reranker.",
    others="RAGAS adds a tiny constant to the denominator: a perfect ranking gives 0.9999999999.",
    example=Example(
        7 / 12,
        "contexts 2 and 3 are useful: precision 1/2 and 2/3 there, mean 7/12 = 0.5833",
        question="What is the capital of France?",
        contexts=["France has many rivers.", "Paris is its capital.", "Paris is large."],
        reference=["The capital of France is Paris."],
        verdicts={"chunks-for-reference": [0, 1, 1]},
    ),
)

CONTEXT_UTILIZATION = _declared(
    name="context_utilization",
    title="Context utilization",
    sentence="Are the contexts that the answer uses ranked before the others?",
    needs=("question", "answer", "contexts"),
    metric=partial(_precision, "chunks-for-answer"),
    source="RAGAS",
    rubrics=("chunks-for-answer",),
    when_low="Check faithfulness first: a wrong answer makes useful contexts look useless.",
    others="RAGAS calls it context precision without a reference.",
    example=Example(
        0.5,
        "only the second of two contexts is useful: precision 1/2 at its rank",
        question="What is the capital of France?",
        answer="Paris.",
        contexts=["France has many rivers.", "Paris is the capital of France."],
        verdicts={"chunks-for-answer": [0, 1]},
    ),
)
