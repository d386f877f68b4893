"""Semantic similarity: how alike answer and reference are by their embeddings."""

from concord.metrics.framework.metric import Canary, Example, Metric, Outcome
from concord.metrics.prompts.inputs import Inputs, cosine
from concord.model import Item


async def metric(item: Item, by: Inputs) -> Outcome:
    """The cosine of the answer with the reference answer it is most like."""
    answer, *references = await by.embed([item.answer, *item.reference])
    likeness = [cosine(answer, reference) for reference in references]
    return Outcome(
        max(likeness),
        parts={"mean over references": sum(likeness) / len(likeness)},
        units=len(likeness),
    )


METRIC = Metric(
    name="semantic_similarity",
    title="Semantic similarity",
    sentence="How similar are the embeddings of the answer and the reference answer?",
    formula="cosine(embedding of the answer, embedding of the reference)",
    needs=("answer", "reference"),
    metric=metric,
    source="RAGAS",
    low=-1.0,
    asks=False,
    embeds=True,
    when_low="Read some answers: a correct paraphrase also scores low.",
    others="RAGAS embeds a space instead of an empty text; here that is missing input.",
    example=Example(
        0.8,
        "the vectors (1, 0) and (0.8, 0.6) have the cosine 0.8",
        answer="Paris.",
        reference=["It is Paris."],
        vectors={"Paris.": [1, 0], "It is Paris.": [0.8, 0.6]},
    ),
    canaries=(
        Canary(
            "a paraphrase, in Chinese",
            worse="铜屋顶年久会变绿。",
            answer="图书馆星期一闭馆。",
            reference=("星期一图书馆不开放。",),
        ),
        Canary(
            "a paraphrase, in Japanese",
            worse="猫は一日の大半を眠って過ごします。",
            answer="会議室は三日前までに予約が必要です。",
            reference=("会議室を使うには、三日前までに予約してください。",),
        ),
    ),
)
