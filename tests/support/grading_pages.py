"""What the grading pages show, and what their component receives."""

from streamlit.testing.v1 import AppTest


def component_json(test: AppTest) -> str:
    """All that the grading component receives, as JSON; another one moves the focus."""
    every = test.get("bidi_component")
    [component] = (one for one in every if "keyboard_focus" not in one.proto.component_name)
    return component.proto.json or component.proto.mixed.json


def texts(test: AppTest) -> str:
    """Headings, texts and messages of a page."""
    parts = [*test.header, *test.subheader, *test.markdown, *test.caption, *test.error, *test.info]
    return " ".join(part.value for part in parts)
