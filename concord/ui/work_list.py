"""The screen of a work list: its filters, and the record of who sees it."""

from collections.abc import Iterable
from typing import Any

from concord.model import Grader
from concord.reports.work_list import WorkList
from concord.store import grades
from concord.store.database import Store
from concord.ui.widgets import select

ANY = "*"


def filters(of: WorkList, scope: Any) -> dict[str, Any]:
    """Show the filters of a list that has choices; return their values, None for no restriction."""
    chosen: dict[str, Any] = {}
    for one in of.filters:
        choices = {choice.text: choice for choice in one.choices(scope, chosen)}
        chosen[one.name] = None
        if not choices:
            continue
        words = {choice.text: choice.words for choice in choices.values()}
        if one.first is None or len(choices) != 1:
            words = {ANY: one.every, **words}
        first = (one.first and one.first(scope)) or ANY
        text = select(one.label, one.name, words, first, None if one.first else ANY)
        if text != ANY:
            chosen[one.name] = choices[text].value
    return chosen


def opened(store: Store, item_ids: Iterable[int], grader: Grader | None) -> None:
    """Record, before answers are shown, that someone sees judges' grades of them."""
    grades.open_items(store, item_ids, grader.id if grader else None)
