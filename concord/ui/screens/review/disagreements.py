"""Disagreements of a judge with annotators, as a list to review."""

from collections.abc import Iterable, Sequence

import streamlit as st

from concord.grading.adjudication.disagreement_causes import CAUSES
from concord.messages import joined, said
from concord.model import Grader
from concord.reports.disagreements import disagreement, disagreements
from concord.reports.disagreements.disagreement import Disagreement
from concord.reports.disagreements.disagreements import Filtered, read_key
from concord.reports.disagreements.findings import left_out, meaning, sentence
from concord.store.database import Store
from concord.ui.cached_reports import Report
from concord.ui.components.review_data import Decision, LongTexts, ShownEntry
from concord.ui.components.review_list import Source
from concord.ui.language import plain, say
from concord.ui.screens.annotate.regrade import left_behind
from concord.ui.screens.review import disagreements_entries
from concord.ui.screens.review.disagreements_next import next_steps, offer_list
from concord.ui.widgets import terms

_NUMBERED = tuple(enumerate(CAUSES.items(), 1))


class Disagreements(Source):
    """The disagreements that pass the filters, worst first."""

    name = "disagreements"
    mark = said("Disagreement")
    decisions = tuple(Decision(key, name, str(n)) for n, (key, name) in _NUMBERED)
    withdraw = said("no cause")
    prompts = True

    def __init__(self, report: Report, found: Filtered, store: Store):
        self._report, self._found, self._panel = report, found, found.panel
        self._tags = disagreement.tags_of(store, found.panel)
        self._rows = disagreements.with_cause(
            found.panel, found.rows, self._tags, found.wanted.cause, found.until
        )
        self._why_not = disagreements.why_not_compared(found.panel, found.wanted)
        self._shown: dict[str, Disagreement] = {}
        self.token = found.token
        self.criteria = disagreements_entries.criteria(found.panel)

    def __len__(self) -> int:
        return len(self._rows)

    def place(self, key: str | None) -> int:
        """Return the index of a disagreement, else of the worst."""
        named = read_key(key or "")
        return (named and disagreements.place(self._panel, self._rows, named)) or 0

    def keys(self, begin: int, end: int) -> list[str]:
        """Return the keys of some rows, as a URL holds them."""
        return [one.text() for one in disagreements.keys(self._panel, self._rows.iloc[begin:end])]

    def item_ids(self, keys: Sequence[str]) -> Iterable[int]:
        """Return the answers."""
        return (read_key(key).item_id for key in keys)

    def entries(self, store: Store, keys: Sequence[str]) -> list[ShownEntry]:
        """Return disagreements with their tags; one whose grade was changed is left out."""
        found = disagreement.read(store, self._panel, [read_key(key) for key in keys])
        self._shown = {one.key.text(): one for one in found}
        wanted = self._found.wanted
        return [
            disagreements_entries.entry(self._panel, one, self._tags.get(one.key), wanted)
            for one in found
        ]

    def texts(self, store: Store, key: str, prompt: bool) -> LongTexts:
        """Return reference, contexts, and the prompt where it is wanted."""
        return disagreements_entries.texts(store, self._panel, self._shown[key], prompt)

    def decide(self, store: Store, key: str, decision: str, grader_id: int, note: str) -> None:
        """Tag the cause."""
        named = read_key(key)
        if named is not None:
            disagreement.tag(store, self._panel, named, decision, grader_id, note)

    def nothing(self) -> None:
        """Show why the list is empty: nothing passes the filters, or nothing can be compared."""
        if not self._why_not:
            super().nothing()
        elif not disagreements.why_not_compared(self._panel):
            st.caption(say("Remove a filter above, or choose another judge."))

    def offer(self) -> None:
        """Offer the list as a file."""
        if not self._why_not:
            offer_list(self._report, self._found)

    def after(self, store: Store, key: str | None, grader: Grader | None) -> None:
        """Show what was found, what can be done about it, and what is not in the list."""
        rubric, wanted, rows = self._report.rubric, self._found.wanted, self._found.rows
        if not self._why_not:
            counts = disagreements.counts(self._panel, rows, self._tags)
            st.markdown(plain(joined(" ", [sentence(counts, len(rows)), meaning(counts)])))
            next_steps(store, self._report, self._found, self._shown.get(key), self._tags)
        reworded = [wanted.criterion] if wanted.criterion else list(rubric.versions())
        left_behind(store, rubric, reworded)
        st.caption(plain(left_out(self._panel, wanted)))
        terms("cause", "blind", "failing")
