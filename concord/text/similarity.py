"""Likeness: how alike two texts are, letter by letter. Pure; 0 to 1, and 1 for the same text."""

from collections import defaultdict, deque


def levenshtein(left: str, right: str) -> int:
    """Return the Levenshtein distance: insertions, deletions and substitutions of letters.

    Bit-parallel: a few operations on `len(left)`-bit numbers per letter of `right`, so texts of any
    length are compared whole (Hyyrö, "A bit-vector algorithm for computing Levenshtein and Damerau
    edit distances", 2003).
    """
    if not left or not right:
        return len(left) + len(right)
    places: dict[str, int] = defaultdict(int)
    for index, letter in enumerate(left):
        places[letter] |= 1 << index
    full, last = (1 << len(left)) - 1, 1 << (len(left) - 1)
    up, down, distance = full, 0, len(left)
    for letter in right:
        same = places.get(letter, 0)
        diagonal = (((same & up) + up) ^ up) | same | down
        rises = down | (full & ~(diagonal | up))
        falls = up & diagonal
        distance += bool(rises & last) - bool(falls & last)
        rises, falls = rises << 1 | 1, falls << 1
        up = full & (falls | ~(diagonal | rises))
        down = full & rises & diagonal
    return distance


def edit_likeness(left: str, right: str) -> float:
    """Return 1 less the Levenshtein distance over the longer length, 0 to 1; 1 for empty texts."""
    longest = max(len(left), len(right))
    return 1 - levenshtein(left, right) / longest if longest else 1.0


def jaro(left: str, right: str) -> float:
    """Jaro's likeness, made for names: shared letters not far apart, and how many change places.

    The mean of the shares of shared letters in either text and of those in the same order, where
    half of those out of order count, rounded down; two empty texts are 1, no shared letter is 0
    (Jaro 1989, rounded as in Winkler's program).
    """
    if not left or not right:
        return float(left == right)
    shared, taken = _shared(left, right)
    if not shared:
        return 0.0
    moved = sum(a != right[b] for a, b in zip(shared, sorted(taken), strict=True)) // 2
    count = len(shared)
    return (count / len(left) + count / len(right) + (count - moved) / count) / 3


def _shared(left: str, right: str) -> tuple[list[str], list[int]]:
    """The letters of `left` that have one in `right` within reach, and the places they take."""
    reach = max(max(len(left), len(right)) // 2 - 1, 0)
    places: dict[str, deque[int]] = defaultdict(deque)
    for index, letter in enumerate(right):
        places[letter].append(index)
    shared, taken = [], []
    for index, letter in enumerate(left):
        free = places[letter]
        while free and free[0] < index - reach:
            free.popleft()
        if free and free[0] <= index + reach:
            shared.append(letter)
            taken.append(free.popleft())
    return shared, taken
