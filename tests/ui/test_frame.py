"""The frame of a screen: the popover of the filter bar."""

from streamlit.testing.v1 import AppTest


def page():
    import streamlit as st

    from concord.ui.frame import more_filters, remember

    with more_filters("size", "cause"):
        remember(size=st.text_input("Size") or None)


def label(app: AppTest) -> str:
    (popover,) = app.get("popover")
    return popover.proto.popover.label


def test_more_filters_says_how_many_are_set_as_soon_as_one_is():
    app = AppTest.from_function(page).run()
    assert label(app) == "More filters"
    app.text_input[0].set_value("2").run()
    assert not app.exception and label(app) == "More filters (1)"
    app.text_input[0].set_value("").run()
    assert label(app) == "More filters"
