"""Own canary: a canary as the TOML file of a measure of the user's own declares it."""

from pydantic import model_validator

from metrics.frame.canary import Canary
from rubrics.model import Frozen


class OwnCanary(Frozen):
    """An item, and the number that is right, the least and the greatest, or a worse answer."""

    name: str
    about: str
    right: float | tuple[float, float] | None = None
    worse: str = ""
    question: str = ""
    answer: str = ""
    contexts: tuple[str, ...] = ()
    reference: tuple[str, ...] = ()
    reference_contexts: tuple[str, ...] = ()
    turns: tuple[dict[str, str], ...] = ()

    @model_validator(mode="after")
    def _is_one_thing(self):
        if (self.right is None) == (not self.worse):
            raise ValueError("give right, or a worse answer, and not both")
        return self

    def check(self, low: float, high: float) -> None:
        """A ValueError where the measure, from `low` to `high`, can never give what is right."""
        ends = self.canary().right
        if ends and not low <= ends[0] <= ends[1] <= high:
            raise ValueError(f"canary “{self.name}”: right lies beyond {low:g} to {high:g}")

    def canary(self) -> Canary:
        """It as a canary of a measure."""
        is_one = isinstance(self.right, float)
        return Canary(**dict(self) | {"right": (self.right, self.right) if is_one else self.right})
