"""Known answers as the lead sees them: practice before a set, and answers mixed into its queues."""

from collections.abc import Callable, Sequence

import streamlit as st

from concord.grading import gold_answers, gold_items, grading_sets, training_round
from concord.grading.gold_answers import Known
from concord.grading.grading_sets import GradingSet
from concord.language.plurals import counted
from concord.messages import Said, joined, said
from concord.problems import Problem
from concord.reports.cells import share
from concord.reports.reliability import gold_results as gold_report
from concord.reports.reliability import training_results
from concord.rubrics.model import Rubric
from concord.store.database import Row, Store
from concord.store.permissions import LEAD
from concord.store.rubrics import rubric_versions
from concord.ui.language import say
from concord.ui.localized_table import table_of
from concord.ui.markdown import plain
from concord.ui.sign_in import own_store
from concord.ui.widgets import number_field

_NOTICE = "known.notice"
_MOST = 20
_NO_EXAMPLES = said(
    "No answer is left for this. Move some questions to the few-shot pool under Splits; no figure "
    "includes their answers."
)


def known(store: Store, grading_set: GradingSet) -> None:
    """Both kinds of known answers of a set; of sets that go unit by unit there are none."""
    notice = st.session_state.pop(f"{_NOTICE}.{grading_set.id}", None)
    if notice:
        st.error(plain(notice), icon=":material/error:")
    if grading_sets.kind_of(store, grading_set):
        return
    leads = not store.who or store.who.role == LEAD
    with st.expander(say(_practice_title(store, grading_set)), icon=":material/school:"):
        _practised(training_results.document(store, grading_set))
        if leads:
            _form(store, grading_set, "practice", said("Practise these"), training_round.agree)
    if leads:
        with st.expander(say("Known answers mixed in"), icon=":material/target:"):
            _mixed_in(gold_report.document(store, grading_set))
            _form(store, grading_set, "gold", said("Mix these in"), gold_items.mix_in)


def _practice_title(store: Store, grading_set: GradingSet) -> Said:
    versions = list(rubric_versions.get(store, grading_set.rubric_id).versions().values())
    asked = len(training_round.answers(store, grading_set.id, versions))
    if not asked:
        return said("Practice before this set")
    return said("Practice: {answers}", answers=counted(asked, "answer"))


def _practised(found: dict) -> None:
    if not found["answers"]:
        st.write(
            say(
                "Let everyone grade a few answers first whose scores you agreed on. They see the "
                "agreed scores and reasons after each one, and practice counts in nothing."
            )
        )
    elif not found["annotators"]:
        st.write(say("Nobody has practised yet."))
    for row in found["annotators"]:
        st.write(plain(training_results.progress(row)))
    if found["differences"]:
        st.caption(say("Where annotators differed from what was agreed, before they saw it"))
        rows = [
            {
                said("Annotator"): row["name"],
                said("Item"): row["item"],
                said("Criterion"): row["criterion"],
                said("Agreed"): row["agreed"],
                said("Given"): row["given"],
            }
            for row in found["differences"]
        ]
        table_of(rows, f"practice-{found['set']}")
    if training_results.outdated(found):
        st.warning(say(training_results.outdated(found)))


def _mixed_in(found: dict) -> None:
    if not found["answers"]:
        st.write(
            say(
                "Answers with known scores can be mixed into the queues. Nobody can tell them from "
                "others, they are in no figure, and only leads see how annotators graded them."
            )
        )
        return
    answers = counted(found["answers"], "answer")
    st.write(say("{answers} mixed in; only leads see this.", answers=answers))
    rows = [
        {
            said("Annotator"): row["name"],
            said("Criterion"): row["criterion"],
            said("n"): row["n"],
            said("Exact"): share(row["exact"]),
            said("Within one"): share(row["within_one"]),
            said("Cannot grade"): row["cannot_grade"],
        }
        for row in found["annotators"]
    ]
    if rows:
        table_of(rows, f"gold-{found['set']}")
        st.caption(plain(joined(" ", gold_report.whys(found))))
    if gold_report.outdated(found):
        st.warning(say(gold_report.outdated(found)))


def _form(
    store: Store, grading_set: GradingSet, kind: str, label: Said, keep: Callable[..., None]
) -> None:
    """Ask for the agreed scores of so many answers; nothing is asked where there are none left."""
    candidates = gold_answers.candidates(store, grading_set)
    if not candidates:
        st.caption(say(_NO_EXAMPLES))
        return
    key = f"known.{kind}.{grading_set.id}"
    most = min(_MOST, len(candidates))
    if not st.toggle(say("Choose answers, of {n} left", n=len(candidates)), key=f"{key}.open"):
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
    """One answer, and a score and a reason for each criterion; as the rubric says where it does."""
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
        Known(item, name, state[f"{own}.score"], state[f"{own}.why"])
        for item, name, own in names
        if state[f"{own}.score"] is not None
    ]
    try:
        with own_store() as store:
            keep(store, grading_set, given, store.by())
        state[f"{key}.open"] = False
    except Problem as problem:
        state[f"{_NOTICE}.{grading_set.id}"] = str(problem)
