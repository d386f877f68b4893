"""What the grading pages show, and what their component receives."""

from streamlit.testing.v1 import AppTest

HIDDEN = "window"  # the component of every screen that shows nothing


def component_json(test: AppTest) -> str:
    """All that the grading component receives, as JSON."""
    every = test.get("bidi_component")
    [component] = (one for one in every if not one.proto.component_name.endswith(HIDDEN))
    return component.proto.json or component.proto.mixed.json


def texts(test: AppTest) -> str:
    """Headings, texts and messages of a page."""
    parts = [*test.header, *test.subheader, *test.markdown, *test.caption, *test.error, *test.info]
    return " ".join(part.value for part in parts)
