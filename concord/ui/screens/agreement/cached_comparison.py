"""Comparison on screen: the variants of a sheet, compared once for a state of the store."""

import streamlit as st

from concord.messages import said
from concord.model import Sheet
from concord.reports.agreement.answer_lengths import lengths
from concord.reports.comparison import changed_scores, compare, two_judges
from concord.reports.comparison.changed_scores import Flips
from concord.reports.comparison.paired_variants import first_target, targets
from concord.reports.comparison.results import Comparison
from concord.reports.decision.cost import Cost, costs
from concord.reports.document import Document
from concord.reports.panel import variants
from concord.reports.panel.panel import Panel
from concord.reports.panel.variants import Variant, Variants
from concord.store.database import Store
from concord.store.version_key import state
from concord.ui.caching import kept, spinning


class Comparison:
    """The variants of one sheet, compared with the annotators who graded under one rubric.

    Attributes:
        sheet: The sheet.
        variants: Every variant.
        annotators: The annotators' panel.
    """

    def __init__(self, store: Store, sheet: Sheet, rubric: str | None = None):
        self.sheet = sheet
        self.variants: Variants = _variants(store, sheet)
        graded = self.variants.graded
        self.annotators: Panel | None = None
        if graded:
            self.annotators = self.variants.annotators(rubric if rubric in graded else None)
            self._key = (state(store, sheet), self.annotators.rubric.name)
            self._costs = _costs(store, sheet, self.variants)

    def named(self, labels: list[str]) -> list[Variant]:
        """Variants by label, in the order of all."""
        return [variant for variant in self.variants.every if variant.label in labels]

    def one(self, label: str | None) -> Variant | None:
        """A variant by label."""
        return next((v for v in self.variants.every if v.label == label), None)

    def targets(self, labels: list[str]) -> list[str]:
        """Return the available comparison targets."""
        return targets(self.named(labels), self.annotators)

    def first_target(self, labels: list[str]) -> str:
        """Return the default comparison target."""
        return first_target(self.named(labels), self.annotators)

    def able(self, labels: list[str], target: str) -> list[Variant]:
        """Those of some variants that grade a target."""
        every = self.named(labels)
        return [v for v in every if v.marks(target, self.annotators) is not None]

    def report(self, labels: list[str], target: str, base: str | None, kind: str) -> Comparison:
        """The comparison of some variants."""
        asked = (tuple(labels), target, base, kind)
        return _report(self._key, asked, self, self._costs)

    def flips(self, first: str, second: str, target: str, kind: str) -> Flips | None:
        """Return the changed scores between two variants."""
        return _flips(self._key, (first, second, target, kind), self)

    def two_judges(self, store: Store, asked: Flips, kind: str) -> Document:
        """Return the paired test of the two whose flips these are, and where they differ."""
        key = (*self._key, asked.first.label, asked.second.label, asked.target, kind)
        return _two_judges(key, store, self, asked, kind)


@kept(said("Reading the grades…"), 4, shared=True)
def _variants(store: Store, sheet: Sheet) -> Variants:
    return variants.read(store, sheet)


@kept(said("Reading the grades…"), 4)
def _costs(store: Store, sheet: Sheet, _variants: Variants) -> dict[int, Cost]:
    return costs(store, sheet, [variant.judge for variant in _variants.every])


@spinning(said("Comparing the variants…"))
@st.cache_data(max_entries=24, show_spinner=False)
def _report(key: tuple, asked: tuple, _found: Comparison, _priced: dict[int, Cost]) -> Comparison:
    labels, target, base, kind = asked
    chosen = _found.named(list(labels))
    return compare.report(chosen, _found.annotators, target, _found.one(base), kind, _priced)


@spinning(said("Comparing scores…"))
@st.cache_resource(max_entries=12, show_spinner=False)
def _flips(key: tuple, asked: tuple, _found: Comparison) -> Flips | None:
    first, second, target, kind = asked
    return changed_scores.flips(
        _found.one(first), _found.one(second), _found.annotators, target, kind
    )


@spinning(said("Comparing the two…"))
@st.cache_data(max_entries=24, show_spinner=False)
def _two_judges(
    key: tuple, _store: Store, _found: Comparison, _asked: Flips, _kind: str
) -> Document:
    length = lengths(_store, _found.annotators)
    first, second, target = _asked.first, _asked.second, _asked.target
    tested = two_judges.report(first, second, _found.annotators, target, length, _kind)
    return two_judges.document(tested)
