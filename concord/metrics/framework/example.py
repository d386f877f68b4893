"""Example: an item small enough to reckon by hand, and the number a metric gives for it."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from concord.model import Context, Item


class Example(NamedTuple):
    """What is measured, what is said of its units, and what comes out; a test reckons it again.

    Attributes:
        value: The number the metric gives under its first choices.
        working: The arithmetic in plain text.
        question: The question, where it matters; so with every text of the item.
        answer: The answer.
        contexts: The texts of the contexts, best first.
        doc_ids: The ids of the documents they come from; alone, contexts without text.
        reference: The reference answers.
        reference_contexts: The texts of the right passages.
        relevant_ids: The ids of the right documents; None where nobody said.
        rubric: The item's own meanings by score.
        units: The texts of the item's units by kind.
        verdicts: The scores of units by the name of the unit rubric, in order.
        replies: Reply objects of a model by the name of the request, where it is no verdict.
        vectors: Embeddings by text.
    """

    value: float
    working: str
    question: str = ""
    answer: str = ""
    contexts: Sequence[str] = ()
    doc_ids: Sequence[str] = ()
    reference: Sequence[str] = ()
    reference_contexts: Sequence[str] = ()
    relevant_ids: Sequence[str] | None = None
    rubric: Mapping[str, str] = {}
    units: Mapping[str, Sequence[str]] = {}
    verdicts: Mapping[str, Sequence[int]] = {}
    replies: Mapping[str, Any] = {}
    vectors: Mapping[str, Sequence[float]] = {}

    def item(self) -> Item:
        """The item of the example."""
        places = range(max(len(self.contexts), len(self.doc_ids)))
        texts = [*self.contexts, *[""] * len(places)]
        ids = [*self.doc_ids, *[""] * len(places)]
        named = {} if self.relevant_ids is None else {"relevant_ids": list(self.relevant_ids)}
        named |= {"rubric": dict(self.rubric)} if self.rubric else {}
        return Item(
            own_id="example",
            question_id=None,
            cluster=None,
            question=self.question,
            contexts=tuple(Context("", ids[n], texts[n], n + 1) for n in places),
            answer=self.answer,
            answer_model=None,
            reference=tuple(self.reference),
            reference_contexts=tuple(self.reference_contexts),
            turns=None,
            synthetic=False,
            metadata=named,
            row=1,
        )
