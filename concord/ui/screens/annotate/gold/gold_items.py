"""Gold items and the training round of a grading set, as leads see them."""

import streamlit as st

from concord.grading import gold_items, grading_sets
from concord.grading.grading_sets import GradingSet
from concord.messages import said
from concord.reports.reliability import gold_results, training_results
from concord.store.database import Store
from concord.ui import render
from concord.ui.language import say
from concord.ui.looker import leads
from concord.ui.screens.annotate.gold.gold_choice import choice

_TRAINING = said(
    "Annotators can first grade a few answers with agreed scores. After each answer they see the "
    "agreed scores and reasons. The training round is excluded from all figures."
)
_GOLD = said(
    "Answers with known scores can be added to the queues. Annotators cannot tell them from other "
    "answers. They are excluded from all figures, and only leads see how annotators graded them."
)


def known(store: Store, grading_set: GradingSet) -> None:
    """Show the training round and the gold items of a set of whole answers."""
    if grading_sets.kind_of(store, grading_set):
        return
    trained = training_results.results(store, grading_set)
    if not (trained.answers or leads(store)):
        return
    part = training_results.document(trained)
    # Keyed, so that one stays open whose title counts an answer more.
    key = f"known.training.{grading_set.id}.fold"
    with st.expander(say(part.headline), key=key, icon=":material/school:"):
        _part(part, f"training-{grading_set.name}", "" if trained.answers else _TRAINING)
        if leads(store):
            add = said("Add to the training round")
            choice(store, grading_set, "training", add, gold_items.TRAINING_ITEMS)
    if leads(store):
        gold = gold_results.results(store, grading_set)
        part = gold_results.document(gold)
        key = f"known.gold.{grading_set.id}.fold"
        with st.expander(say(part.headline), key=key, icon=":material/target:"):
            _part(part, grading_set.name, "" if gold.answers else _GOLD)
            choice(store, grading_set, "gold", said("Add gold item"), gold_items.GOLD)


def _part(part, name: str, about: str) -> None:
    """Show a document under an expander's title, or what it is about where it is empty."""
    if about:
        st.write(say(about))
    for fact in part.facts:
        st.warning(say(fact))
    render.body(part, name)
