"""Compared sheet: the variants of a sheet on screen, compared once for a state of the store."""

from concord.messages import said
from concord.model import Sheet
from concord.reports.comparison import changed_scores, compare, presets
from concord.reports.comparison.changed_scores import Flips
from concord.reports.comparison.presets import Picked
from concord.reports.comparison.results import Comparison, Study
from concord.reports.decision.cost import Cost, costs
from concord.reports.panel import variants
from concord.reports.panel.panel import Panel
from concord.reports.panel.variants import Variant, Variants
from concord.store.database import Store
from concord.store.kept_results import state_key
from concord.ui.caching import Keyed, kept


class ComparedSheet(Keyed):
    """The variants of one sheet, compared with the annotators who graded under one rubric.

    Attributes:
        store: The open store.
        sheet: The sheet.
        variants: Every variant.
        annotators: The annotators' panel; None where none has graded.
    """

    def __init__(self, store: Store, sheet: Sheet, rubric: str | None = None):
        self.store = store
        self.sheet = sheet
        self.variants: Variants = _variants(store, sheet)
        graded = self.variants.graded
        self.annotators: Panel | None = None
        if graded:
            self.annotators = self.variants.annotators(rubric if rubric in graded else None)
            self.key = (state_key(store, sheet), self.annotators.rubric.name)

    def named(self, labels: list[str]) -> list[Variant]:
        """Variants by label, in the order of all."""
        return [variant for variant in self.variants.every if variant.label in labels]

    def one(self, label: str | None) -> Variant | None:
        """A variant by label."""
        return next((v for v in self.variants.every if v.label == label), None)

    def grading(self, labels: list[str], target: str) -> list[Variant]:
        """Return the variants that grade a target."""
        every = self.named(labels)
        return [v for v in every if v.marks(target, self.annotators) is not None]


@kept(said("Reading the grades…"), 4, shared=True)
def _variants(store: Store, sheet: Sheet) -> Variants:
    return variants.read(store, sheet)


@kept(said("Reading the grades…"), 4)
def _costs(store: Store, sheet: Sheet, _variants: Variants) -> dict[int, Cost]:
    return costs(store, sheet, [variant.judge for variant in _variants.every])


@kept(said("Reading the grades…"), shared=True)
def picked(found: ComparedSheet, study: str) -> tuple[Picked, Study]:
    """Return what a preset picks; a Problem where there is nothing that it compares."""
    return presets.pick(found.store, found.annotators, list(found.variants.every), study)


@kept(said("Comparing the variants…"))
def compared(
    found: ComparedSheet,
    labels: list[str],
    target: str,
    base: str | None,
    kind: str,
    study: str,
) -> Comparison:
    """Return the comparison of some variants, or of those of a preset."""
    priced = _costs(found.store, found.sheet, found.variants)
    chosen = found.named(labels)
    preset = picked(found, study)[1] if study else None
    return compare.report(
        chosen, found.annotators, target, found.one(base), kind, priced, study=preset
    )


@kept(said("Comparing scores…"), 12, shared=True)
def flips(found: ComparedSheet, first: str, second: str, target: str, kind: str) -> Flips | None:
    """Return the changed scores between two variants; None where one does not grade the target."""
    pair = found.one(first), found.one(second)
    return changed_scores.flips(*pair, found.annotators, target, kind)
