"""The nine screens with their tabs, and the settings.

Each tab is a page of its own, so that opening one computes nothing of the others and its address
shows a colleague the same thing.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from concord.messages import said
from concord.ui.frame import take_bar
from concord.ui.language import say


@dataclass(frozen=True)
class Screen:
    """A screen: its title, its icon, and its tabs, from the page's name to the tab's title.

    The first tab is what the screen opens with.
    """

    title: str
    icon: str
    tabs: Mapping[str, str]


SCREENS = (
    Screen(said("Overview"), "flag", {"overview": said("Overview")}),
    Screen(
        said("Data"),
        "table",
        {
            "data": said("Answers"),
            "build": said("Build from documents"),
            "splits": said("Splits"),
        },
    ),
    Screen(said("Rubrics"), "rule", {"rubrics": said("Rubrics")}),
    Screen(
        said("Annotate"),
        "edit_note",
        {
            "annotate": said("Grading sets"),
            "plan": said("Plan"),
            "progress": said("Progress"),
            "grade": said("Grade"),
            "adjudicate": said("Adjudicate"),
        },
    ),
    Screen(said("Judges"), "gavel", {"judges": said("Judges")}),
    Screen(
        said("Agreement"),
        "handshake",
        {
            "agreement": said("Judges"),
            "annotators": said("Annotators"),
            "ranking": said("Ranking"),
            "compare": said("Prompts and scales"),
        },
    ),
    Screen(said("Review"), "compare_arrows", {"review": said("Review")}),
    Screen(said("Metrics"), "straighten", {"metrics": said("Metrics")}),
    Screen(
        said("Decide"),
        "balance",
        {"decide": said("Choose a judge"), "certificate": said("Certificate")},
    ),
    Screen(said("Settings"), "settings", {"settings": said("Settings")}),
)


def path(name: str) -> str:
    """Return the file of a page, which Streamlit takes for the page."""
    return f"pages/{name}.py"


def pages() -> list:
    """Return every page for `st.navigation`."""
    return [_page(screen, name) for screen in SCREENS for name in screen.tabs]


def sidebar(current: str) -> None:
    """Link to the screens; the one of the current page stays on its tab."""
    with st.container(key="screens", gap=None):
        for screen in SCREENS:
            name = current if current in screen.tabs else next(iter(screen.tabs))
            icon = f":material/{screen.icon}:"
            st.page_link(path(name), label=say(screen.title), icon=icon, width="stretch")


def tabs(current: str) -> None:
    """Link to the tabs of the current page's screen at its top; a screen without has its name."""
    row = st.container(horizontal=True, key="tabs", gap="small", vertical_alignment="center")
    for screen in SCREENS:
        if current in screen.tabs:
            for name, title in screen.tabs.items():
                # A link does not tell the style whether it leads to the page it is on.
                place = row.container(key="open-tab", width="content") if name == current else row
                place.page_link(path(name), label=say(title))
    take_bar(row)


def _page(screen: Screen, name: str):
    first = name == next(iter(screen.tabs))
    title = say(screen.title if first else screen.tabs[name])
    icon = f":material/{screen.icon}:"
    return st.Page(path(name), title=title, icon=icon, default=name == "overview")
