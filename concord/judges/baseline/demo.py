"""The demonstration: the bundled sample, with the baseline run over it."""

from concord.judges.baseline.run import run_baseline
from concord.messages import joined, said
from concord.samples import load
from concord.store import sheets
from concord.store.database import Store
from concord.store.rubrics import rubric_versions


def demo(store: Store, again: bool = False) -> str:
    """Load the sample and run the baseline; returns what happened, as sentences.

    Not where the user removed the sample before, unless `again`.
    """
    loaded = load.load_sample(store, again)
    sheet = sheets.find(store, load.NAME)
    if sheet is None:
        return said(
            "The sample was removed before, so it is not loaded again. Add --again to load it."
        )
    outcome = run_baseline(store, sheet, *rubric_versions.named(store, load.RUBRIC))
    sample = said("The sample is loaded." if loaded else "The sample was already loaded.")
    return joined(" ", [sample, outcome.sentence()])
