"""Similarity of retrieved contexts to the reference passages, by characters, without a model."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import fmean
from typing import NamedTuple

from concord.metrics.framework import support
from concord.metrics.framework.metric import Example, Metric, Outcome, Switch, by_choice
from concord.metrics.framework.retrieved import context_precision
from concord.metrics.framework.support import DUPLICATES, Parts
from concord.metrics.prompts.inputs import Inputs, Undefined
from concord.model import Item
from concord.text.normal_form import folded, normalised
from concord.text.similarity import edit_likeness

NEEDS = ("retrieved", "contexts", "reference_contexts")
THRESHOLD = Switch(
    "threshold",
    ("0.5", "0.3", "0.7", "0.9"),
    "Minimum similarity of a context and a relevant passage; at 0.5 half of the characters differ.",
)


class PassageSimilarities(NamedTuple):
    """Similarities of contexts, best first, and distinct reference passages.

    `table` is (contexts, passages) from 0 to 1; case, width and white space do not count. `places`
    marks the first context with its text.
    """

    table: tuple[tuple[float, ...], ...]
    places: Parts

    def contexts(self, chosen: Mapping[str, str]) -> list[bool]:
        """Return for each distinct context if it is similar to some passage."""
        rows = self.places.counted(self.table, chosen)
        return [max(row) >= float(chosen[THRESHOLD.name]) for row in rows]

    def passages(self, chosen: Mapping[str, str]) -> list[bool]:
        """Return for each passage if it is similar to some context."""
        columns = zip(*self.table, strict=True)
        return [max(column) >= float(chosen[THRESHOLD.name]) for column in columns]

    def flags(self, chosen: Mapping[str, str]) -> tuple[str, ...]:
        """Return the caveats: nothing is similar, or duplicates were retrieved."""
        found = () if any(self.contexts(chosen)) else ("no_relevant",)
        return found + self.places.flags(chosen)


def _metric(
    which: Callable[[PassageSimilarities, Mapping[str, str]], list[bool]],
    number: Callable[[Sequence[bool]], float],
    found: str,
    *switches: Switch,
):
    """Return a metric of similar passages, with its value under every choice.

    `which` returns the similar contexts or passages under the choices made, `number` maps them to
    the value, and `found` describes the count in words.
    """

    async def metric(item: Item, by: Inputs) -> Outcome:
        likeness = passage_similarities(item)
        chosen = {one.name: by.switch(one.name) for one in switches}
        value, each = by_choice(switches, by, lambda choice: number(which(likeness, choice)))
        hits, flags = which(likeness, chosen), likeness.flags(chosen)
        reason = f"{sum(hits)} of {len(hits)} {found}."
        return Outcome(value, reason=reason, parts=each, flags=flags, units=len(hits))

    return metric


def passage_similarities(item: Item) -> PassageSimilarities:
    """The likenesses of an item; Undefined where it has no contexts or no reference passages."""
    ranked = sorted(item.contexts, key=lambda one: one.rank)
    contexts = [normalised(one.text) for one in ranked]
    passages = [normalised(text) for text in folded(item.reference_contexts) if text.strip()]
    if not any(contexts) or not passages:
        lacking = "contexts" if passages else "reference contexts"
        raise Undefined("missing_input", "There are no {lacking} to compare.", lacking=lacking)
    table = tuple(tuple(edit_likeness(a, b) for b in passages) for a in contexts)
    return PassageSimilarities(table, support.of_texts(contexts))


_declared = partial(
    Metric,
    needs=NEEDS,
    asks=False,
    when_low="Try hybrid search, other chunking or another embedding model.",
    others="RAGAS requires more than 0.5 for recall; here 0.5 is enough for both.",
)
CONTEXT_PRECISION_BY_LIKENESS = _declared(
    name="context_precision_by_likeness",
    title="Context precision by similarity",
    sentence="Are contexts similar to the relevant passages ranked before the others?",
    formula="mean over ranks k of contexts similar to a reference passage of: such contexts up to "
    "k / k; similar where 1 - edit distance / longer text reaches the threshold",
    metric=_metric(
        PassageSimilarities.contexts,
        context_precision,
        "contexts are similar to a relevant passage",
        THRESHOLD,
        DUPLICATES,
    ),
    source="RAGAS",
    switches=(THRESHOLD, DUPLICATES),
    example=Example(
        7 / 12,
        "similar at ranks 2 and 3: (1/2 + 2/3) / 2 = 0.583",
        contexts=[
            "Snow is cold and white.",
            "Berlin is the capital of Germany.",
            "Paris is the capital of France!",
        ],
        reference_contexts=["Berlin is the capital of Germany.", "Paris is the capital of France."],
    ),
)

CONTEXT_RECALL_BY_LIKENESS = _declared(
    name="context_recall_by_likeness",
    title="Context recall by similarity",
    sentence="How many of the relevant passages have a similar retrieved context?",
    formula="reference passages to which some context is similar / reference passages; "
    "similar where 1 - edit distance / longer text reaches the threshold",
    metric=_metric(
        PassageSimilarities.passages, fmean, "relevant passages have a similar context", THRESHOLD
    ),
    source="RAGAS",
    switches=(THRESHOLD,),
    example=Example(
        0.5,
        "one of the two relevant passages was retrieved: 1/2",
        contexts=["Paris is the capital of France."],
        reference_contexts=["Paris is the capital of France.", "Snow is cold and white."],
    ),
)
