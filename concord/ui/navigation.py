"""The nine screens with their tabs.

Each tab is a page of its own, so that opening one computes nothing of the others and its address
shows a colleague the same thing.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from concord.messages import N_
from concord.store.permissions import LEAD
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
    Screen(N_("Overview"), "flag", {"overview": N_("Overview")}),
    Screen(
        N_("Data"),
        "table",
        {
            "data": N_("Answers"),
            "build": N_("Build from documents"),
            "splits": N_("Splits"),
        },
    ),
    Screen(N_("Rubrics"), "rule", {"rubrics": N_("Rubrics")}),
    Screen(
        N_("Annotate"),
        "edit_note",
        {
            "annotate": N_("Grading sets"),
            "plan": N_("Plan"),
            "progress": N_("Progress"),
            "grade": N_("Grade"),
            "adjudicate": N_("Adjudicate"),
            "team": N_("Team"),
        },
    ),
    Screen(N_("Judges"), "gavel", {"judges": N_("Judges")}),
    Screen(
        N_("Agreement"),
        "handshake",
        {
            "agreement": N_("Judges"),
            "annotators": N_("Annotators"),
            "ranking": N_("Ranking"),
            "compare": N_("Prompts and scales"),
        },
    ),
    Screen(N_("Review"), "compare_arrows", {"review": N_("Review")}),
    Screen(N_("Metrics"), "straighten", {"metrics": N_("Metrics")}),
    Screen(
        N_("Decide"),
        "balance",
        {"decide": N_("Choose a judge"), "certificate": N_("Certificate")},
    ),
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
    """Link to the tabs of the current page's screen at its top, where there are several.

    Team is one for leads where people sign in.
    """
    who = st.session_state.get("who")
    hidden = () if current == "team" or (who and who.role == LEAD) else ("team",)
    row = st.container(horizontal=True, key="tabs", gap="small", vertical_alignment="center")
    for screen in SCREENS:
        if current in screen.tabs:
            shown = {name: text for name, text in screen.tabs.items() if name not in hidden}
            for name, title in shown.items() if len(shown) > 1 else ():
                # A link does not tell the style whether it leads to the page it is on.
                place = row.container(key="open-tab", width="content") if name == current else row
                place.page_link(path(name), label=say(title))
    take_bar(row)


def _page(screen: Screen, name: str):
    first = name == next(iter(screen.tabs))
    title = say(screen.title if first else screen.tabs[name])
    icon = f":material/{screen.icon}:"
    return st.Page(path(name), title=title, icon=icon, default=name == "overview")
