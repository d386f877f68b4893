"""BLEU: n-gram precision of a text against references. Pure."""

import math
from collections import Counter
from collections.abc import Sequence

from concord.text.tokens import ngrams

LONGEST = 4
SMOOTHINGS = ("halving", "add_one", "none")


def bleu(
    candidate: Sequence[str], references: Sequence[Sequence[str]], smoothing: str = "halving"
) -> float:
    """BLEU of one text, taken whole as one segment; 0 to 1 (Papineni et al. 2002).

    The geometric mean of the shares of the candidate's runs of 1 to 4 tokens that some reference
    has, each counted as often as in the reference that has it most, times the brevity penalty
    against the reference nearest in length. A candidate shorter than four tokens has no runs of
    four; the mean is over the lengths it has. No token in common is 0 under every smoothing.

    Args:
        candidate: Tokens; at least one.
        references: Tokens of each reference; at least one of them.
        smoothing: What a length without a match counts: `halving` takes 1/2 of a match at the
            first such length, 1/4 at the next and so on (NIST, as in sacrebleu's `exp`); `add_one`
            adds one to both counts of every length above one (Lin and Och 2004); `none` leaves 0.
    """
    found = [_matches(candidate, references, size) for size in range(1, LONGEST + 1)]
    found = [(matched, total) for matched, total in found if total]
    if not found[0][0]:
        return 0.0
    shares = _shares(found, smoothing)
    if not all(shares):
        return 0.0
    mean = math.exp(sum(map(math.log, shares)) / len(shares))
    return _brevity(len(candidate), [len(one) for one in references]) * mean


def _matches(candidate, references, size: int) -> tuple[int, int]:
    """Return how many n-grams of a size the references share, and how many there are."""
    runs = Counter(ngrams(candidate, size))
    most: Counter = Counter()
    for reference in references:
        most |= Counter(ngrams(reference, size))
    return (runs & most).total(), runs.total()


def _shares(found: Sequence[tuple[int, int]], smoothing: str) -> list[float]:
    """The share of each length, with what the smoothing makes of those without a match."""
    if smoothing == "add_one":
        first, *rest = found
        counts = [first, *((matched + 1, total + 1) for matched, total in rest)]
        return [matched / total for matched, total in counts]
    shares, credit = [], 1.0
    for matched, total in found:
        if not matched:
            credit = credit / 2 if smoothing == "halving" else 0.0
        shares.append((matched or credit) / total)
    return shares


def _brevity(length: int, references: Sequence[int]) -> float:
    """The penalty of a text shorter than its reference; of two as near, the shorter counts."""
    nearest = min(references, key=lambda one: (abs(one - length), one))
    return 1.0 if length >= nearest else math.exp(1 - nearest / length)
