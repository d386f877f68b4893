"""Item rubric: a score by the meanings that an item brings along for itself."""

from collections.abc import Mapping

from concord.judges.prompting.delimiters import neutralised
from concord.metrics.framework.metric import Canary, Example, Metric, Outcome
from concord.metrics.own_metrics import Own
from concord.metrics.prompts.inputs import Inputs, Undefined
from concord.model import Item

PROMPT = """\
Give the answer one score by these meanings, which were written for this question.

$meanings

If two scores seem possible, take the one whose meaning describes the answer better. Write the \
reason first: one to three sentences, in the language of the answer."""


async def metric(item: Item, by: Inputs) -> Outcome:
    """The score by the item's own meanings, mapped to [0, 1] since scales differ by item."""
    meanings = _meanings(item)
    low, high = min(meanings), max(meanings)
    # Each on one line, so that it cannot pass for further instructions.
    lines = {score: " ".join(neutralised(text).split()) for score, text in meanings.items()}
    listed = "\n".join(f"{score}: {lines[score]}" for score in sorted(lines))
    own = Own.model_validate(
        {
            "name": METRIC.name,
            "title": METRIC.title,
            "sentence": METRIC.sentence,
            "shown": ("turns", "question", "contexts", "reference", "answer"),
            "prompt": PROMPT.replace("$meanings", listed),
            "number": "score",
            "output": {
                "reason": {"type": "text"},
                "score": {"type": "score", "low": low, "high": high},
            },
        }
    )
    reply = await by.ask(own.ask(item))
    score = float(reply["score"])
    return Outcome(
        (score - low) / (high - low), reason=reply["reason"], parts={"score": score}, units=1
    )


def _meanings(item: Item) -> dict[int, str]:
    """The meanings by score; Undefined where the item brings none that can be used."""
    given = item.metadata.get("rubric")
    if not isinstance(given, Mapping) or len(given) < 2:
        raise Undefined("missing_input", "The item has no rubric.")
    try:
        meanings = {int(score): str(meaning) for score, meaning in given.items()}
    except ValueError:
        raise Undefined("missing_input", "A score of the item's rubric is not a number.") from None
    if sorted(meanings) != list(range(min(meanings), max(meanings) + 1)):
        raise Undefined("missing_input", "The item's rubric skips a score.")
    return meanings


METRIC = Metric(
    name="item_rubric",
    title="Score on the item's rubric",
    sentence="How good is the answer on the rubric written for its question?",
    formula="(score - least score) / (greatest score - least score)",
    needs=("question", "rubric"),
    metric=metric,
    source="RAGAS",
    when_low="Read the reasons.",
    others="RAGAS gives the raw score, which cannot be averaged over rubrics of different "
    "lengths; here both are shown.",
    example=Example(
        0.5,
        "score 2 of a rubric from 1 to 3: (2 - 1) / (3 - 1) = 0.5",
        question="Name two colours of the flag.",
        answer="Red.",
        rubric={"1": "No colour is right.", "2": "One is right.", "3": "Two are right."},
        replies={"item_rubric": {"reason": "One colour is right.", "score": 2}},
    ),
    canaries=(
        Canary(
            "everything the rubric asks for",
            right=(1, 1),
            question="Which two colours has a zebra?",
            answer="Black and white.",
            rubric={"1": "No colour is right.", "2": "One is right.", "3": "Both are right."},
        ),
        Canary(
            "a rubric in Chinese",
            right=(0.5, 0.5),
            question="请说出停课的两个原因。",
            answer="因为下大雪。",
            reference=("因为下大雪，而且停电。",),
            rubric={"0": "没有说对原因。", "1": "说对一个原因。", "2": "说对两个原因。"},
        ),
    ),
)
