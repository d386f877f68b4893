"""Cosine: how alike two texts are by their embeddings. Pure."""

from collections.abc import Sequence

import numpy as np

from concord.metrics.prompts.inputs import Undefined


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """The cosine of two vectors, from -1 to 1; Undefined where one of them is zero."""
    lengths = float(np.linalg.norm(one)) * float(np.linalg.norm(other))
    if not lengths:
        raise Undefined("unparsable", "The embedding of a text is a zero vector.")
    return max(-1.0, min(1.0, float(np.dot(one, other)) / lengths))
