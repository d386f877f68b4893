"""Claims that a judge calls contradicted, as a list to confirm or overturn."""

from collections.abc import Iterable, Sequence

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
from concord.store.units.contradicted_claims import CONFIRMED, OVERTURNED
from concord.ui.components import review_data as data
from concord.ui.components.review_list import Source
from concord.ui.language import plain, say
from concord.ui.screens.review.contradicted_entry import entry
from concord.ui.screens.review.kinds import Chosen


class Refutations(Source):
    """The refutations of some rubrics of units, in their order and then oldest first.

    `every` are those of all answers: how precise a judge is does not depend on what is searched.
    """

    name = "contradicted"
    mark = said("Contradicted claim")
    prefix = "contradicted."
    decisions = (
        data.Decision(CONFIRMED, said("Confirmed: the judge is right"), "Y"),
        data.Decision(OVERTURNED, said("Overturned: the judge is wrong"), "X"),
    )
    withdraw = said("Withdraw")

    def __init__(
        self,
        found: Sequence[RubricRefutations],
        sheet_id: int,
        chosen: Chosen,
        every: Sequence[RubricRefutations],
    ):
        pairs = [(of_rubric, one) for of_rubric in found for one in of_rubric.listed]
        self.listed = LIST.of([one for _, one in pairs], ordered=False)  # a review moves none
        self._found = dict(zip(self.listed.keys, pairs, strict=True))
        self._every = {one.rubric.name: one for one in every}
        self._first = found[0].rubric
        self._is_of_some_answers = (chosen.model, chosen.found) != (None, None)
        self._is_narrowed = any(one is not None for one in chosen[1:])
        self._judges = len({one.judge_id for _, one in pairs})
        names = [one.rubric.name for one in found]
        self.token = digest(["contradicted", *names, *map(str, (sheet_id, *chosen))])

    def item_ids(self, keys: Sequence[str]) -> Iterable[int]:
        """Return the answers."""
        return (self._found[key][1].item_id for key in keys)

    def entries(self, store: Store, keys: Sequence[str]) -> list[data.ShownEntry]:
        """Return refutations with their reviews, and the answers they are of."""
        shown = [self._found[key] for key in keys]
        stored = items.items(store, [one.item_id for _, one in shown])
        answers = {one.id: one.item.answer for one in stored}
        several = self._judges > 1
        return [entry(found, one, answers[one.item_id], several) for found, one in shown]

    def texts(self, store: Store, key: str, prompt: bool) -> data.LongTexts:
        """Return the texts that the judge saw, its quote marked."""
        found, one = self._found[key]
        parts = passages(store, one, found.rubric)
        return data.LongTexts(parts=[data.shown_text(part) for part in parts])

    def decide(self, store: Store, key: str, decision: str, grader_id: int, note: str) -> None:
        """Store a review."""
        contradicted_claims.review(store, int(key), decision, grader_id, note)

    def nothing(self) -> None:
        """Show that there is nothing to review."""
        if self._is_narrowed:
            super().nothing()
        else:
            closed = sum(one.closed for one in self._every.values())
            st.write(say(contradicted.nothing(closed)))

    def after(self, store: Store, key: str | None, grader) -> None:
        """Show how many were confirmed under the rubric of the current one, and its limits."""
        found = self._every[(self._found[key][0].rubric if key else self._first).name]
        if found.listed:
            of_all = [said("Over all answers:")] if self._is_of_some_answers else []
            st.markdown(plain(joined(" ", [*of_all, *_precision(found)])))
        closed = contradicted.not_shown(found.closed)
        unchanged = said("Reviews change no grade and no other figure.")
        st.caption(plain(joined(" ", [closed, unchanged])))


def _precision(found: RubricRefutations) -> list[str]:
    """Return what the reviews say of the judges, and why it may be little."""
    figures = contradicted.precision(found.listed)
    left = counted(figures.open, "“contradicted” verdict", "“contradicted” verdicts")
    often = contradicted.counts_often(figures, found.rubric)
    notes = [contradicted.headline(figures)]
    if figures.open:
        notes.append(said("{refutations} left to review.", refutations=left))
    if figures.precision.low is not None:
        notes.append(said("CI: {method}.", method=said(figures.precision.method)))
    return [*notes, *contradicted.notes(figures.precision, often)]
