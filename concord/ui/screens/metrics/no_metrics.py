"""The empty state of metrics and of their claims."""

from concord.messages import said
from concord.ui.widgets import TO_JUDGES, empty


def lead_on() -> None:
    """Show what to do where no metric was computed yet."""
    empty(
        said("No metric has been computed on this sheet yet"),
        said(
            "This screen shows metric values with the evidence for each. Run a metric judge: "
            "“computed” is free; “rag-metrics” calls a model and stores a verdict with its "
            "reason for every claim and context."
        ),
        *TO_JUDGES,
        judge="computed",
    )
