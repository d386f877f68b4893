"""Warm: what the first screens need is loaded before anybody opens one."""

from importlib import import_module

# Beside our own: what Streamlit loads at its first run, and the tables that it looks for in data.
GRADERS_NEED = (
    "concord.ui.frame",
    "concord.ui.screens.annotate.annotator",
    "concord.ui.components.grading_pane",
    "pandas",
    "pyarrow",
    "plotly.graph_objects",
)


def preload() -> None:
    """Load what a grader's screen needs."""
    # Without this, the first annotators to arrive at once each waited for these imports
    # (benchmarks/team.py).
    for name in GRADERS_NEED:
        import_module(name)
