"""Answers with their claims or other units, as a list to review: who said what of each, and why."""

from collections.abc import Callable, Iterable, Sequence

import streamlit as st

from concord.definitions import digest
from concord.messages import Numeral, counted
from concord.model import Grader, Item, Sheet
from concord.reports.units import evidence
from concord.reports.units.evidence import Evidence
from concord.reports.units.evidence_list import LIST, MODEL
from concord.rubrics.model import Rubric
from concord.store import items
from concord.store.database import Store
from concord.text.display import visible
from concord.ui.components import review_data as data
from concord.ui.components.review_pane import Source
from concord.ui.language import say, word
from concord.ui.markup import safe_html
from concord.ui.screens.review.claims_pick import Picked
from concord.ui.screens.review.claims_units import contexts, units_in_texts

Below = Callable[[Store, Sheet, int, Evidence | None, Rubric | None, Grader | None], None]


class Answers(Source):
    """The answers whose units were judged, those graders differ on first."""

    param = LIST.param

    def __init__(self, sheet: Sheet, picked: Picked, every: int, below: Below, _store: Store):
        self._sheet, self._rubric, self._every = sheet, picked.rubric, every
        self._rows = picked.listed.rows
        self.listed = picked.listed.ids()
        self._below = below
        self._answers: dict[str, Item] = {}
        self._evidence: dict[str, Evidence] = {}
        scope = sheet.id, self._rubric and self._rubric.name, picked.by
        self.token = digest(["claims", *map(str, scope), digest([*self.listed.keys])])

    def item_ids(self, keys: Sequence[str]) -> Iterable[int]:
        """Return the ids as numbers."""
        return map(int, keys)

    def entries(self, store: Store, keys: Sequence[str]) -> list[data.ShownEntry]:
        """Return answers, with on how many of their units graders differ, and the value."""
        self._answers = {str(one.id): one.item for one in items.items(store, [*map(int, keys)])}
        return [self._entry(key) for key in keys]

    def texts(self, store: Store, key: str, prompt: bool) -> data.LongTexts:
        """Return the texts with the evidence marked, and the units with all verdicts."""
        if self._rubric is None:
            return contexts(self._answers[key])
        self._evidence[key] = found = evidence.read(store, int(key), self._rubric)
        return units_in_texts(found, self._rubric)

    def summary(self) -> None:
        """Show how many answers the filters leave."""
        if len(self) < self._every:
            differ = int((self._rows["differ"] > 0).sum())
            st.caption(
                say(
                    "{n:,} of {answers}; graders disagree on {differ:,}.",
                    n=len(self),
                    answers=counted(self._every, "answer"),
                    differ=differ,
                )
            )

    def nothing(self) -> None:
        """Show nothing: the number of answers is said above."""

    def after(self, store: Store, key: str | None, grader: Grader | None) -> None:
        """Show the metric values of the current answer, and the lists of units to correct."""
        if key is not None:
            self._below(store, self._sheet, int(key), self._evidence.get(key), self._rubric, grader)

    def _entry(self, key: str) -> data.ShownEntry:
        row, item = self._rows.loc[int(key)], self._answers[key]
        value = "" if row["value"] != row["value"] else word(Numeral(f"{row['value']:.3f}"))
        differ = str(row["differ"]) if row["differ"] else ""
        about = " · ".join(filter(None, (row["answer"], row[MODEL], value)))
        question = visible(item.question)
        title = say("Units on which graders differ")
        return data.ShownEntry(
            id=key,
            row=question,
            about=about,
            marks=[data.ShownMark(differ, "differ", title)] if differ else [],
            model=item.answer_model or "",
            question=question,
            answer=None if self._rubric else safe_html(item.answer),
        )
