"""Folds: analyses below the agreement, computed when they are opened.

The modules of this folder declare them as functions under `fold`.
"""

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from typing import NamedTuple

import streamlit as st

from concord.messages import Said
from concord.reports.document import Document
from concord.ui import render
from concord.ui.cached_reports import Report
from concord.ui.frame import recall
from concord.ui.language import plain, say
from concord.ui.screens.agreement.agreement_pick import Choice
from concord.ui.widgets import terms


class Fold(NamedTuple):
    """One analysis below the agreement, in an expander.

    Attributes:
        place: Sort key; folds are shown in rising order.
        title: Its title, or what makes it of a report.
        show: Shows it; the text begins the names of its downloads.
        applies: Tells if it is offered for a report and a choice.
        key: A choice in it that the URL keeps; a link with it opens the fold.
    """

    place: int
    title: Said | Callable[[Report], Said]
    show: Callable[[Report, Choice, str], None]
    applies: Callable[[Report, Choice], bool] = lambda report, choice: True
    key: str = ""


def fold(
    place: int, title: Said | Callable[[Report], Said], **more
) -> Callable[[Callable[[Report, Choice, str], None]], Fold]:
    """Declare a function as the `show` of a fold; the arguments are those of `Fold`."""
    return lambda show: Fold(place, title, show, **more)


def shown(part: Document, name: str, words: Sequence[str] = ()) -> None:
    """Show a part of the report under the explanations of its terms."""
    if words:
        terms(*words)
    for fact in part.facts:
        st.markdown(f"- {plain(fact)}")
    render.body(part, name)
    if not any(table.rows for table in part.tables) and not part.notes:
        st.write(say("Nothing."))


def more(report: Report, choice: Choice, name: str) -> None:
    """Show the folds that apply, by place."""
    for one in sorted(declared(), key=lambda fold: fold.place):
        if one.applies(report, choice):
            _fold(one, report, choice, name)


def _fold(one: Fold, report: Report, choice: Choice, name: str) -> None:
    """A fold that stays closed without computing anything."""
    title = one.title(report) if callable(one.title) else one.title
    # With on_change="rerun" the expander reports `open`; otherwise Streamlit always runs its body.
    linked = bool(one.key) and recall(one.key) is not None
    opener = f"fold.{title}"
    with st.expander(say(title), expanded=linked, key=opener, on_change="rerun") as part:
        if part.open:
            one.show(report, choice, name)


def declared() -> list[Fold]:
    """Return every fold declared by a module of this folder."""
    names = (module.name for module in pkgutil.iter_modules(__path__))
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names]
    return [one for module in modules for one in vars(module).values() if isinstance(one, Fold)]
