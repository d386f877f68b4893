"""Folds: analyses below the agreement, computed when they are opened.

Each module of this folder declares one as its FOLD.
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
from concord.ui.language import plain, say
from concord.ui.screens.agreement.agreement_pick import Choice
from concord.ui.widgets import terms


class Fold(NamedTuple):
    """One analysis below the agreement, in an expander.

    Attributes:
        place: Sort key; folds are shown in rising order.
        title: Its title.
        show: Shows it; `name` begins the names of its downloads.
        applies: Tells if it is offered for a report.
        key: A choice in it that the URL keeps; a link with it opens the fold.
    """

    place: int
    title: Callable[[Report], Said]
    show: Callable[[Report, Choice, str], None]
    applies: Callable[[Report], bool] = lambda report: True
    key: str = ""


def shown(part: Document, name: str, words: Sequence[str] = ()) -> None:
    """Show a part of the report under the explanations of its terms."""
    if words:
        terms(*words)
    for fact in part.facts:
        st.markdown(f"- {plain(fact)}")
    render.body(part, name)
    if not any(table.rows for table in part.tables) and not part.notes:
        st.write(say("Nothing."))


def found() -> list[Fold]:
    """Return every fold declared by a module of this folder."""
    names = (module.name for module in pkgutil.iter_modules(__path__))
    return [importlib.import_module(f"{__name__}.{name}").FOLD for name in names]
