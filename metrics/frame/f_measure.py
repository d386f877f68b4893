"""F measure: one number from precision and recall. Pure."""


def f_beta(precision: float, recall: float, beta: float = 1.0) -> float:
    """The weighted harmonic mean of precision and recall; 0 where both are 0.

    Recall weighs beta times as much as precision (van Rijsbergen 1979).
    """
    if precision + recall == 0:
        return 0.0
    square = beta * beta
    return (1 + square) * precision * recall / (square * precision + recall)
