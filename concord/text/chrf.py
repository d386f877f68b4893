"""chrF: how many n-grams of one to six characters two texts share, in any script. Pure."""

from collections import Counter

from concord.text.overlap import f_beta

LONGEST = 6
BETA = 2


def chrf(candidate: str, reference: str) -> float:
    """chrF: F of letter runs, recall weighing twice; 0 to 1 (Popović 2015).

    Precision and recall are averaged over the lengths 1 to 6 of which both texts have runs, then
    joined. White space does not count; all else does, punctuation too. 0 where nothing is shared.
    """
    left, right = "".join(candidate.split()), "".join(reference.split())
    sizes = range(1, min(LONGEST, len(left), len(right)) + 1)
    if not sizes:
        return 0.0
    counts = [_matches(left, right, size) for size in sizes]
    precision = sum(shared / own for shared, own, _ in counts) / len(counts)
    recall = sum(shared / others for shared, _, others in counts) / len(counts)
    return f_beta(precision, recall, BETA)


def _matches(left: str, right: str, size: int) -> tuple[int, int, int]:
    """Return the number of shared n-grams of a size, and the number on each side."""
    own, others = _runs(left, size), _runs(right, size)
    return (own & others).total(), own.total(), others.total()


def _runs(text: str, size: int) -> Counter:
    return Counter(text[start : start + size] for start in range(len(text) - size + 1))
