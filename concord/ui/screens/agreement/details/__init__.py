"""Details: analyses below the agreement, a tab each; only those of the open tab are computed.

The modules of this folder declare them as functions under `detail`.
"""

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import streamlit as st

from concord.definitions import digest
from concord.messages import Said, said
from concord.reports.document import Document
from concord.ui import render
from concord.ui.cached_reports import Report
from concord.ui.frame import recall, remember
from concord.ui.language import plain, say
from concord.ui.screens.agreement.agreement_pick import AgreementChoice
from concord.ui.widgets import switch, terms

Tab = Literal[
    "confusion",
    "confidence",
    "models",
    "columns",
    "units",
    "statistics",
    "bias",
    "reliability",
    "exclusions",
]
TABS: dict[Tab, Said] = {
    "confusion": said("Confusion matrix"),
    "confidence": said("Confidence"),
    "models": said("By answering model"),
    "columns": said("By column"),
    "units": said("Units"),
    "statistics": said("All statistics"),
    "bias": said("Bias"),
    "reliability": said("Reliability"),
    "exclusions": said("Exclusions"),
}


class Detail(NamedTuple):
    """One analysis below the agreement.

    Attributes:
        tab: The tab it is in.
        place: Sort key; the details of a tab are shown in rising order.
        title: Its title, or what makes it of a report.
        show: Shows it; the text begins the names of its downloads.
        applies: Tells if it is offered for a report and a choice.
        key: A choice in it that the URL keeps; a link with it opens the tab.
    """

    tab: Tab
    place: int
    title: Said | Callable[[Report], Said]
    show: Callable[[Report, AgreementChoice, str], None]
    applies: Callable[[Report, AgreementChoice], bool] = lambda report, choice: True
    key: str = ""


def detail(
    tab: Tab, place: int, title: Said | Callable[[Report], Said], **more
) -> Callable[[Callable[[Report, AgreementChoice, str], None]], Detail]:
    """Declare a function as the `show` of a detail; the arguments are those of `Detail`."""
    return lambda show: Detail(tab, place, title, show, **more)


def shown(part: Document, name: str, words: Sequence[str] = ()) -> None:
    """Show a part of the report under the explanations of its terms."""
    if words:
        terms(*words)
    for fact in part.facts:
        st.markdown(f"- {plain(fact)}")
    render.body(part, name, in_full=True)
    if not any(table.rows for table in part.tables) and not part.notes:
        st.write(say("Nothing."))


def to_copy(line: str) -> None:
    """Show a line with a button that copies it."""
    st.code(say(line), language=None, wrap_lines=True)


def more(report: Report, choice: AgreementChoice, name: str) -> None:
    """Show the tabs of details that apply, and those of the open one by place."""
    every = [one for one in declared() if one.applies(report, choice)]
    tabs = {tab: title for tab, title in TABS.items() if any(one.tab == tab for one in every)}
    linked = [one.tab for one in every if one.key and recall(one.key) is not None]
    if linked and recall("detail") is None:
        remember(detail=linked[0])
    first = next(iter(tabs))
    key = f"pick.detail.{digest([*tabs])}"
    hidden = {"key": key, "label_visibility": "collapsed"}
    chosen = switch(said("Details"), "detail", tabs, first, **hidden)
    for one in sorted(every, key=lambda detail: detail.place):
        if one.tab == chosen:
            title = one.title(report) if callable(one.title) else one.title
            st.subheader(say(title), anchor=False)
            one.show(report, choice, name)


def declared() -> list[Detail]:
    """Return every detail declared by a module of this folder."""
    names = (module.name for module in pkgutil.iter_modules(__path__))
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names]
    return [one for module in modules for one in vars(module).values() if isinstance(one, Detail)]
