"""Context recall: how much of the reference answer, by claims or sentences, was retrieved."""

from concord.metrics.framework.metric import Example, Metric
from concord.metrics.framework.support import CONTEXTS, DUPLICATES, SUPPORT, share_supported

METRIC = Metric(
    name="context_recall",
    title="Context recall",
    sentence="How much of the reference answer can be found in the retrieved contexts?",
    formula="claims of the reference found in the contexts / claims of the reference",
    needs=("question", "contexts", "reference"),
    metric=share_supported(
        "reference-claims-in-contexts",
        "reference_claim",
        "The reference answer contains no claims to look for.",
        in_each_context="reference-claims-in-chunk",
    ),
    source="RAGAS",
    switches=(SUPPORT, CONTEXTS),
    rubrics=("reference-claims-in-contexts",),
    when_low="Try hybrid search, other chunking or another embedding model.",
    others="RAGAS judges whole sentences and splits them again in each run; here the claims "
    "are extracted once and stored.",
    example=Example(
        0.5,
        "the contexts support one claim of two: 1/2",
        question="What is France known for?",
        contexts=["Paris is the capital of France."],
        reference=["Paris is the capital of France, and the Louvre is its largest museum."],
        units={
            "reference_claim": [
                "Paris is the capital of France.",
                "The Louvre is the largest museum of France.",
            ]
        },
        verdicts={"reference-claims-in-contexts": [3, 1]},
    ),
)

BY_SENTENCE = Metric(
    name="context_recall_by_sentence",
    title="Context recall by sentences",
    sentence="How many sentences of the reference answer can be found in the retrieved contexts?",
    formula="sentences of the reference found in the contexts / sentences of the reference",
    needs=("question", "contexts", "reference"),
    metric=share_supported(
        "reference-sentences-in-contexts",
        "reference_sentence",
        "The reference answer has no sentences.",
        (SUPPORT, DUPLICATES),
    ),
    source="RAGAS",
    switches=(SUPPORT, DUPLICATES),
    rubrics=("reference-sentences-in-contexts",),
    when_low="Try hybrid search, other chunking or another embedding model.",
    others="RAGAS's documentation gives 1 for the example; by the definition it is 0.",
    example=Example(
        0.0,
        "the context does not say where the tower is: 0/1",
        question="Where is the Eiffel Tower?",
        contexts=["Paris is the capital of France."],
        reference=["The Eiffel Tower is located in Paris."],
        verdicts={"reference-sentences-in-contexts": [1]},
    ),
)
