"""Answers with their claims or other units, as a list to review: who said what of each, and why."""

from collections.abc import Iterable, Sequence

import streamlit as st

from concord.definitions import digest
from concord.messages import Numeral, counted, said
from concord.model import Grader, Item, Sheet
from concord.reports.units import evidence, evidence_list
from concord.reports.units.evidence import Evidence
from concord.reports.units.evidence_list import MODEL
from concord.rubrics.model import Rubric
from concord.store import items
from concord.store.database import Store
from concord.text.display import visible
from concord.ui.components import review_data as data
from concord.ui.components.review_list import Source
from concord.ui.language import say, word
from concord.ui.markup import safe_html
from concord.ui.screens.review.claims_below import below
from concord.ui.screens.review.claims_units import contexts, units_in_texts


class Answers(Source):
    """The answers whose units were judged, those graders differ on first."""

    name = "claims"
    prefix = "claims."

    def __init__(
        self,
        sheet: Sheet,
        rubric: Rubric | None,
        by: tuple[str, str] | None,
        found: evidence_list.Answers,
        every: int,
    ):
        self._sheet, self._rubric, self._every = sheet, rubric, every
        self.mark = said("Claims") if rubric else said("Metrics")
        self._rows, self._closed = found.rows, found.closed
        self.listed = found.ids()
        self._answers: dict[str, Item] = {}
        self._evidence: dict[str, Evidence] = {}
        scope = sheet.id, rubric and rubric.name, by
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

    def after(self, store: Store, key: str | None, grader: Grader | None) -> None:
        """Show the values and the lists of the current answer, and what the list leaves out."""
        if key is not None:
            below(store, self._sheet, int(key), self._evidence.get(key), self._rubric, grader)
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
        if self._closed:
            st.caption(
                say(
                    "{answers} is not shown: its question is held out or in the few-shot pool."
                    if self._closed == 1
                    else "{answers} are not shown: their questions are held out or in the few-shot "
                    "pool.",
                    answers=counted(self._closed, "answer"),
                )
            )

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
