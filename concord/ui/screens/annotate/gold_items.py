"""Gold items and the training round of a grading set, as leads see them."""

from collections.abc import Callable, Sequence

import streamlit as st

from concord.grading import gold_answers, gold_items, grading_sets, training_round
from concord.grading.gold_answers import AgreedScore
from concord.grading.grading_sets import GradingSet
from concord.messages import Said, said
from concord.reports.reliability import gold_results, training_results
from concord.rubrics.model import Rubric
from concord.store.database import Row, Store
from concord.store.rubrics import rubric_versions
from concord.ui import render
from concord.ui.actions import changing, show_refused
from concord.ui.language import plain, say
from concord.ui.looker import leads
from concord.ui.widgets import number_field

_NOTICE = "known.notice"  # in the session, with the id of the set
_MOST = 20
_NO_EXAMPLES = said(
    "No answers are available. Move some questions to the few-shot pool under Splits; their "
    "answers are excluded from all figures."
)
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
    show_refused(f"{_NOTICE}.{grading_set.id}")
    if grading_sets.kind_of(store, grading_set):
        return
    trained = training_results.results(store, grading_set)
    part = training_results.document(trained)
    with st.expander(say(part.headline), icon=":material/school:"):
        _part(part, f"training-{grading_set.name}", "" if trained.answers else _TRAINING)
        if leads(store):
            _form(store, grading_set, "training", said("Add training items"), training_round.agree)
    if leads(store):
        gold = gold_results.results(store, grading_set)
        part = gold_results.document(gold)
        with st.expander(say(part.headline), icon=":material/target:"):
            _part(part, grading_set.name, "" if gold.answers else _GOLD)
            _form(store, grading_set, "gold", said("Add gold items"), gold_items.mix_in)


def _part(part, name: str, about: str) -> None:
    """Show a document under an expander's title, or what it is about where it is empty."""
    if about:
        st.write(say(about))
    for fact in part.facts:
        st.warning(say(fact))
    render.body(part, name)


def _form(
    store: Store, grading_set: GradingSet, kind: str, label: Said, keep: Callable[..., None]
) -> None:
    """Ask for the scores of some answers, as long as candidates are left."""
    candidates = gold_answers.candidates(store, grading_set)
    if not candidates:
        st.caption(say(_NO_EXAMPLES))
        return
    key = f"known.{kind}.{grading_set.id}"
    most = min(_MOST, len(candidates))
    if not st.toggle(say("Choose answers ({n} available)", n=len(candidates)), key=f"{key}.open"):
        return
    count = number_field(say("How many"), 1, most, min(3, most), key=f"{key}.count")
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    chosen = gold_answers.choose(candidates, count, grading_set.seed)
    with st.form(f"{key}.form"):
        for row in chosen:
            _ask(rubric, row, key)
        st.form_submit_button(
            say(label),
            type="primary",
            on_click=_keep,
            args=(grading_set, key, [row["id"] for row in chosen], rubric, keep),
        )


def _ask(rubric: Rubric, row: Row, key: str) -> None:
    """One answer with a score and a reason per criterion, filled in where it is the rubric's."""
    told = gold_answers.told_by_rubric(rubric, row["question"], row["answer"])
    st.markdown(f"**{plain(row['question'])}**")
    st.write(plain(row["answer"]))
    for criterion in rubric.criteria:
        score, reason = told.get(criterion.name, (None, ""))
        left, right = st.columns([1, 3])
        place = rubric.scale.index(score) if score is not None else None
        own = f"{key}.{row['id']}.{criterion.name}"
        left.selectbox(
            plain(criterion.heading()),
            rubric.scale,
            place,
            key=f"{own}.score",
            placeholder=say("Choose a score"),
        )
        right.text_input(say("Why"), reason, key=f"{own}.why", max_chars=500)


def _keep(
    grading_set: GradingSet,
    key: str,
    item_ids: Sequence[int],
    rubric: Rubric,
    keep: Callable[..., None],
) -> None:
    state = st.session_state
    names = [(item, c.name, f"{key}.{item}.{c.name}") for item in item_ids for c in rubric.criteria]
    given = [
        AgreedScore(item, name, state[f"{own}.score"], state[f"{own}.why"])
        for item, name, own in names
        if state[f"{own}.score"] is not None
    ]
    with changing(f"{_NOTICE}.{grading_set.id}") as store:
        keep(store, grading_set, given, store.by())
        state[f"{key}.open"] = False
