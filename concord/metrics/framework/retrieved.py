"""Retrieved: what was retrieved for an item, best first, and which of it is right."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from concord.metrics.framework.metric import Outcome
from concord.metrics.prompts.inputs import Undefined
from concord.model import Context, Item


def context_precision(relevant: Sequence[bool]) -> float:
    """The mean of precision at k over the ranks k that are relevant; 0 where none is.

    `relevant` is (K,), best rank first; K >= 1.
    """
    hits, total = 0, 0.0
    for rank, is_relevant in enumerate(relevant, 1):
        if is_relevant:
            hits += 1
            total += hits / rank
    return total / hits if hits else 0.0


def average_precision(hits: Sequence[bool], relevant: int, k: int | None = None) -> float:
    """Precision at the ranks of what is relevant, over all that is relevant, found or not (TREC).

    What was not found counts with precision 0, which `context_precision` leaves out. `relevant` is
    at least 1; ranks below k do not count.
    """
    top = hits[:k]
    return context_precision(top) * sum(top) / relevant


def precision_at(hits: Sequence[bool], k: int) -> float:
    """The share of the first k places that hold what is relevant; empty places count as wrong."""
    return sum(hits[:k]) / k


def recall_at(hits: Sequence[bool], relevant: int, k: int | None = None) -> float:
    """Return recall at k: the share of all relevant that are among the first k; `relevant` >= 1."""
    return sum(hits[:k]) / relevant


def reciprocal_rank(hits: Sequence[bool], k: int | None = None) -> float:
    """One over the rank of the first that is relevant; 0 where none is among the first k."""
    return next((1 / rank for rank, hit in enumerate(hits[:k], 1) if hit), 0.0)


def ndcg(hits: Sequence[bool], relevant: int, k: int | None = None) -> float:
    """Discounted gain, each hit over log2(rank + 1), over that of the ideal order; 0 to 1.

    The ideal has all that is relevant on top, cut at k (Järvelin and Kekäläinen 2002, as in
    trec_eval). `relevant` is at least 1 and at least the number of hits.
    """
    ideal = relevant if k is None else min(relevant, k)
    return _gain(hits[:k]) / _gain([True] * ideal)


def _gain(hits: Sequence[bool]) -> float:
    return sum(1 / math.log2(rank + 1) for rank, hit in enumerate(hits, 1) if hit)


NEEDS = ("retrieved", "context_ids", "relevant_ids")


class Retrieved(NamedTuple):
    """Retrieved documents without duplicates, each at its first rank.

    `hits` is (n,), best first, true where relevant. Of the known `relevant` ones (at least 1) so
    many were `found`; `folded` contexts are left out as duplicates of higher ones.
    """

    hits: tuple[bool, ...]
    relevant: int
    found: int
    folded: int


def documents(item: Item) -> Retrieved:
    """Return the documents of the contexts; a context without a document id counts as one.

    Raises Undefined without relevant documents, or with ids of two kinds.
    """
    right = _right(item)
    given = [one.doc_id or one.id for one in _ranked(item)]
    if right.isdisjoint(given) and not right.isdisjoint(one.id for one in item.contexts):
        raise Undefined(
            "missing_input",
            "The relevant ids are context ids, but the contexts also name documents. Give the ids "
            "of the relevant documents.",
        )
    once = list(dict.fromkeys(given))
    hits = tuple(one in right for one in once)
    return Retrieved(hits, len(right), sum(hits), len(given) - len(once))


def contexts(item: Item) -> Retrieved:
    """The contexts themselves; one is right where its own id or its document's is named."""
    right = _right(item)
    ranked = _ranked(item)
    once: dict[str, set[str]] = {}
    for one in ranked:
        once.setdefault(one.id or one.doc_id, {one.id, one.doc_id})
    hits = tuple(not right.isdisjoint(ids) for ids in once.values())
    named = {one for ids in once.values() for one in ids}
    return Retrieved(hits, len(right), len(right & named), len(ranked) - len(once))


def outcome(
    found: Retrieved, value: float, parts: Mapping[str, float | None] | None = None
) -> Outcome:
    """The outcome of any metric of what was retrieved, with the words and flags they share."""
    flags = ["duplicates_folded"] if found.folded else []
    if not found.hits:
        reason, flags = "Nothing was retrieved, which counts as 0.", ["nothing_retrieved", *flags]
    else:
        ranks = ", ".join(str(rank) for rank, hit in enumerate(found.hits, 1) if hit)
        flags = flags if ranks else ["no_relevant", *flags]
        known = f"relevant: {found.relevant}; ranks: {ranks or 'none'}"
        reason = f"Retrieved: {len(found.hits)}; {known}."
    return Outcome(value, "scored", reason, parts or {}, tuple(flags), len(found.hits))


def share(found: Retrieved) -> Outcome:
    """The share of what was retrieved that is right; Undefined where nothing was retrieved."""
    if not found.hits:
        raise Undefined("not_applicable", "Nothing was retrieved, so precision is undefined.")
    return outcome(found, precision_at(found.hits, len(found.hits)))


def _ranked(item: Item) -> list[Context]:
    if unnamed := sum(not (one.doc_id or one.id) for one in item.contexts):
        raise Undefined("missing_input", f"Contexts without an id: {unnamed}.")
    return sorted(item.contexts, key=lambda one: one.rank)


def _right(item: Item) -> frozenset[str]:
    right = frozenset(one.strip() for one in item.relevant_ids) - {""}
    if not right:
        raise Undefined("not_applicable", "No document is relevant to this question.")
    if any(one.startswith("[") and one.endswith("]") for one in right):
        raise Undefined(
            "missing_input", "The relevant ids are a list written as one text; give a JSON list."
        )
    return right
