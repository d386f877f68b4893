"""Comparison of variants requested by name, read from the store."""

from typing import NamedTuple

from concord.messages import Problem, joined, said
from concord.model import Sheet
from concord.reports.comparison import presets
from concord.reports.comparison.compare import report
from concord.reports.comparison.paired_variants import targets
from concord.reports.comparison.results import Comparison
from concord.reports.decision.cost import costs
from concord.reports.panel import variants
from concord.reports.panel.reference_standard import EACH
from concord.store.database import Store


class ComparisonRequest(NamedTuple):
    """A requested comparison; omitted fields have defaults.

    An empty `judges` is all variants, `study` a preset that picks among them, `against` the variant
    the others are compared with, `target` a criterion of the annotators' or `composite`, and
    `rubric` the annotators' by name.
    """

    judges: tuple[str, ...] = ()
    against: str | None = None
    target: str | None = None
    reference: str = EACH
    rubric: str | None = None
    annotators: tuple[str, ...] = ()
    study: str | None = None


def compare(store: Store, sheet: Sheet, asked: ComparisonRequest) -> Comparison:
    """The comparison; a Problem where something it names does not exist."""
    found = variants.read(store, sheet)
    annotators = found.annotators(asked.rubric, asked.annotators)
    chosen = found.named(asked.judges) if asked.judges else list(found.every)
    base, study = None, None
    if asked.study is not None:
        (chosen, base, _), study = presets.pick(store, annotators, chosen, asked.study)
    if asked.against:
        base = found.named([asked.against])[0]
    if base is not None and base not in chosen:
        chosen = [base, *chosen]
    if asked.target is not None and asked.target not in (known := targets(chosen, annotators)):
        raise Problem(
            "“{target}” cannot be compared here. These judges and annotators share: {known}.",
            target=asked.target,
            known=joined(", ", known) or said("none"),
        )
    priced = costs(store, sheet, [variant.judge for variant in chosen])
    return report(chosen, annotators, asked.target, base, asked.reference, priced, study=study)
