"""Judges of metrics, which find values such as faithfulness instead of grades by a rubric."""

from pydantic import Field

from concord.judges.definition.endpoint import Embedding
from concord.judges.definition.model import Judge


class MetricJudge(Judge, kind="metric"):
    """A chat model, an embedding model or neither, that finds the values of metrics."""

    metrics: tuple[str, ...] | None = Field(None, title="Metrics", min_length=1)
    switches: dict[str, dict[str, str]] = Field(default_factory=dict)
    embedding: Embedding | None = Field(None, title="Embedding model")

    unused = frozenset(
        ("rubric", "prompt", "examples", "calls", "logprobs", "confidence", "reading")
    )
    required, written = (), ("output",)
    asks_rubric = batches = False
    of_metrics = True

    def title(self) -> str:
        """Return what it finds."""
        return "metrics"
