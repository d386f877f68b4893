"""Text overlap: shared terms, the longest common subsequence, and chrF. Pure."""

from collections import Counter
from collections.abc import Collection, Sequence

CHRF_LONGEST = 6
CHRF_BETA = 2


def covered(part: Collection, whole: Collection) -> float | None:
    """Share of the distinct members of `part` that occur in `whole`, 0 to 1.

    None where `part` is empty: nothing could have been covered. Hand in sets where speed matters.
    """
    distinct = part if isinstance(part, set | frozenset) else set(part)
    members = whole if isinstance(whole, set | frozenset) else set(whole)
    return len(distinct & members) / len(distinct) if distinct else None


def lcs_length(left: Sequence[str], right: Sequence[str]) -> int:
    """The length of the longest common subsequence of two token sequences.

    Bit-parallel: one addition of a `len(left)`-bit number per token that both share, so texts of
    any length are compared whole (Hyyrö, "Bit-parallel LCS-length computation revisited", 2004).
    """
    places: dict[str, int] = {}
    for index, token in enumerate(left):
        places[token] = places.get(token, 0) | 1 << index
    full = (1 << len(left)) - 1
    row = full
    for token in right:
        if here := places.get(token):
            matched = row & here
            row = ((row + matched) | (row - matched)) & full
    return len(left) - row.bit_count()


def rouge_l(candidate: Sequence[str], reference: Sequence[str]) -> tuple[float, float, float]:
    """ROUGE-L precision, recall and F1 on token sequences, each 0 to 1 (Lin, 2004).

    Plain F1 (beta 1) over the whole text. An empty sequence on either side gives three zeros.
    """
    length = lcs_length(candidate, reference)
    if not length:
        return 0.0, 0.0, 0.0
    precision, recall = length / len(candidate), length / len(reference)
    return precision, recall, 2 * precision * recall / (precision + recall)


def f_beta(precision: float, recall: float, beta: float = 1.0) -> float:
    """The weighted harmonic mean of precision and recall; 0 where both are 0.

    Recall weighs beta times as much as precision (van Rijsbergen 1979).
    """
    if precision + recall == 0:
        return 0.0
    square = beta * beta
    return (1 + square) * precision * recall / (square * precision + recall)


def chrf(candidate: str, reference: str) -> float:
    """chrF: F of letter runs, recall weighing twice; 0 to 1 (Popović 2015).

    Precision and recall are averaged over the lengths 1 to 6 of which both texts have runs, then
    joined. White space does not count; all else does, punctuation too. 0 where nothing is shared.
    """
    left, right = "".join(candidate.split()), "".join(reference.split())
    sizes = range(1, min(CHRF_LONGEST, len(left), len(right)) + 1)
    if not sizes:
        return 0.0
    counts = [_shared_runs(left, right, size) for size in sizes]
    precision = sum(shared / own for shared, own, _ in counts) / len(counts)
    recall = sum(shared / others for shared, _, others in counts) / len(counts)
    return f_beta(precision, recall, CHRF_BETA)


def _shared_runs(left: str, right: str, size: int) -> tuple[int, int, int]:
    """Return the number of shared n-grams of a size, and the number on each side."""
    own, others = _runs(left, size), _runs(right, size)
    return (own & others).total(), own.total(), others.total()


def _runs(text: str, size: int) -> Counter:
    return Counter(text[start : start + size] for start in range(len(text) - size + 1))
