"""Questions to draw from."""

from concord.sampling.sample import Question


def asked(count: int, models: str = "ab") -> list[Question]:
    return [Question(n, tuple((10 * n + k, m) for k, m in enumerate(models))) for n in range(count)]
