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
from concord.ui.components.review_pane import Source
from concord.ui.language import plain
from concord.ui.screens.review import disagreements_entries
from concord.ui.screens.review.disagreements_next import next_steps, offer_list
from concord.ui.widgets import empty, terms

_NUMBERED = tuple(enumerate(CAUSES.items(), 1))


class Disagreements(Source):
    """The disagreements that pass the filters, worst first."""

    param = "entry"
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

    def summary(self) -> None:
        """Show how many are tagged, and what most of the tags mean."""
        if self._why_not:
            return
        rows = self._found.rows
        counts = disagreements.counts(self._panel, rows, self._tags)
        st.markdown(plain(joined(" ", [sentence(counts, len(rows)), meaning(counts)])))

    def nothing(self) -> None:
        """Show why the list is empty: nothing passes the filters, or nothing can be compared."""
        filters = said("Remove a filter above, or choose another judge.")
        if not self._why_not:
            empty(said("This list is empty"), filters)
        elif not disagreements.why_not_compared(self._panel):
            st.caption(plain(filters))

    def after(self, store: Store, key: str | None, grader: Grader | None) -> None:
        """Offer what can be done about the disagreements, and show what is not in the list."""
        here = self._shown.get(key)
        if not self._why_not:
            offer_list(self._report, self._found)
            next_steps(store, self._report, self._found, here, self._tags)
        st.caption(plain(left_out(self._panel, self._found.wanted)))
        terms("cause", "blind", "failing")
