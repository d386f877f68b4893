"""Description of how a grading set was sampled."""

import streamlit as st

from concord.grading import campaigns, grading_sets, regrades
from concord.grading.grading_sets import GradingSet
from concord.messages import Said, extent, joined, said
from concord.reports.planning import next_sample
from concord.sampling.sample import oversampled_suspected
from concord.store.database import Store
from concord.ui import render
from concord.ui.language import say


def kind(store: Store, grading_set: GradingSet) -> Said:
    """Return what kind of sample a set is."""
    if regrades.is_one(store, grading_set.id):
        return said("Regrading")
    if grading_set.kind == "whole":
        return said("The whole sheet")
    enriched = oversampled_suspected(grading_sets.strata(store, grading_set.id))
    return said(
        "An enriched sample, with more suspected failures" if enriched else "A random sample"
    )


def drawn(store: Store, grading_set: GradingSet) -> None:
    """Show how a set was sampled, with the inclusion probability of each stratum."""
    if regrades.is_one(store, grading_set.id):
        st.write(
            say(
                "A criterion was reworded. Each annotator regrades only that criterion, on the "
                "answers they graded under the old wording, in random order."
            )
        )
        return
    strata = grading_sets.strata(store, grading_set.id)
    sizes = grading_sets.block_sizes(store, grading_set.id, grading_set.created_at).values()
    seeded = said(
        "Seed {seed}, blocks of about {size} answers.",
        seed=grading_set.seed,
        size=extent(sizes) if sizes else grading_set.block_size,
    )
    followed = said(
        "Each annotator works through their own blocks; the order within a block is shuffled."
        if campaigns.find(store, grading_set.id)
        else "All annotators work through the blocks in the same order, so those who stop early "
        "overlap; the order within a block is shuffled."
    )
    # Of whole answers in each block: a tenth of 6 is 1, which is more than a tenth of all.
    repeated = grading_sets.repeats(sizes, grading_set.repeat_share) / max(1, sum(sizes))
    hidden = said(
        "{share:.0%} of the answers are repeated, unmarked, in the next block."
        if repeated
        else "No answer is repeated.",
        share=repeated,
    )
    whole = said(
        "Questions are sampled with all their answers. Those that judges suspect to have a failing "
        "answer are oversampled at the inclusion probabilities below, and every figure is weighted "
        "by their inverse."
        if oversampled_suspected(strata)
        else "Questions are sampled with all their answers, stratified by answering models."
    )
    st.write(say(joined(" ", [seeded, followed, hidden, whole])))
    render.show_table(next_sample.probabilities(strata), f"set-{grading_set.id}")
