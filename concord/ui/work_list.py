"""The screen of a work list: its filters, and the record of who sees it."""

from collections.abc import Iterable, Mapping
from typing import Any

from concord.model import Grader
from concord.reports.work_list import ANY, WorkList
from concord.store import grades
from concord.store.database import Store
from concord.ui.widgets import select


def filters(of: WorkList, scope: Any, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Show the filters of a list that nothing is chosen for; return the values of all of them.

    None is for no restriction.
    """
    values = dict(chosen)
    for one in of.filters:
        if one.name not in values:
            choices = {choice.text: choice for choice in one.choices(scope, values)}
            words = {ANY: one.every} | {text: choice.words for text, choice in choices.items()}
            text = select(one.label, one.name, words, ANY, ANY)
            values[one.name] = None if text == ANY else choices[text].value
    return values


def opened(store: Store, item_ids: Iterable[int], grader: Grader | None) -> None:
    """Record, before answers are shown, that someone sees judges' grades of them."""
    grades.open_items(store, item_ids, grader.id if grader else None)
