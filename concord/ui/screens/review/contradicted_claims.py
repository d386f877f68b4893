"""Claims that a judge calls contradicted, as a list to confirm or overturn."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import streamlit as st

from concord.definitions import digest
from concord.messages import counted, joined, said
from concord.reports.units import contradicted_claims as contradicted
from concord.reports.units.contradicted_claims import RubricRefutations
from concord.reports.units.contradicted_claims_list import LIST
from concord.reports.units.contradicted_passages import passages
from concord.store import items
from concord.store.database import Store
from concord.store.units import contradicted_claims
from concord.store.units.contradicted_claims import CONFIRMED, OVERTURNED, Refutation
from concord.ui import frame, widgets, work_list
from concord.ui.components import review_data as data
from concord.ui.components.review_pane import Source
from concord.ui.language import plain, say
from concord.ui.screens.review.contradicted_entry import entry


def pick(store: Store, top) -> Callable[[Store], Source] | None:
    """Show filters and headline; return how to read the list, or None if it is not available."""
    sheet = widgets.pick_sheet(store)
    rubrics = {one.name: one for one in contradicted.rubrics(store, sheet)} if sheet else {}
    if not rubrics:
        with top:
            _none(sheet is None)
        return None
    with frame.filters():
        titles = {name: rubric.title for name, rubric in rubrics.items()}
        first = frame.recall("rubric") or ""  # as links said it before there was one list
        rubric = rubrics[widgets.select(said("Units"), "units", titles, first)]
        judge = work_list.filters(LIST, contradicted.read(store, sheet, rubric))["judge"]
    read = partial(_read, sheet=sheet, rubric=rubric, judge=judge)
    with top:
        left = len(read(store))
        widgets.finding(counted(left, "“contradicted” verdict", "“contradicted” verdicts"))
    return read


def _none(is_empty: bool) -> None:
    if is_empty:
        widgets.no_sheet(
            said(
                "then a metric judge checks their claims, and this screen lists the contradicted "
                "ones."
            )
        )
        return
    widgets.empty(
        said("No judge has checked claims yet"),
        said("Run a metric judge; the claims it calls contradicted are listed here."),
        *widgets.TO_JUDGES,
    )


def _read(store: Store, sheet, rubric, judge: str | None) -> Source:
    return Refutations(contradicted.read(store, sheet, rubric, judge), (sheet.id, judge))


class Refutations(Source):
    """The refutations of a rubric of units, oldest first."""

    param = LIST.param
    decisions = (
        data.Decision(CONFIRMED, said("Confirmed: the judge is right"), "Y"),
        data.Decision(OVERTURNED, said("Overturned: the judge is wrong"), "X"),
    )
    withdraw = said("Withdraw")

    def __init__(self, found: RubricRefutations, scope: tuple):
        self._found = found
        self.listed = LIST.of(found.listed, ordered=False)  # a review moves none
        self._judges = len({one.judge_id for one in found.listed})
        self.token = digest(["contradicted", found.rubric.name, *map(str, scope)])

    def item_ids(self, keys: Sequence[str]) -> Iterable[int]:
        """Return the answers."""
        return (self._one(key).item_id for key in keys)

    def entries(self, store: Store, keys: Sequence[str]) -> list[data.ShownEntry]:
        """Return refutations with their reviews, and the answers they are of."""
        ids = {key: self._one(key).item_id for key in keys}
        answers = {one.id: one.item.answer for one in items.items(store, list(ids.values()))}
        return [
            entry(self._found, self._one(key), answers[item_id], self._judges > 1)
            for key, item_id in ids.items()
        ]

    def texts(self, store: Store, key: str, prompt: bool) -> data.LongTexts:
        """Return the texts that the judge saw, its quote marked."""
        parts = passages(store, self._one(key), self._found.rubric)
        return data.LongTexts(parts=[data.shown_text(part) for part in parts])

    def decide(self, store: Store, key: str, decision: str, grader_id: int, note: str) -> None:
        """Store a review."""
        contradicted_claims.review(store, int(key), decision, grader_id, note)

    def summary(self) -> None:
        """Show how many refutations were confirmed, their precision, and its limits."""
        figures = contradicted.precision(self._found.listed)
        method = said("CI: {method}.", method=said(figures.precision.method))
        left = counted(figures.open, "“contradicted” verdict", "“contradicted” verdicts")
        notes = [
            *([said("{refutations} left to review.", refutations=left)] if figures.open else []),
            *([method] if figures.precision.low is not None else []),
            *contradicted.notes(
                figures.precision, contradicted.counts_often(figures, self._found.rubric)
            ),
        ]
        st.markdown(plain(joined(" ", [contradicted.headline(figures), *notes])))

    def nothing(self) -> None:
        """Show that there is nothing to review."""
        st.write(say("No judge found a contradiction here."))

    def after(self, store: Store, key: str | None, grader) -> None:
        """Show what is not in the list, and what a review changes."""
        closed = contradicted.not_shown(self._found.closed)
        unchanged = said("Reviews change no grade and no other figure.")
        st.caption(plain(joined(" ", [closed, unchanged])))

    def _one(self, key: str) -> Refutation:
        return self.listed[self.listed.keys.index(key)]
