"""Few: what is said where too few questions leave a figure without an interval or a forecast."""

from words.said import said


def under(floor: int, then: str) -> str:
    """The reason in words: what is counted and resampled is clusters, and those are documents.

    A sheet may hold more questions than the floor and still be refused, since questions that share
    a document count as one; so the sentence says it.
    """
    return said(
        "under {floor} questions (those of one document count as one) {then}",
        floor=floor,
        then=then,
    )
